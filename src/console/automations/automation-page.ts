// One automation: its graph with what its runs did, how it is set, and its newest runs.
import { html, type SafeHtml } from '@remix-run/html-template'
import { timeElement } from '../../http/pages/document.ts'
import type { Page } from '../../lib/validation/common.schema.ts'
import type { AutomationRow } from '../../modules/automations/automations.repository.ts'
import type { AutomationRunSummaryRow, RunCounts, StepCount } from '../../modules/automations/runs/run-records.repository.ts'
import { followedCounts } from '../../modules/automations/runs/run-steps.ts'
import { consolePage } from '../shell/console-page.ts'
import { pager } from '../shell/pager.ts'
import type { AutomationRelations } from './automation-relations.ts'
import { ADDRESS, automationAddress, automationMark, runAddress, stateMark } from './automation-words.ts'
import { AUTOMATIONS_STYLE } from './automations-style.ts'
import { drawGraph } from './graph-drawing.ts'
import { runCountWords } from './run-count-words.ts'

export type AutomationView = AutomationRelations & {
  teamName: string
  now: Date
  automation: AutomationRow
  counts: RunCounts
  steps: StepCount[]
  runs: Page<AutomationRunSummaryRow>
  after: string | null
}

export function automationPage(view: AutomationView): string {
  const { automation, teamName, counts, runs, after, now } = view
  return consolePage({
    title: automation.name,
    section: ADDRESS,
    teamName,
    files: [AUTOMATIONS_STYLE],
    main: html`<div class="head"><p><a href="${ADDRESS}">← All automations</a></p></div>
<article class="sheet parts"><h1>${automation.name}</h1><p>${automationMark(automation.status)} <span class="soft">runs: ${runCountWords(counts)}</span></p>
<p class="note">Runs that have ended are counted among the newest 1,000.</p>
${automation.heldAt === null ? '' : html`<p class="wrong">A contact started it so often that further runs were not made: ${timeElement(automation.heldAt, now)}, ${automation.heldContactId === null ? '' : html`<a href="/console/contacts/${automation.heldContactId}">the contact</a>`}.</p>`}</article>
<section class="sheet parts"><h2>Steps</h2>${drawingOf(view)}<p class="note">Beside each connection: how many of the newest 1,000 runs with these steps have followed it.</p></section>
${facts(view)}
<div class="head"><h2>Runs</h2></div>
${runs.rows.length > 0 ? table(view) : html`<p class="sheet">${after === null ? 'No runs yet.' : 'There are no older runs.'}</p>`}
${pager(runs, { address: automationAddress(automation), after })}`,
  })
}

function drawingOf({ automation: { graph }, steps }: AutomationView): SafeHtml {
  const counts = followedCounts(graph, steps).map((count) => count.toLocaleString('en'))
  return drawGraph({ graph, title: 'The steps of the automation', counts, followed: [], stateOf: () => '' })
}

const facts = ({
  automation,
  eventName,
  eventId,
  templates,
  now,
}: AutomationView): SafeHtml => html`<section class="sheet"><h2>Settings</h2>
<dl><dt>Event</dt><dd>${eventId === null ? html`<bdi>${eventName}</bdi>` : html`<a href="/console/events/${eventId}"><bdi>${eventName}</bdi></a>`}</dd>
${templates.length === 0 ? '' : html`<dt>Templates</dt><dd>${templates.map(({ id, name }) => html`<div><a href="/console/templates/${id}"><bdi>${name || '(no name)'}</bdi></a></div>`)}</dd>`}
<dt>Emails</dt><dd>${automation.class}</dd>
<dt>Runs again</dt><dd>${REENTRIES[automation.reentry]}</dd>
${automation.maxRunsPerContact === null ? '' : html`<dt>At most</dt><dd>${automation.maxRunsPerContact.toLocaleString('en')} runs for each contact</dd>`}
<dt>Created</dt><dd>${timeElement(automation.createdAt, now)}</dd>
<dt>Changed</dt><dd>${timeElement(automation.updatedAt, now)}</dd>
<dt>Id</dt><dd class="code">${automation.id}</dd></dl></section>`

const REENTRIES: Record<AutomationRow['reentry'], string> = {
  always: 'whenever its event is sent',
  once: 'never for the same contact',
  not_while_running: 'unless a run of the contact is running',
}

const table = ({ automation, runs, now }: AutomationView): SafeHtml => html`<table class="sheet list"><thead><tr>
<th scope="col">Contact</th><th scope="col">State</th><th scope="col">Started</th><th scope="col">Ended</th>
</tr></thead><tbody>${runs.rows.map(
  (
    run,
  ) => html`<tr><th scope="row"><a href="${runAddress(automation, run)}">${run.contactId}</a>${run.reason === null ? '' : html`<div class="soft">${run.reason}</div>`}</th>
<td>${stateMark(run.status)}</td><td class="soft"><span class="only-slim">started </span>${timeElement(run.startedAt, now)}</td>
<td class="soft">${run.completedAt === null ? '' : html`<span class="only-slim">ended </span>${timeElement(run.completedAt, now)}`}</td></tr>`,
)}</tbody></table>`
