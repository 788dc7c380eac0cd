// A webhook with what it was told, and the forms that send something to it.
import { html, type SafeHtml } from '@remix-run/html-template'
import { timeElement } from '../../http/pages/document.ts'
import type { Page } from '../../lib/validation/common.schema.ts'
import type { WebhookEventRow } from '../../modules/webhooks/events/webhook-events.repository.ts'
import { WEBHOOK_EVENT_STATUSES, type WebhookEventStatus, webhookEventId } from '../../modules/webhooks/events/webhook-events.schema.ts'
import type { WebhookRow } from '../../modules/webhooks/webhooks.repository.ts'
import { isWebhookEventType } from '../../modules/webhooks/webhooks.schema.ts'
import { formIdField } from '../shell/form-ids.ts'
import { type FormProblem, problemNote } from '../shell/form-problem.ts'
import { pager } from '../shell/pager.ts'
import { REPLAY_SPANS } from './replay-spans.ts'
import { typeOptions } from './webhook-fields.ts'
import { type WebhookView, webhookFrame } from './webhook-frame.ts'
import { eventMark, STATUS_WORDS, webhookAddress } from './webhook-words.ts'

export type WebhookEventsView = WebhookView & {
  /** Which events are shown; empty: all. */
  status: WebhookEventStatus | ''
  page: Page<WebhookEventRow>
  /** The id after which this page begins; null if it is the first page. */
  after: string | null
  formId: string
  /** Which form was refused, and why. */
  refused: { form: 'test' | 'replay'; problem: FormProblem } | null
}

export function webhookPage(view: WebhookEventsView): string {
  const { webhook, status, page, after, now } = view
  const address = webhookAddress(webhook)
  return webhookFrame(
    view,
    '',
    html`${sendForms(view)}
<div class="head"><h2>${status === '' ? 'Events' : `Events: ${STATUS_WORDS[status]}`}</h2>${filter(address, status)}</div>
${page.rows.length === 0 ? html`<p class="sheet">${nothing(view)}</p>` : table(page.rows, webhook, now)}
${pager(page, { address, after, sought: status === '' ? {} : { status } })}`,
  )
}

/** Nothing is sent to a webhook that is disabled, and only a sample gets into the feed of one that has no endpoint. */
function sendForms({ webhook, formId, refused }: WebhookEventsView): SafeHtml {
  if (webhook.status === 'disabled' && refused === null) return html``
  const problemOf = (form: 'test' | 'replay') => (refused?.form === form ? refused.problem : null)
  const replay = problemOf('replay')
  return html`${sampleForm(webhook, { formId, problem: problemOf('test') })}
${webhook.endpoint === null && replay === null ? '' : replayForm(webhookAddress(webhook), replay)}`
}

const sampleForm = (
  webhook: WebhookEventsView['webhook'],
  { formId, problem }: { formId: string; problem: FormProblem | null },
): SafeHtml =>
  html`<details class="sheet" id="test"${problem === null ? '' : OPEN}><summary><h2>Send a sample</h2></summary>
<form class="fields" method="post" action="${webhookAddress(webhook)}/test">${problemNote(problem, [])}${formIdField(formId)}
<div><label for="type">Event</label><select id="type" name="type" aria-describedby="type-hint">${typeOptions(webhook.events.find(isWebhookEventType) ?? 'email.delivered')}</select>
<p class="note" id="type-hint">${webhook.endpoint === null ? 'It gets into the feed' : 'It is signed like real ones, not retried'}, and says <code>"test": true</code>.</p></div>
<div><button>Send the sample</button></div></form></details>`

const replayForm = (address: string, problem: FormProblem | null): SafeHtml =>
  html`<details class="sheet" id="replay"${problem === null ? '' : OPEN}><summary><h2>Replay what failed</h2></summary>
<form class="fields" method="post" action="${address}/replay">${problemNote(problem, [])}
<div><label for="since">Given up</label><select id="since" name="since" aria-describedby="since-hint">${Object.entries(REPLAY_SPANS).map(([key, { name }]) => html`<option value="${key}">${name}</option>`)}</select>
<p class="note" id="since-hint">These events are queued again, oldest first, and retried like new ones.</p></div>
<div><button>Replay them</button></div></form></details>`

const OPEN = html` open`

const filter = (address: string, status: WebhookEventStatus | ''): SafeHtml => html`<form class="search" action="${address}">
<select name="status" aria-label="State"><option value="">Any state</option>${WEBHOOK_EVENT_STATUSES.map((one) => html`<option value="${one}"${one === status ? html` selected` : ''}>${STATUS_WORDS[one]}</option>`)}</select>
<button class="quiet">Show</button></form>`

function nothing({ webhook, status, after }: WebhookEventsView): SafeHtml {
  if (after !== null) return html`There are no older events.`
  return status === ''
    ? html`Nothing has happened yet that this webhook asks for.`
    : html`No event is in this state. <a href="${webhookAddress(webhook)}">Show all</a>`
}

const table = (rows: WebhookEventRow[], webhook: WebhookRow, now: Date): SafeHtml => html`<table class="sheet list events"><thead><tr>
<th scope="col">Event</th><th scope="col">State</th><th scope="col">Happened</th>
</tr></thead><tbody>${rows.map((row) => line(row, webhook, now))}</tbody></table>`

const line = (row: WebhookEventRow, webhook: WebhookRow, now: Date): SafeHtml => html`<tr>
<th scope="row"><a href="${webhookAddress(webhook)}/events/${webhookEventId(row.id)}">${row.type}</a>${row.isTest ? html` <span class="tag">sample</span>` : ''}</th>
<td>${eventMark(row, webhook)}</td><td class="soft">${timeElement(row.createdAt, now)}</td></tr>`
