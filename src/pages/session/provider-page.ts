import { html } from '@remix-run/html-template'
import { frontPage } from '../shell/front-page.ts'
import { nextField } from './session-page.ts'

type Doors = { person: string; doors: { name: string; path: string }[]; next: string | null }

/**
 * What someone may open whom the identity provider has signed in. A button of ours begins the session: browsers keep its cookie from a page that another
 * site led to.
 */
export const doorsPage = ({ person, doors, next }: Doors): string =>
  frontPage({
    title: 'Sign in',
    main: html`<section class="sheet narrow">
<h1>Sign in to the console</h1>
<p>You are <bdi>${person}</bdi>. ${doors.length === 1 ? '' : 'What do you want to open?'}</p>
${doors.map(({ name, path }, index) => html`<form method="post" action="${path}">${nextField(next)}<button${index === 0 ? html` autofocus` : html` class="quiet"`}>Open <bdi>${name}</bdi></button></form>`)}
</section>`,
  })
