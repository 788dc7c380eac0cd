// One event: its schema, what a contact did lately, and how it is changed and deleted.
import { html, type SafeHtml } from '@remix-run/html-template'
import { timeElement } from '../../http/pages/document.ts'
import type { EventRow } from '../../modules/events/events.repository.ts'
import type { SentEventRow } from '../../modules/events/sent-events.repository.ts'
import { consolePage } from '../shell/console-page.ts'
import { type FormProblem, problemNote } from '../shell/form-problem.ts'
import { schemaField, TEXT_FIELDS } from './event-fields.ts'
import { ADDRESS, eventAddress } from './event-words.ts'

/** What a contact did. `isUnknown`: the team has no such contact. */
export type SentByContact = { address: string; isUnknown: boolean; rows: SentEventRow[]; hasMore: boolean }

export type EventView = {
  teamName: string
  now: Date
  event: EventRow
  /** What was typed, or the schema itself. */
  schema: string
  /** Null if no contact was asked for. */
  sent: SentByContact | null
  /** Which it starts. */
  automations: { id: string; name: string }[]
  problem: FormProblem | null
  /** What was done last, in a sentence. */
  note: string
}

export const eventPage = ({ teamName, now, event, schema, sent, automations, problem, note }: EventView): string =>
  consolePage({
    title: event.name,
    section: ADDRESS,
    teamName,
    main: html`<div class="head"><p><a href="${ADDRESS}">← All events</a></p><p class="note" role="status">${note}</p></div>
<article class="sheet parts">
<h1><bdi>${event.name}</bdi></h1>
<dl><dt>Created</dt><dd>${timeElement(event.createdAt, now)}</dd>
${event.updatedAt === null ? '' : html`<dt>Changed</dt><dd>${timeElement(event.updatedAt, now)}</dd>`}
${automations.length === 0 ? '' : html`<dt>Starts</dt><dd>${automations.map(({ id, name }) => html`<div><a href="/console/automations/${id}"><bdi>${name}</bdi></a></div>`)}</dd>`}
<dt>Id</dt><dd class="code">${event.id}</dd></dl>
<form class="fields" method="post" action="${eventAddress(event)}/schema">
${problemNote(problem, TEXT_FIELDS)}
${schemaField(schema, problem)}
<div><button>Save the fields</button></div>
</form>
<p class="note">What you save applies to payloads that are sent from now on.</p>
</article>
<section class="sheet parts" id="sent"><h2>What a contact did</h2>
<p class="note">Events are kept with their contact.</p>
<form class="search" action="${eventAddress(event)}"><input type="search" name="contact" value="${sent?.address ?? ''}" maxlength="254" placeholder="Address of a contact" aria-label="Address of a contact"> <button class="quiet">Show its events</button></form>
${sent === null ? '' : sentList(sent, now)}</section>
<section class="sheet parts"><h2>Delete</h2>
<p>What was sent under its name is kept. Payloads under this name are no longer checked, and automations that name it still begin and wait.</p>
<details id="delete"><summary>Delete the event…</summary><form method="post" action="${eventAddress(event)}/delete"><button class="danger">Delete it</button></form></details></section>`,
  })

function sentList({ address, isUnknown, rows, hasMore }: SentByContact, now: Date): SafeHtml {
  if (isUnknown) return html`<p role="status"><bdi>${address}</bdi> is not a contact of your team.</p>`
  if (rows.length === 0) return html`<p role="status">Nothing was sent for <bdi>${address}</bdi>.</p>`
  return html`<ol class="rows">${rows.map((row) => sentItem(row, now))}</ol>${hasMore ? html`<p class="note">The newest ${rows.length} are shown.</p>` : ''}`
}

const sentItem = ({ id, name, payload, createdAt }: SentEventRow, now: Date): SafeHtml => html`<li>
<details id="sent-${id}"><summary><span><bdi>${name}</bdi></span> <span class="soft">${timeElement(createdAt, now)}</span></summary>
<pre class="code" tabindex="0" role="region" aria-label="Payload">${JSON.stringify(payload, null, 2)}</pre></details></li>`
