// To whom something happened, and the links that they followed.
import { html, type SafeHtml } from '@remix-run/html-template'
import { shortId } from '../../lib/ids.ts'
import type { Page } from '../../lib/validation/common.schema.ts'
import type { BroadcastRow } from '../../modules/broadcasts/broadcasts.repository.ts'
import type { BroadcastRecipientRow, ClickedLinkRow } from '../../modules/broadcasts/recipients/broadcast-recipients.repository.ts'
import { RECIPIENT_TYPES, type RecipientType } from '../../modules/broadcasts/recipients/broadcast-recipients.schema.ts'
import { consolePage } from '../shell/console-page.ts'
import { lineText } from '../shell/line-text.ts'
import { pager } from '../shell/pager.ts'
import { ADDRESS, broadcastAddress, RECIPIENT_WORDS } from './broadcast-words.ts'
import { BROADCAST_FILES } from './broadcasts-style.ts'

type PlaceOfList = { teamName: string; broadcast: Pick<BroadcastRow, 'id' | 'name'>; after: string | null }

export type RecipientsView = PlaceOfList & { type: RecipientType; email: string; page: Page<BroadcastRecipientRow> }

export function recipientsPage({ teamName, broadcast, type, email, page, after }: RecipientsView): string {
  const address = `${broadcastAddress(broadcast)}/recipients`
  return consolePage({
    title: `${RECIPIENT_WORDS[type]}: ${broadcast.name}`,
    section: ADDRESS,
    teamName,
    files: BROADCAST_FILES,
    main: html`${head(broadcast)}
<form class="sheet choice" action="${address}"><label for="type">Recipients</label> <select id="type" name="type">${RECIPIENT_TYPES.map((one) => html`<option value="${one}"${one === type ? html` selected` : ''}>${RECIPIENT_WORDS[one]}</option>`)}</select>
<input name="email" value="${email}" maxlength="320" aria-label="Part of an address" placeholder="Part of an address"> <button class="quiet">Show</button></form>
${page.rows.length === 0 ? html`<p class="sheet">There are no such recipients.</p>` : recipients(page.rows, type)}
${pager(withPlaces(page), { address, after, sought: { type, ...(email !== '' && { email }) } })}`,
  })
}

export type ClickedLinksView = PlaceOfList & { page: Page<ClickedLinkRow> }

export function clickedLinksPage({ teamName, broadcast, page, after }: ClickedLinksView): string {
  return consolePage({
    title: `Clicked links: ${broadcast.name}`,
    section: ADDRESS,
    teamName,
    files: BROADCAST_FILES,
    main: html`${head(broadcast)}
${page.rows.length === 0 ? html`<p class="sheet">No one has followed a link yet.</p>` : links(page.rows)}
${pager(withPlaces(page), { address: `${broadcastAddress(broadcast)}/links`, after })}`,
  })
}

const head = (broadcast: Pick<BroadcastRow, 'id' | 'name'>): SafeHtml =>
  html`<div class="head"><h1>${broadcast.name}</h1><p><a href="${broadcastAddress(broadcast)}">← The broadcast</a></p></div>`

/** Adds places as lists of the API name them. */
const withPlaces = ({ rows, hasMore }: Page<{ id: string }>) => ({ rows: rows.map(({ id }) => ({ id: shortId(id) })), hasMore })

const recipients = (rows: BroadcastRecipientRow[], type: RecipientType): SafeHtml => html`<table class="sheet list"><thead><tr>
<th scope="col">Recipient</th><th scope="col">${type === 'clicked' ? 'Links' : ''}</th></tr></thead>
<tbody>${rows.map(
  (row) => html`<tr><th scope="row"><a href="/console/emails/${row.id}">${lineText(row.email)}</a></th>
<td class="soft">${row.bounceType ?? ''}${row.count > 1 ? html`${row.count.toLocaleString('en')} times` : ''}${row.links.map(({ url, clicks }) => html`<div class="address">${lineText(url)}${clicks > 1 ? html` (${clicks.toLocaleString('en')})` : ''}</div>`)}</td></tr>`,
)}</tbody></table>`

const links = (rows: ClickedLinkRow[]): SafeHtml => html`<table class="sheet list"><thead><tr>
<th scope="col">Link</th><th scope="col">Clicks</th><th scope="col">Recipients</th></tr></thead>
<tbody>${rows.map(
  ({ url, clicks, uniqueClicks }) => html`<tr><th scope="row" class="address">${lineText(url)}</th>
<td>${clicks.toLocaleString('en')}<span class="only-slim soft"> clicks</span></td><td>${uniqueClicks.toLocaleString('en')}<span class="only-slim soft"> recipients</span></td></tr>`,
)}</tbody></table>`
