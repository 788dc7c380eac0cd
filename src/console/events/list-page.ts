// The events of a team, and the form that creates one.
import { html, type SafeHtml } from '@remix-run/html-template'
import { timeElement } from '../../http/pages/document.ts'
import type { Page } from '../../lib/validation/common.schema.ts'
import type { EventRow } from '../../modules/events/events.repository.ts'
import { consolePage } from '../shell/console-page.ts'
import { type FormProblem, problemNote } from '../shell/form-problem.ts'
import { lineText } from '../shell/line-text.ts'
import { pager } from '../shell/pager.ts'
import { nameField, schemaField, TEXT_FIELDS } from './event-fields.ts'
import type { EventForm } from './event-forms.ts'
import { ADDRESS, eventAddress, schemaWords } from './event-words.ts'

export type EventListView = {
  teamName: string
  now: Date
  page: Page<EventRow>
  /** The id after which this page begins; null if it is the first page. */
  after: string | null
  /** What was typed. */
  form: EventForm
  problem: FormProblem | null
  /** What was done last, in a sentence. */
  note: string
}

export function eventListPage({ teamName, now, page, after, form, problem, note }: EventListView): string {
  const isEmpty = page.rows.length === 0
  return consolePage({
    title: 'Events',
    section: ADDRESS,
    teamName,
    main: html`<div class="head"><h1>Events</h1><p class="note" role="status">${note}</p></div>
${isEmpty && after === null ? NOTHING_YET : ''}
<details class="sheet" id="add"${problem !== null || (isEmpty && after === null) ? html` open` : ''}><summary><h2>Create an event</h2></summary>
<form class="fields" method="post" action="${ADDRESS}">
${problemNote(problem, TEXT_FIELDS)}
${nameField(form.name ?? '', problem)}
${schemaField(form.schema ?? '', problem)}
<div><button>Create the event</button></div>
</form></details>
${isEmpty ? (after === null ? '' : html`<p class="sheet">There are no older events.</p>`) : table(page.rows, now)}
${pager(page, { address: ADDRESS, after })}`,
  })
}

const NOTHING_YET = html`<section class="sheet"><h2>No events yet</h2>
<p>An event is something that a contact does elsewhere, such as an order. Programs of yours send it, and automations begin with it or wait for it. Create one here to check its payload.</p></section>`

const table = (rows: EventRow[], now: Date): SafeHtml => html`<table class="sheet list"><thead><tr>
<th scope="col">Name</th><th scope="col">Fields</th><th scope="col">Created</th>
</tr></thead><tbody>${rows.map((row) => line(row, now))}</tbody></table>`

const line = (row: EventRow, now: Date): SafeHtml => html`<tr>
<th scope="row"><a href="${eventAddress(row)}"><bdi>${row.name}</bdi></a></th>
<td class="soft event-fields"><span class="only-slim">fields: </span><bdi>${lineText(schemaWords(row))}</bdi></td>
<td class="soft"><span class="only-slim">created </span>${timeElement(row.createdAt, now)}</td></tr>`
