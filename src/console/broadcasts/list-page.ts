// The broadcasts of a team, newest first.
import { html, type SafeHtml } from '@remix-run/html-template'
import { timeElement } from '../../http/pages/document.ts'
import type { Page } from '../../lib/validation/common.schema.ts'
import type { BroadcastSummaryRow } from '../../modules/broadcasts/broadcasts.repository.ts'
import { broadcastMark } from '../shell/broadcast-lines.ts'
import { consolePage } from '../shell/console-page.ts'
import { pager } from '../shell/pager.ts'
import { ADDRESS, broadcastAddress } from './broadcast-words.ts'
import { BROADCAST_FILES } from './broadcasts-style.ts'

export type BroadcastListView = { teamName: string; now: Date; page: Page<BroadcastSummaryRow>; after: string | null; note: string }

export const broadcastListPage = ({ teamName, now, page, after, note }: BroadcastListView): string =>
  consolePage({
    title: 'Broadcasts',
    section: ADDRESS,
    teamName,
    files: BROADCAST_FILES,
    main: html`<div class="head"><h1>Broadcasts</h1><p class="note" role="status">${note}</p><p><a class="button" href="${ADDRESS}/new">New broadcast</a></p></div>
${page.rows.length > 0 ? table(page.rows, now) : after === null ? NOTHING_YET : html`<p class="sheet">There are no older broadcasts.</p>`}
${pager(page, { address: ADDRESS, after })}`,
  })

const NOTHING_YET = html`<section class="sheet"><h2>No broadcasts yet</h2>
<p>A broadcast is one email to everyone in a segment. <a href="${ADDRESS}/new">Write one</a>, then preview, test and send it.</p></section>`

const table = (rows: BroadcastSummaryRow[], now: Date): SafeHtml => html`<table class="sheet list broadcasts"><thead><tr>
<th scope="col">Name</th><th scope="col">State</th><th scope="col">Created</th><th scope="col">Sent</th>
</tr></thead><tbody>${rows.map((row) => line(row, now))}</tbody></table>`

const line = (row: BroadcastSummaryRow, now: Date): SafeHtml => html`<tr>
<th scope="row"><a href="${broadcastAddress(row)}">${row.name}</a></th>
<td>${broadcastMark(row)}${row.status === 'scheduled' && row.scheduledAt !== null ? html`<div class="soft">${timeElement(row.scheduledAt, now)}</div>` : ''}</td>
<td class="soft"><span class="only-slim">created </span>${timeElement(row.createdAt, now)}</td>
<td class="soft"><span class="only-slim">sent </span>${row.sentAt === null ? 'not yet' : timeElement(row.sentAt, now)}</td></tr>`
