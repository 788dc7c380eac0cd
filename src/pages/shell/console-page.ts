// The frame of the console: its sections on the left, and the signed-in team at the top.
import { html, type SafeHtml } from '@remix-run/html-template'
import { type OwnPage, ownPage } from './own-page.ts'
import { CONSOLE, SECTIONS, type SectionAddress } from './sections.ts'

export type ConsolePage = OwnPage & {
  /** Null if the page belongs to none. */
  section: SectionAddress | null
  /** Null if the name could not be read. */
  teamName: string | null
}

/** The style shows one of the two navigations: the column on a wide screen, the menu on a phone. */
export const consolePage = ({ section, teamName, ...page }: ConsolePage): string =>
  ownPage({
    ...page,
    around: html`<header class="bar">
<a class="brand" href="${CONSOLE}">Posthaste</a>
<details class="menu"><summary>Menu</summary><nav aria-label="Sections">${sections(section)}</nav></details>
${teamName === null ? '' : html`<span class="team" title="${teamName}"><bdi>${teamName}</bdi></span>`}
<form method="post" action="${CONSOLE}/sign-out"><button class="quiet">Sign out</button></form>
</header>
<nav class="sections" aria-label="Sections">${sections(section)}</nav>`,
  })

const sections = (current: SectionAddress | null): SafeHtml => html`<ul>
${SECTIONS.map(({ name, address }) => html`<li><a href="${address}"${address === current ? html` aria-current="true"` : ''}>${name}</a></li>`)}
<li><a href="/docs">API documentation</a></li>
</ul>`
