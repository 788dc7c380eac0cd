// The queue of all teams by lane, what is paused, and where mail servers ask for less.
import { html, type SafeHtml } from '@remix-run/html-template'
import { timeElement } from '../../http/pages/document.ts'
import { OPERATION } from '../../http/pages/paths.ts'
import { covers, type QueuePart, WHOLE_QUEUE } from '../../modules/delivery/lanes.ts'
import type { PaceRow } from '../../modules/delivery/pace/destination-paces.repository.ts'
import type { QueuePauseRow } from '../../modules/delivery/queue/queue-pauses.repository.ts'
import type { QueueLine, QueueLines } from '../../modules/delivery/queue/queue-view.repository.ts'
import { type FormProblem, problemNote } from '../shell/form-problem.ts'
import { fragmentVersion } from '../shell/fragments.ts'
import { operatorPage } from './operator-page.ts'

export type QueueView = {
  now: Date
  queue: QueueLines
  pauses: QueuePauseRow[]
  paces: PaceRow[]
  workerCount: number
  /** Keyed by the id of the team. */
  teamNames: ReadonlyMap<string, string>
  problem: FormProblem | null
  note: string
}

export const queuePage = (view: QueueView): string =>
  operatorPage({
    place: 'Queue',
    main: html`<div class="head"><h1>Queue</h1><p class="note" role="status">${view.note}</p></div>
${problemNote(view.problem, [])}
<div id="queue"${view.problem === null ? html` data-live="${OPERATION}/queue" data-version="${fragmentVersion(queueFragment(view))}"` : ''}>${queueFragment(view)}</div>`,
  })

/** The parts that change while the page is open, with the ids that they have there. */
export const queueFragment = (
  view: QueueView,
): SafeHtml => html`<div id="lanes">${view.workerCount === 0 ? html`<p class="wrong">No worker is running: nothing is sent.</p>` : ''}
${lanes(view)}</div>
<div id="paused">${pauses(view)}</div>
<div id="paces">${paces(view)}</div>`

function lanes(view: QueueView): SafeHtml {
  const { lines, laneCount, total, isBounded } = view.queue
  if (laneCount === 0) return html`<p class="sheet">The queue is empty.</p>${pauseAll(view)}`
  return html`<p>${isBounded ? 'At least ' : ''}${grouped(total.ready)} ready, ${grouped(total.waiting)} waiting, ${grouped(total.leased)} leased, ${grouped(total.parked)} parked${laneCount > lines.length ? `; the longest ${lines.length} of ${grouped(laneCount)} lanes are shown` : ''}.</p>
<table class="sheet list lanes"><thead><tr>
<th scope="col">Lane</th><th scope="col">Ready</th><th scope="col">Waiting</th><th scope="col">Leased</th><th scope="col">Parked</th><td></td>
</tr></thead><tbody>${lines.map((line) => lane(line, view))}</tbody></table>${pauseAll(view)}`
}

function lane(line: QueueLine, { pauses, teamNames, now }: QueueView): SafeHtml {
  const isPaused = pauses.some((pause) => covers(pause, line))
  return html`<tr><th scope="row"><bdi>${line.destination}</bdi>${isPaused ? html` <span class="state delayed">paused</span>` : ''}
<div class="soft">${line.class}, <bdi>${teamNames.get(line.teamId) ?? line.teamId}</bdi></div></th>
${count('ready', line.ready)}
${count('waiting', line.waiting, line.nextDueAt === null ? html`` : html`<div class="soft">next ${timeElement(line.nextDueAt, now)}</div>`)}
${count('leased', line.leased)}
${count('parked', line.parked)}
<td>${isPaused ? '' : partForm('pause', line, `Pause ${line.class} mail to ${line.destination}`)}</td></tr>`
}

const count = (name: string, value: number, more: SafeHtml = html``): SafeHtml =>
  html`<td><span class="only-slim">${name} </span>${grouped(value)}${more}</td>`

const pauseAll = ({ pauses }: QueueView): SafeHtml =>
  pauses.some((pause) => pause.backupAt === null && covers(pause, WHOLE_QUEUE))
    ? html``
    : html`<details id="pause-all"><summary>Pause the whole queue</summary><p class="note">No mail of any team is sent until you resume it. It is accepted and kept.</p>
<form method="post" action="${OPERATION}/pause"><input type="hidden" name="all" value="yes"><button class="danger">Pause the mail of all teams</button></form></details>`

