// One run: the graph with the way that the contact took, and what became of each step.
import { html, type SafeHtml } from '@remix-run/html-template'
import { timeElement } from '../../http/pages/document.ts'
import type { AutomationRow } from '../../modules/automations/automations.repository.ts'
import type { Graph } from '../../modules/automations/graph/graph.ts'
import type { AutomationRunRow } from '../../modules/automations/runs/run-records.repository.ts'
import { isFollowed, leftStep, type ShownStep } from '../../modules/automations/runs/run-steps.ts'
import { consolePage } from '../shell/console-page.ts'
import { ADDRESS, automationAddress, STEP_NAMES, stateMark } from './automation-words.ts'
import { AUTOMATIONS_STYLE } from './automations-style.ts'
import { drawGraph } from './graph-drawing.ts'

export type RunView = {
  teamName: string
  now: Date
  automation: AutomationRow
  run: AutomationRunRow
  /** The one with which it started. */
  graph: Graph
  steps: ShownStep[]
}

export const runPage = (view: RunView): string =>
  consolePage({
    title: `Run of ${view.automation.name}`,
    section: ADDRESS,
    teamName: view.teamName,
    files: [AUTOMATIONS_STYLE],
    main: html`<div class="head"><p><a href="${automationAddress(view.automation)}">← ${view.automation.name}</a></p></div>
${standing(view)}
<section class="sheet parts"><h2>Path</h2>${drawingOf(view)}</section>
${table(view)}`,
  })

const standing = ({ run, now }: RunView): SafeHtml => html`<article class="sheet parts"><h1>Run</h1><p>${stateMark(run.status)}</p>
${run.reason === null ? '' : html`<p class="wrong">${run.reason}</p>`}
<dl><dt>Contact</dt><dd class="code"><a href="/console/contacts/${run.contactId}">${run.contactId}</a></dd><dt>Event</dt><dd>${run.eventName}</dd><dt>Started</dt><dd>${timeElement(run.startedAt, now)}</dd>
${run.completedAt === null ? '' : html`<dt>Ended</dt><dd>${timeElement(run.completedAt, now)}</dd>`}
<dt>Id</dt><dd class="code">${run.id}</dd></dl></article>`

function drawingOf({ graph, steps }: RunView): SafeHtml {
  const byKey = new Map(steps.map((shown) => [shown.step.key, shown]))
  const followed = graph.connections.map((connection) => {
    const from = byKey.get(connection.from)
    return from?.reached != null && isFollowed(connection, from.step.type, leftStep(from.reached))
  })
  return drawGraph({
    graph,
    title: 'The path of the run through the steps',
    counts: [],
    followed,
    stateOf: ({ key }) => byKey.get(key)?.status ?? '',
  })
}

const table = ({ steps, now }: RunView): SafeHtml => html`<table class="sheet list results"><thead><tr>
<th scope="col">Step</th><th scope="col">State</th><th scope="col">Began</th><th scope="col">Ended</th><th scope="col">Result</th>
</tr></thead><tbody>${steps.map((shown) => line(shown, now))}</tbody></table>`

const line = ({ step, status, reached }: ShownStep, now: Date): SafeHtml => html`<tr>
<th scope="row">${step.key}<div class="soft">${STEP_NAMES[step.type]}</div></th><td>${stateMark(status)}</td>
<td class="soft">${time(reached?.startedAt ?? null, 'began', now)}</td><td class="soft">${time(reached?.completedAt ?? null, 'ended', now)}</td>
<td>${reached?.error == null ? '' : html`<p class="wrong">${reached.error}</p>`}${outputOf(reached?.output ?? null)}${waitsUntil(reached, now)}</td></tr>`

const time = (text: string | null, word: string, now: Date): SafeHtml =>
  text === null ? html`` : html`<span class="only-slim">${word} </span>${timeElement(new Date(text), now)}`

const outputOf = (output: Record<string, unknown> | null): SafeHtml =>
  output === null || Object.keys(output).length === 0
    ? html``
    : html`<pre class="code" dir="auto">${JSON.stringify(output, null, 1)}</pre>${typeof output.email_id === 'string' ? html`<a href="/console/emails/${output.email_id}">The email</a>` : ''}`

const waitsUntil = (reached: ShownStep['reached'], now: Date): SafeHtml =>
  reached?.status === 'waiting' && reached.until !== null
    ? html`<span class="soft">until ${timeElement(new Date(reached.until), now)}</span>`
    : html``
