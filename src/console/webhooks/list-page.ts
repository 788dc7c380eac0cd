// The webhooks of a team with their health, and the form that creates one.
import { html, type SafeHtml } from '@remix-run/html-template'
import { timeElement } from '../../http/pages/document.ts'
import type { WebhookRow } from '../../modules/webhooks/webhooks.repository.ts'
import { consolePage } from '../shell/console-page.ts'
import { formIdField } from '../shell/form-ids.ts'
import { type FormProblem, problemNote } from '../shell/form-problem.ts'
import { lineText } from '../shell/line-text.ts'
import { TEXT_FIELDS, webhookFields } from './webhook-fields.ts'
import type { WebhookForm } from './webhook-forms.ts'
import { ADDRESS, webhookAddress, webhookMark, webhookName } from './webhook-words.ts'
import { WEBHOOK_FILES } from './webhooks-style.ts'

export type WebhookListView = {
  teamName: string
  now: Date
  rows: WebhookRow[]
  /** What was typed, or the defaults. */
  form: WebhookForm
  formId: string
  problem: FormProblem | null
  /** What was done last, in a sentence. */
  note: string
}

export function webhookListPage({ teamName, now, rows, form, formId, problem, note }: WebhookListView): string {
  const isEmpty = rows.length === 0
  return consolePage({
    title: 'Webhooks',
    section: ADDRESS,
    teamName,
    files: WEBHOOK_FILES,
    main: html`<div class="head"><h1>Webhooks</h1><p class="note" role="status">${note}</p></div>
${stopped(rows.filter(({ disabledReason }) => disabledReason !== null))}
${isEmpty ? NOTHING_YET : ''}
<details class="sheet" id="add"${problem !== null || isEmpty ? html` open` : ''}><summary><h2>Create a webhook</h2></summary>
<form class="fields" method="post" action="${ADDRESS}">
${problemNote(problem, TEXT_FIELDS)}
${formIdField(formId)}
${webhookFields(form, problem, 'The https URL to which events are sent. Leave it empty to only read the events from the feed.')}
<div><button>Create the webhook</button></div>
</form></details>
${isEmpty ? '' : table(rows, now)}`,
  })
}

const NOTHING_YET = html`<section class="sheet"><h2>No webhooks yet</h2>
<p>A webhook tells a program of yours what happens: that an email was delivered or bounced, that a contact was added.</p></section>`

/** The service alone gives a reason. */
const stopped = (rows: WebhookRow[]): SafeHtml =>
  rows.length === 0
    ? html``
    : html`<section class="sheet stopped" aria-labelledby="stopped"><h2 class="wrong" id="stopped">${rows.length === 1 ? 'A webhook was disabled' : `${rows.length} webhooks were disabled`}</h2>
<ul>${rows.map((row) => html`<li><a href="${webhookAddress(row)}"><bdi>${lineText(webhookName(row))}</bdi></a>: <bdi>${row.disabledReason}</bdi></li>`)}</ul>
<p>Nothing is sent there. Enable it once the endpoint works again; the events that were given up can then be replayed.</p></section>`

const table = (rows: WebhookRow[], now: Date): SafeHtml => html`<table class="sheet list webhooks"><thead><tr>
<th scope="col">Endpoint</th><th scope="col">State</th><th scope="col">Last success</th><th scope="col">Last failure</th>
</tr></thead><tbody>${rows.map((row) => line(row, now))}</tbody></table>`

const line = (row: WebhookRow, now: Date): SafeHtml => html`<tr>
<th scope="row"><a href="${webhookAddress(row)}">${lineText(webhookName(row))}</a><div class="soft">${eventsOf(row)}</div></th>
<td>${webhookMark(row)}${row.failingSince === null ? '' : html`<div class="soft">since ${timeElement(row.failingSince, now)}</div>`}</td>
<td class="soft"><span class="only-slim">last success </span>${row.lastSuccessAt === null ? 'none' : timeElement(row.lastSuccessAt, now)}</td>
<td class="soft"><span class="only-slim">last failure </span>${row.lastFailureAt === null ? 'none' : timeElement(row.lastFailureAt, now)}</td></tr>`

/** More of them are counted. */
const EVENTS_NAMED_MAX = 3

const eventsOf = ({ events }: WebhookRow): string =>
  events.length > EVENTS_NAMED_MAX ? `${events.length} types of event` : events.join(', ')