const pauses = ({ pauses: rows, teamNames, now }: QueueView): SafeHtml =>
  rows.length === 0
    ? html``
    : html`<section class="sheet" aria-labelledby="pauses"><h2 id="pauses">Paused</h2><p class="note">Mail for these parts is accepted and kept.</p>
<ul class="rows">${rows.map((pause) => html`<li class="line"><span>${shownPart(pause, teamNames)} <span class="soft">since ${timeElement(pause.createdAt, now)}${restored(pause, now)}</span></span> ${resumeForm(pause, rows, partWords(pause, teamNames))}</li>`)}</ul></section>`

const restored = ({ backupAt }: QueuePauseRow, now: Date): SafeHtml =>
  backupAt === null
    ? html``
    : html`, because it was restored from a backup of ${timeElement(backupAt, now)}. Webhooks, broadcasts and automations rest too.`

/** A part is resumed with all that lies in it, which the button says. The hold of a restore is ended alone, and before any other pause of the whole queue. */
function resumeForm(pause: QueuePauseRow, rows: QueuePauseRow[], words: string): SafeHtml {
  const isHold = covers(pause, WHOLE_QUEUE) && rows.some(({ backupAt }) => backupAt !== null)
  const within = isHold ? 0 : rows.filter((row) => row.id !== pause.id && isWithin(row, pause)).length
  return partForm(
    'resume',
    pause,
    `Resume ${words}`,
    within === 0 ? 'Resume' : `Resume, with ${within} ${within === 1 ? 'part' : 'parts'} of it`,
  )
}

const isWithin = (one: QueuePart, whole: QueuePart): boolean =>
  (['class', 'teamId', 'destination'] as const).every((name) => whole[name] === null || whole[name] === one[name])

/** The name of a team must not turn the words beside it. */
function shownPart(part: QueuePart, teamNames: ReadonlyMap<string, string>): SafeHtml {
  const { class: kind, teamId, destination } = part
  if ((kind ?? teamId ?? destination) === null) return html`the whole queue`
  return html`${kind === null ? '' : `${kind} mail `}${teamId === null ? '' : html`of <bdi>${teamNames.get(teamId) ?? teamId}</bdi> `}${destination === null ? '' : html`to <bdi>${destination}</bdi>`}`
}

/** Says the same in a label; the whole queue if it names nothing. */
function partWords({ class: kind, teamId, destination }: QueuePart, teamNames: ReadonlyMap<string, string>): string {
  const words = [kind && `${kind} mail`, teamId && `of ${teamNames.get(teamId) ?? teamId}`, destination && `to ${destination}`]
  return words.filter((word) => word !== null && word !== '').join(' ') || 'the whole queue'
}

const partForm = (
  act: 'pause' | 'resume',
  { class: kind, teamId, destination }: QueuePart,
  label: string,
  text = act === 'pause' ? 'Pause' : 'Resume',
): SafeHtml =>
  html`<form method="post" action="${OPERATION}/${act}">
<input type="hidden" name="class" value="${kind ?? ''}"><input type="hidden" name="team" value="${teamId ?? ''}"><input type="hidden" name="destination" value="${destination ?? ''}"><input type="hidden" name="all" value="${(kind ?? teamId ?? destination) ? '' : 'yes'}">
<button class="quiet" aria-label="${text.startsWith('Resume,') ? text.replace('Resume', label) : label}">${text}</button></form>`

const paces = ({ paces: rows, now }: QueueView): SafeHtml =>
  rows.length === 0
    ? html``
    : html`<table class="sheet list"><thead><tr><th scope="col">Mail servers</th><th scope="col">Connections</th><th scope="col">Pace</th><th scope="col">Changed</th></tr></thead>
<tbody>${rows.map((row) => pace(row, now))}</tbody></table>`

function pace({ key, pace: { connections, pausedUntilMs, pauseCount }, updatedAt }: PaceRow, now: Date): SafeHtml {
  const isBackingOff = pausedUntilMs !== null && pausedUntilMs > now.getTime()
  return html`<tr><th scope="row"><bdi>${key}</bdi></th><td><span class="only-slim">connections </span>${connections.toFixed(1)}</td>
<td>${isBackingOff ? html`<span class="state delayed">backing off</span><div class="soft">until ${timeElement(new Date(pausedUntilMs), now)}, pause ${pauseCount} in a row</div>` : html`<span class="state delivered">sending</span>`}</td>
<td class="soft"><span class="only-slim">changed </span>${timeElement(updatedAt, now)}</td></tr>`
}

const grouped = (value: number): string => value.toLocaleString('en')
