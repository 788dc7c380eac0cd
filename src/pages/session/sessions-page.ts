// Who is signed in: a session on each line, this one marked, with the button that ends it.
import { html, type SafeHtml } from '@remix-run/html-template'
import type { Page } from '../../repositories/page.ts'
import type { SessionRow } from '../../repositories/team/sessions.ts'
import { moment } from '../shell/moments.ts'
import { pager } from '../shell/pager.ts'
import { browserWords } from './sign-in-place.ts'

export type SessionsView = {
  /** The address of the list, below which its forms are. */
  address: string
  now: Date
  page: Page<SessionRow>
  after: string | null
  /** The session of the reader. */
  currentId: string
  /** Whose sessions these are, in a sentence. */
  whose: string
  /** What was done last, in a sentence. */
  note: string
}

export const sessionsMain = ({ address, now, page, after, currentId, whose, note }: SessionsView): SafeHtml =>
  html`<div class="head"><h1>Sessions</h1><p class="note" role="status">${note}</p></div>
<p>${whose} A session ends after 12 hours.</p>
<table class="sheet list"><thead><tr>
<th scope="col">From</th><th scope="col">Signed in by</th><th scope="col">Since</th><th scope="col">Last used</th><td></td>
</tr></thead><tbody>${page.rows.map((row) => line(row, { address, now, currentId }))}</tbody></table>
${pager(page, { address, after })}
${page.rows.some(({ id }) => id !== currentId) || after !== null ? html`<form method="post" action="${address}/end-others"><button class="danger">End all others</button></form>` : ''}`

const line = (
  { id, method, person, address: from, browser, createdAt, usedAt }: SessionRow,
  { address, now, currentId }: Pick<SessionsView, 'address' | 'now' | 'currentId'>,
): SafeHtml => html`<tr>
<th scope="row">${browserWords(browser)}${id === currentId ? html` <span class="tag">this one</span>` : ''}<div class="soft">${from}</div></th>
<td>${METHODS[method]}${person === null ? '' : html`<div class="soft"><bdi>${person}</bdi></div>`}</td>
<td class="soft"><span class="only-slim">since </span>${moment(createdAt, now)}</td>
<td class="soft"><span class="only-slim">last used </span>${moment(usedAt, now)}</td>
<td>${id === currentId ? '' : html`<form method="post" action="${address}/${id}/end"><button class="quiet" aria-label="End the session from ${browserWords(browser)}, ${from}">End</button></form>`}</td></tr>`

const METHODS: Record<SessionRow['method'], string> = {
  api_key: 'API key',
  link: 'one-time link',
  identity_provider: 'identity provider',
}

export const SESSION_NOTES: ReadonlyMap<string, string> = new Map([
  ['ended', 'The session has ended.'],
  ['others', 'All other sessions have ended.'],
  ['gone', 'That session had ended before.'],
])
