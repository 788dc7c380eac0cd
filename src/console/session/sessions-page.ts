// Who is signed in: a session on each line, this one marked, with the button that ends it.
import { html, type SafeHtml } from '@remix-run/html-template'
import { timeElement } from '../../http/pages/document.ts'
import type { Page } from '../../lib/validation/common.schema.ts'
import type { Membership } from '../../modules/accounts/people/persons.repository.ts'
import { browserLabel } from '../../modules/accounts/sessions/browser-label.ts'
import type { SessionRow } from '../../modules/accounts/sessions/sessions.repository.ts'
import { pager } from '../shell/pager.ts'

export type SessionsView = {
  /** The address of the list, below which its forms are. */
  address: string
  now: Date
  page: Page<SessionRow & { person?: string | null }>
  after: string | null
  /** The session of the reader. */
  currentId: string
  /** Whose sessions these are, in a sentence. */
  whose: string
  /** What was done last, in a sentence. */
  note: string
  /** The page of the passkeys of the reader; null: they have none. */
  passkeys: string | null
}

export const sessionsMain = ({ address, now, page, after, currentId, whose, note, passkeys }: SessionsView): SafeHtml =>
  html`<div class="head"><h1>Sessions</h1><p class="note" role="status">${note}</p></div>
<p>${whose} It ends when it has not been used for a while.${passkeys === null ? '' : html` <a href="${passkeys}">Your passkeys</a> sign you in without a mail.`}</p>
<table class="sheet list"><thead><tr>
<th scope="col">From</th><th scope="col">Signed in by</th><th scope="col">Since</th><th scope="col">Last used</th><td></td>
</tr></thead><tbody>${page.rows.map((row) => line(row, { address, now, currentId }))}</tbody></table>
${pager(page, { address, after })}
${page.rows.some(({ id }) => id !== currentId) || after !== null ? html`<form method="post" action="${address}/end-others"><button class="danger">End all others</button></form>` : ''}`

const line = (
  { id, method, person = null, address: from, browser, createdAt, usedAt }: SessionRow & { person?: string | null },
  { address, now, currentId }: Pick<SessionsView, 'address' | 'now' | 'currentId'>,
): SafeHtml => html`<tr>
<th scope="row">${browserLabel(browser)}${id === currentId ? html` <span class="tag">this one</span>` : ''}<div class="soft">${from}</div></th>
<td>${METHODS[method]}${person === null ? '' : html`<div class="soft"><bdi>${person}</bdi></div>`}</td>
<td class="soft"><span class="only-slim">since </span>${timeElement(createdAt, now)}</td>
<td class="soft"><span class="only-slim">last used </span>${timeElement(usedAt, now)}</td>
<td>${id === currentId ? '' : html`<form method="post" action="${address}/${id}/end"><button class="quiet" aria-label="End the session from ${browserLabel(browser)}, ${from}">End</button></form>`}</td></tr>`

/** Nothing for someone of one team. */
export const teamsPart = (teams: readonly Membership[], { address, currentId }: { address: string; currentId: string }): SafeHtml =>
  teams.length < 2
    ? html``
    : html`
<h2>Your teams</h2>
<table class="sheet list"><thead><tr><th scope="col">Team</th><th scope="col">Your role</th><td></td></tr></thead>
<tbody>${teams.map(
        ({
          teamId,
          teamName,
          role,
        }) => html`<tr><th scope="row"><bdi>${teamName}</bdi>${teamId === currentId ? html` <span class="tag">this one</span>` : ''}</th><td>${role}</td>
<td>${teamId === currentId ? '' : html`<form method="post" action="${address}/team"><input type="hidden" name="team" value="${teamId}"><button class="quiet" aria-label="Open ${teamName}">Open</button></form>`}</td></tr>`,
      )}</tbody></table>`

const METHODS: Record<SessionRow['method'], string> = {
  link: 'link',
  passkey: 'passkey',
  identity_provider: 'identity provider',
}

export const SESSION_NOTES: ReadonlyMap<string, string> = new Map([
  ['ended', 'The session has ended.'],
  ['others', 'All other sessions have ended.'],
  ['gone', 'That session had already ended.'],
])
