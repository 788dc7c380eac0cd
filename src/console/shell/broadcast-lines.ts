// Shows the newest broadcasts to a segment or about a topic on its page, and says how a broadcast stands, in words with a color.
import { html, type SafeHtml } from '@remix-run/html-template'
import type { Page } from '../../lib/validation/common.schema.ts'
import type { BroadcastStatus } from '../../modules/broadcasts/broadcast-states.ts'
import type { AudienceBroadcastRow } from '../../modules/broadcasts/due-broadcasts.repository.ts'

const ADDRESS = '/console/broadcasts'

export const broadcastLines = ({
  rows,
  hasMore,
}: Page<AudienceBroadcastRow>): SafeHtml => html`<section class="sheet" id="broadcasts"><h2>Broadcasts</h2>
${rows.length === 0 ? html`<p class="soft">None yet. <a href="${ADDRESS}/new">Write one</a></p>` : html`<ul class="rows">${rows.map((row) => html`<li class="line"><a href="${ADDRESS}/${row.id}"><bdi>${row.name || '(no name)'}</bdi></a> ${broadcastMark(row)}</li>`)}</ul>`}
${hasMore ? html`<p class="note">The newest ${rows.length} are shown. <a href="${ADDRESS}">All broadcasts</a></p>` : ''}</section>`

/** The colors are those of states of emails. */
export const broadcastMark = ({ status, statusReason }: Pick<AudienceBroadcastRow, 'status' | 'statusReason'>): SafeHtml =>
  status === 'queued' && statusReason !== null
    ? html`<span class="state delayed">waiting</span>`
    : html`<span class="state ${COLOURS[status]}">${WORDS[status]}</span>`

const WORDS: Record<BroadcastStatus, string> = {
  draft: 'draft',
  scheduled: 'scheduled',
  queued: 'being sent',
  paused: 'paused',
  sent: 'sent',
  canceled: 'canceled',
}

const COLOURS: Record<BroadcastStatus, string> = {
  draft: 'pending',
  scheduled: 'scheduled',
  queued: 'sent',
  paused: 'delayed',
  sent: 'delivered',
  canceled: 'canceled',
}
