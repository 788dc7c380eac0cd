// What became of an email: its state, its recipients with their attempts, and its timeline. An open page requests both parts again.
import { html, type SafeHtml } from '@remix-run/html-template'
import { timeElement } from '../../http/pages/document.ts'
import type { CapturedAttemptRow, CapturedPendingRow, CapturedRecipientRow } from '../../modules/emails/captured-emails.repository.ts'
import { isTroubled } from '../../modules/emails/email-states.ts'
import type { NotificationRow } from '../../modules/emails/email-timeline.repository.ts'
import { webhookEventId } from '../../modules/webhooks/events/webhook-events.schema.ts'
import { stateMark } from '../shell/state-marks.ts'
import { answerWords, detailSentence, detailWords, readerActWords, shownAnswer } from './detail-words.ts'
import { emailStanding, type Progress } from './email-standing.ts'
import type { ToldWebhook } from './relations.repository.ts'

/** The parts of the page, with the ids that they have there. */
export const progressFragment = (progress: Progress): SafeHtml =>
  html`<div id="standing">${emailStanding(progress)}</div><div id="progress">${progressSections(progress)}</div>`

export const progressSections = ({ lastEvent, recipients, attempts, pending, notifications, told, now }: Progress): SafeHtml => {
  const isOpen = recipients.length <= RECIPIENTS_OPEN_MAX
  const rows = recipients.toSorted(byTrouble).map((recipient) => {
    const { id } = recipient
    const state = OF_THE_WHOLE.has(lastEvent) ? lastEvent : recipient.state
    const tries = attempts.filter(({ recipientId }) => recipientId === id)
    const next = pending.find(({ recipientId }) => recipientId === id)
    return recipientRow({ ...recipient, state }, { tries, next, isOpen, now })
  })
  return html`<section class="sheet"><h2>Recipients</h2>
<div class="scroll" tabindex="0" role="region" aria-label="Recipients"><table class="recipients"><thead><tr><th scope="col">Address</th><th scope="col">State</th><th scope="col">Tries</th></tr></thead>
<tbody>${rows}</tbody></table></div></section>
<section class="sheet"><h2>Timeline</h2>
<ol class="rows" aria-label="Timeline">${notifications.map((one) => notificationLine(one, told, now))}</ol></section>`
}

/** In these states of the whole email, its recipients are as they were accepted. */
const OF_THE_WHOLE = new Set(['scheduled', 'canceled'])

/** Recipients with a problem first; otherwise in the order in which they were given. */
const byTrouble = (a: CapturedRecipientRow, b: CapturedRecipientRow): number => Number(isTroubled(b.state)) - Number(isTroubled(a.state))

/** If there are more, each has one line that opens on request. */
const RECIPIENTS_OPEN_MAX = 5

type RecipientProgress = { tries: CapturedAttemptRow[]; next: CapturedPendingRow | undefined; isOpen: boolean; now: Date }

const recipientRow = ({ id, address, state }: CapturedRecipientRow, { tries, next, isOpen, now }: RecipientProgress): SafeHtml => html`<tr>
<td><bdi>${address}</bdi></td><td>${stateMark(state)}</td>
<td>${tries.length === 0 ? html`<span class="soft">${state === 'queued' || state === 'scheduled' ? 'Not tried yet.' : 'Not tried.'}</span>` : triesOf(id, { tries, next, isOpen, now })}</td></tr>`

function triesOf(recipientId: string, { tries, next, isOpen, now }: RecipientProgress): SafeHtml {
  const [last] = tries
  const count = tries.length === 1 ? '1 try' : `${tries.length} tries`
  const open = isOpen ? html` open` : ''
  const nextTry = next?.dueAt && !next.isRunning ? html`<p class="soft">Next try ${timeElement(next.dueAt, now)}.</p>` : ''
  return html`<details id="tries-${recipientId}"${open}><summary>${count}<span class="soft">${last && answerWords(last) ? html`: ${shownAnswer(last)}` : ''}</span></summary>
${nextTry}${tries.map((one) => attemptLine(one, now))}</details>`
}

function attemptLine(attempt: CapturedAttemptRow, now: Date): SafeHtml {
  const { number, outcome, host, tls, durationMs, startedAt } = attempt
  const place = host === null ? html`${tls ?? ''}` : html`<bdi>${host}</bdi>${tls === null ? '' : `, ${tls}`}`
  const isPlaced = host !== null || tls !== null
  return html`<p class="soft">Attempt ${number}, ${timeElement(startedAt, now)}: ${outcome ?? 'running'}${isPlaced ? html` at ${place}` : ''}${durationMs === null ? '' : ` in ${durationMs} ms`}${answerWords(attempt) === '' ? '' : html`. ${shownAnswer(attempt)}`}</p>`
}

function notificationLine({ id, type, data, createdAt }: NotificationRow, told: ToldWebhook[], now: Date): SafeHtml {
  return html`<li><div class="line"><strong>${type.replace('email.', '').replaceAll('_', ' ')}</strong><span class="soft">${timeElement(createdAt, now)}</span></div>
${data.to.length > 0 ? html`<p class="soft">${data.to.join(', ')}</p>` : ''}${data.detail ? html`<p class="soft">${detailOf(data.detail, now)}</p>` : ''}${told.filter(({ messageId }) => messageId === id).map(toldLine)}</li>`
}

const toldLine = ({ webhookId, messageId, endpoint }: ToldWebhook): SafeHtml =>
  html`<p class="soft">webhook: <a href="/console/webhooks/${webhookId}/events/${webhookEventId(messageId)}"><bdi>${endpoint ?? 'Feed only'}</bdi></a></p>`

/** When it is due, or what was said. A detail without a sentence is shown as names and values. */
function detailOf(detail: Record<string, unknown>, now: Date): SafeHtml {
  if (typeof detail.scheduled_at === 'string') return html`for ${timeElement(new Date(detail.scheduled_at), now)}`
  if (typeof detail.is_machine === 'boolean') return html`${readerActWords(detail)}`
  return html`${detailSentence(detail) ?? detailWords(detail)}`
}
