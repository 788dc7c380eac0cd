// What has access to the team, and what had: a program on each line, with the button that ends it.
import { html, type SafeHtml } from '@remix-run/html-template'
import { timeElement } from '../../http/pages/document.ts'
import { SCOPES } from '../../modules/accounts/scopes.ts'
import type { OAuthGrantRow } from '../../modules/oauth/grants.repository.ts'
import { consolePage } from '../shell/console-page.ts'

export const GRANTS_ADDRESS = '/console/grants'

export type GrantListView = {
  teamName: string
  now: Date
  rows: OAuthGrantRow[]
  keys: KeyMade[]
  older: { after: string } | null
  note: string
}
/** An API key that a program made. */
export type KeyMade = { id: string; name: string; grantId: string | null }

export const grantListPage = ({ teamName, now, rows, keys, older, note }: GrantListView): string =>
  consolePage({
    title: 'Grants',
    section: GRANTS_ADDRESS,
    teamName,
    main: html`<div class="head"><h1>Grants</h1></div>
${note === '' ? '' : html`<p class="sheet done" role="status">${note}</p>`}
<p class="note">Programs that a person of your team has given access. When you end it, the program stops working at once, and emails that it has scheduled fail. What it made stays: API keys, which are shown here and work until you delete them, webhooks, contacts and all else.</p>
${rows.length === 0 ? html`<p class="sheet">No program has had access. A program, such as an assistant that works with your mail, asks for it over OAuth; a person of your team then agrees on a page of this service, and it appears here.</p>` : table(rows, keys, now)}
${older === null ? '' : html`<p><a class="button quiet" href="${GRANTS_ADDRESS}?after=${older.after}">Older</a></p>`}`,
  })

const table = (rows: OAuthGrantRow[], keys: KeyMade[], now: Date): SafeHtml => html`<table class="sheet list"><thead><tr>
<th scope="col">Program</th><th scope="col">May</th><th scope="col">Since</th><th scope="col">Last used</th><td></td>
</tr></thead><tbody>${rows.map((row) =>
  line(
    row,
    keys.filter(({ grantId }) => grantId === row.id),
    now,
  ),
)}</tbody></table>`

const line = (
  { id, client, allowedBy, scopes, createdAt, lastUsedAt, revokedAt }: OAuthGrantRow,
  keys: KeyMade[],
  now: Date,
): SafeHtml => html`<tr>
<th scope="row"><bdi>${client.name}</bdi><div class="soft">${allowed(allowedBy)}</div>${keys.map(made)}</th>
<td>${scopes.map((scope) => html`<div>${SCOPES.get(scope) ?? scope}</div>`)}</td>
<td class="soft"><span class="only-slim">since </span>${timeElement(createdAt, now)}</td>
<td class="soft">${lastUsedAt === null ? html`never<span class="only-slim"> used</span>` : html`<span class="only-slim">used </span>${timeElement(lastUsedAt, now)}`}</td>
<td>${revokedAt === null ? ending(id, client.name) : html`<span class="soft">ended ${timeElement(revokedAt, now)}</span>`}</td></tr>`

const allowed = (person: OAuthGrantRow['allowedBy']): SafeHtml =>
  person === null ? html`allowed before people` : html`allowed by <bdi>${person.name}</bdi>`

const made = ({ id, name }: KeyMade): SafeHtml =>
  html`<div class="soft">made the API key <a href="/console/api-keys/${id}"><bdi>${name}</bdi></a></div>`

const ending = (id: string, name: string): SafeHtml =>
  html`<details><summary aria-label="End the access of ${name}">End …</summary><form method="post" action="${GRANTS_ADDRESS}/${id}/end"><button class="danger" aria-label="End the access of ${name} now">End now</button></form></details>`
