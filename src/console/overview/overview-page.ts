// The first page of the console: today and the last seven days at a glance.
import { html, type SafeHtml } from '@remix-run/html-template'
import { formatRelativeTime, pageFile } from '../../http/pages/document.ts'
import { CONSOLE } from '../../http/pages/paths.ts'
import { readSourceFile } from '../../lib/source-files.ts'
import { periodName } from '../metrics/period-names.ts'
import { consolePage } from '../shell/console-page.ts'
import { COPY_SCRIPT } from '../shell/copyable.ts'
import { fragmentVersion } from '../shell/fragments.ts'
import { attentionList } from './attention-list.ts'
import { dayBars } from './day-bars.ts'
import { firstSteps } from './first-steps.ts'
import type { OVERVIEW_METRICS, OverviewState, OverviewView } from './overview-view.ts'

export const OVERVIEW_FILES = [pageFile('overview', 'css', readSourceFile('overview.css', import.meta)), COPY_SCRIPT]

/** How often it is read while someone looks. A reload of the whole page shows the first steps again. */
export const OVERVIEW_EVERY_MS = 5_000

export const overviewPage = (view: OverviewView): string =>
  consolePage({
    title: 'Overview',
    section: CONSOLE,
    teamName: view.teamName,
    files: OVERVIEW_FILES,
    main: html`<div class="head"><h1>Overview</h1><p class="note" role="status"></p></div>
${firstSteps(view)}
<div id="overview" class="overview" data-live="${CONSOLE}/overview/progress" data-version="${fragmentVersion(overviewFragment(view))}">${parts(view)}</div>`,
  })

/** The part that changes while the page is open, with the id that it has there. */
export const overviewFragment = (state: OverviewState): SafeHtml => html`<div id="overview">${parts(state)}</div>`

const parts = (state: OverviewState): SafeHtml => html`<dl class="tiles">${TILES.map((tile) => tileOf(tile, state))}</dl>
${numbers(state)}
<div class="columns">${attentionList(state)}
${queue(state)}</div>
<p class="note">Days are in UTC. Accepted counts emails, the others count recipients. <a href="/console/metrics">All metrics</a></p>`

/** `emails`: where those that it counts are listed. */
type Tile = { name: string; metric: (typeof OVERVIEW_METRICS)[number]; emails: string }

/** The numbers of the bars, for people who cannot see them. */
const numbers = ({ days }: OverviewState): SafeHtml =>
  html`<details class="sheet" id="numbers"><summary>Show the numbers</summary><div class="scroll" tabindex="0" role="region" aria-label="The numbers of each day"><table class="numbers"><thead><tr><th scope="col">Day</th>${TILES.map(({ name }) => html`<th scope="col">${name}</th>`)}</tr></thead>
<tbody>${days.map(({ name, values }) => html`<tr><th scope="row">${periodName(name, 'daily').name}</th>${TILES.map(({ metric }) => html`<td>${grouped(values[metric] ?? 0)}</td>`)}</tr>`)}</tbody></table></div></details>`

const TILES: Tile[] = [
  { name: 'Accepted', metric: 'received', emails: '/console/emails' },
  { name: 'Delivered', metric: 'delivered', emails: '/console/emails?state=delivered' },
  { name: 'Bounced', metric: 'bounced', emails: '/console/emails?state=bounced' },
  { name: 'Complained', metric: 'complained', emails: '/console/emails?state=complained' },
]

function tileOf({ name, metric, emails }: Tile, { days }: OverviewState): SafeHtml {
  const bars = days.map((day) => ({ name: periodName(day.name, 'daily').short, value: day.values[metric] ?? 0 }))
  const total = bars.reduce((sum, { value }) => sum + value, 0)
  return html`<div class="sheet tile ${metric}"><dt><a href="${emails}">${name}</a></dt><dd><b>${grouped(bars.at(-1)?.value ?? 0)}</b> <span class="soft">today</span></dd>
<dd class="soft">${grouped(total)} in 7 days</dd><dd>${dayBars({ title: name, days: bars })}</dd></div>`
}

function queue({ queue: { lines, total, oldestDueAt, isBounded }, now }: OverviewState): SafeHtml {
  const count = total.ready + total.waiting + total.leased + total.parked
  return html`<section class="sheet" aria-labelledby="queue"><h2 id="queue">Queue</h2>
${
  count === 0
    ? html`<p class="soft">${isBounded ? 'None of your mail is among the next to be sent.' : 'Nothing waits to be sent.'}</p>`
    : html`<p>${isBounded ? 'At least ' : ''}<b>${grouped(count)}</b> ${count === 1 ? 'delivery' : 'deliveries'}: ${wordsOf(total)}.${oldestDueAt === null || oldestDueAt > now ? '' : ` The oldest was due ${formatRelativeTime(oldestDueAt, now)}.`}</p>
<table class="numbers"><thead><tr><th scope="col">Destination</th><th scope="col">Waiting</th></tr></thead><tbody>${lines.map(({ destination, count: waiting }) => html`<tr><th scope="row" title="${destination}"><bdi>${destination}</bdi></th><td>${grouped(waiting)}</td></tr>`)}</tbody></table>`
}</section>`
}

const wordsOf = (total: OverviewState['queue']['total']): string =>
  (
    [
      ['ready', 'due now'],
      ['leased', 'being sent'],
      ['waiting', 'due later'],
      ['parked', 'paused by the operator'],
    ] as const
  )
    .flatMap(([state, words]) => (total[state] === 0 ? [] : [`${grouped(total[state])} ${words}`]))
    .join(', ')

const grouped = (value: number): string => value.toLocaleString('en')
