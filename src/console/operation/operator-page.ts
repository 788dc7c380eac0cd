// The frame of the pages of operators, which is marked as theirs.
import { html, type SafeHtml } from '@remix-run/html-template'
import { pageFile } from '../../http/pages/document.ts'
import { OPERATION } from '../../http/pages/paths.ts'
import { readSourceFile } from '../../lib/source-files.ts'
import { type OwnPage, ownPage } from '../shell/own-page.ts'

export const OPERATION_STYLE = pageFile('operation', 'css', readSourceFile('operation.css', import.meta))

export const PLACES = [
  { name: 'Queue', address: OPERATION },
  { name: 'Health', address: `${OPERATION}/health` },
  { name: 'Deliverability', address: `${OPERATION}/deliverability` },
  { name: 'Teams', address: `${OPERATION}/teams` },
  { name: 'Sessions', address: `${OPERATION}/sessions` },
] as const

type Place = (typeof PLACES)[number]['name']

export const operatorPage = ({ place, main }: { place: Place; main: OwnPage['main'] }): string =>
  ownPage({
    title: `${place} · Operation`,
    files: [OPERATION_STYLE],
    main,
    around: html`<header class="bar operator">
<a class="brand" href="${OPERATION}">Posthaste</a>
<details class="menu"><summary>Menu</summary><nav aria-label="Sections">${places(place)}</nav></details>
<span class="team"><b class="tag">Operator</b> <span>of the whole installation</span></span>
<form method="post" action="${OPERATION}/sign-out"><button class="quiet">Sign out</button></form>
</header>
<nav class="sections" aria-label="Sections">${places(place)}</nav>`,
  })

const places = (current: Place): SafeHtml => html`<ul>
${PLACES.map(({ name, address }) => html`<li><a href="${address}"${name === current ? html` aria-current="true"` : ''}>${name}</a></li>`)}
</ul>`
