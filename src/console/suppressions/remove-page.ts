// Asks before a person who reported mail as spam can get mail again.
import { html } from '@remix-run/html-template'
import type { SuppressionRow } from '../../modules/suppressions/suppression-changes.repository.ts'
import { consolePage } from '../shell/console-page.ts'
import { ADDRESS } from './search-form.ts'
import { SUPPRESSIONS_STYLE } from './suppressions-style.ts'

type RemoveView = { teamName: string; suppression: Pick<SuppressionRow, 'id' | 'email' | 'origin'> }

export const removePage = ({ teamName, suppression: { id, email, origin } }: RemoveView): string =>
  consolePage({
    title: `Remove ${email}`,
    section: ADDRESS,
    teamName,
    files: [SUPPRESSIONS_STYLE],
    main: html`<p><a href="${ADDRESS}">← Suppressions</a></p>
<section class="sheet"><h1>Remove <bdi>${email}</bdi>?</h1>
${origin === 'complaint' ? REPORTED : ''}
<p>After that, the address can get mail again from all domains of your team.</p>
<form class="choice" method="post" action="${ADDRESS}/${id}/remove"><button class="danger">Remove the address</button> <a class="button quiet" href="${ADDRESS}">Keep it suppressed</a></form>
</section>`,
  })

const REPORTED = html`<p>This person reported your mail as spam. Remove the address only if they asked you to: providers count how often your mail is reported, and refuse mail from those who are reported often.</p>`
