// The frame of the console: its sections on the left, and the signed-in team at the top.
import { html, type SafeHtml } from '@remix-run/html-template'
import { CONSOLE } from '../../http/pages/paths.ts'
import { type OwnPage, ownPage } from './own-page.ts'
import { SECTION_GROUPS, type SectionAddress } from './sections.ts'

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
<details class="menu"><summary>Menu</summary><nav aria-label="Sections"><ul><li><a href="${CONSOLE}/search">Search</a></li></ul>${sections(section, 'menu')}</nav></details>
${FIND}
${teamName === null ? '' : html`<span class="team" title="${teamName}"><bdi>${teamName}</bdi></span>`}
<form method="post" action="${CONSOLE}/sign-out"><button class="quiet">Sign out</button></form>
</header>
<nav class="sections" aria-label="Sections">${sections(section, 'column')}</nav>`,
  })

/** The script finder.js shows below it what it finds. On a phone, the menu leads to the page of the search. */
const FIND = html`<form class="find" role="search" aria-label="Everything" action="${CONSOLE}/search"><input type="text" enterkeyhint="search" name="q" maxlength="254" aria-label="Everything" aria-keyshortcuts="Control+K /" placeholder="Search (Ctrl K)" autocomplete="off" autocapitalize="off" spellcheck="false"><div class="findings" hidden></div></form>`

/** A list of lists, each labeled by its name. `place`: the page has these lists twice. */
const sections = (current: SectionAddress | null, place: 'menu' | 'column'): SafeHtml => html`<ul>
${SECTION_GROUPS.map((group) => (group.name === null ? links(group, current) : namedLinks({ ...group, id: `${place}-${group.name.toLowerCase()}` }, current)))}
</ul>`

type Group = { sections: readonly { name: string; address: SectionAddress }[] }

const namedLinks = ({ id, name, ...group }: Group & { id: string; name: string }, current: SectionAddress | null): SafeHtml =>
  html`<li class="section-group"><span id="${id}">${name}</span><ul aria-labelledby="${id}">
${links(group, current)}</ul></li>
`

const links = ({ sections: all }: Group, current: SectionAddress | null): SafeHtml[] =>
  all.map(
    ({ name, address }) => html`<li><a href="${address}"${address === current ? html` aria-current="true"` : ''}>${name}</a></li>
`,
  )
