// How many emails were sent, and what became of them.
import { html, type SafeHtml } from '@remix-run/html-template'
import { pageFile } from '../../http/pages/document.ts'
import { readSourceFile } from '../../lib/source-files.ts'
import type { EmailMetric, MetricValues } from '../../modules/metrics/email-metrics.ts'
import { COUNTS_KEPT_DAYS } from '../../modules/metrics/metrics.schema.ts'
import { SPAN_KEYS, SPANS } from '../../modules/metrics/metrics-request.ts'
import { consolePage } from '../shell/console-page.ts'
import { lineText, PART_LENGTH_MAX } from '../shell/line-text.ts'
import { type BarChart, barChart, grouped } from './bar-chart.ts'
import type { MetricsView } from './metrics-view.ts'
import { periodName } from './period-names.ts'

const ADDRESS = '/console/metrics'

export const METRICS_FILES = [
  pageFile('metrics', 'css', readSourceFile('metrics.css', import.meta)),
  pageFile('own-zone', 'js', readSourceFile('own-zone.js', import.meta)),
]

export function metricsPage(view: MetricsView): string {
  const { teamName, totals, byDomain } = view
  const isEmpty = totals.received === 0 && totals.sent === 0 && totals.opened === 0
  return consolePage({
    title: 'Metrics',
    section: ADDRESS,
    teamName,
    files: METRICS_FILES,
    main: html`<div class="head"><h1>Metrics</h1></div>
${choices(view)}
${isEmpty ? NOTHING : ''}
<dl class="tiles">${TILES.map((tile) => tileOf(tile, view))}</dl>
${typeof view.before === 'string' && !isEmpty ? html`<p class="note">${NO_COMPARISON[view.before]}</p>` : ''}
${CHARTS.map((chart) => chartOf(chart, view))}
${byDomain.length === 0 ? '' : domainTable(view)}
<p class="note">Opened and clicked count emails, once when a person first opens or clicks, also if the email has several recipients; all else counts recipients. Programs that open mail are left out as far as they are recognized. A recipient whose mail was delivered and returned later is in both numbers.</p>`,
  })
}

const NOTHING = html`<p class="sheet">No email was sent in this time.</p>`

const NO_COMPARISON = {
  'not kept': `There is no comparison with the period before: numbers are kept for ${COUNTS_KEPT_DAYS} days.`,
  'nothing sent': 'There is no comparison with the period before: nothing was sent in it.',
}

function choices({ span, zone, domainId, domains, hasMoreDomains }: MetricsView): SafeHtml {
  const option = (value: string, name: string, chosen: string) =>
    html`<option${value === name ? '' : html` value="${value}"`}${value === chosen ? html` selected` : ''}>${name}</option>`
  const zones = ['UTC', ...Intl.supportedValuesOf('timeZone').filter((name) => name !== 'UTC')]
  return html`<form class="sheet choices" method="get" action="${ADDRESS}">
<div><label for="span">Time</label><select id="span" name="span">${SPAN_KEYS.map((key) => option(key, SPANS[key].name, span))}</select></div>
<div><label for="zone">Time zone</label><select id="zone" name="zone">${(zones.includes(zone) ? zones : [zone, ...zones]).map((name) => option(name, name, zone))}</select></div>
<div><label for="domain">Domain</label><select id="domain" name="domain">${option('', 'All', domainId ?? '')}${domains.map(({ id, name }) => option(id, lineText(name, PART_LENGTH_MAX), domainId ?? ''))}</select>${hasMoreDomains ? html`<p class="note">The newest. The page of each domain leads to its numbers.</p>` : ''}</div>
<div><button>Show</button></div>
</form>`
}

type Tile = { name: string; count: EmailMetric; rate: EmailMetric | null; of: string; isBad?: boolean }

const TILES: Tile[] = [
  { name: 'Sent', count: 'sent', rate: null, of: '' },
  { name: 'Delivered', count: 'delivered', rate: 'delivery_rate', of: 'of sent' },
  { name: 'Bounced', count: 'bounced', rate: 'bounce_rate', of: 'of sent', isBad: true },
  { name: 'Complained', count: 'complained', rate: 'complaint_rate', of: 'of delivered', isBad: true },
  { name: 'Delayed', count: 'delivery_delayed', rate: null, of: '' },
  { name: 'Suppressed', count: 'suppressed', rate: null, of: '' },
  { name: 'Failed', count: 'failed', rate: null, of: '' },
  { name: 'Opened', count: 'unique_opened', rate: 'open_rate', of: 'of delivered' },
  { name: 'Clicked', count: 'unique_clicked', rate: 'click_rate', of: 'of delivered' },
]

function tileOf({ name, count, rate, of, isBad = false }: Tile, { totals, before }: MetricsView): SafeHtml {
  const change = typeof before === 'string' ? null : changeOf(totals, before, rate ?? count)
  const direction = change === null || change === 0 ? 'same' : change > 0 === isBad ? 'worse' : 'better'
  return html`<div class="sheet tile"><dt>${name}</dt><dd><b>${grouped(totals[count] ?? 0)}</b>
${rate === null ? '' : html` <span class="soft">${percent(totals[rate] ?? 0)} ${of}</span>`}
${change === null ? '' : html`<span class="change ${rate === null ? 'same' : direction}">${changeWords(change, rate !== null)}</span>`}</dd></div>`
}

const changeOf = (now: MetricValues, then: MetricValues, metric: EmailMetric): number =>
  Math.round(((now[metric] ?? 0) - (then[metric] ?? 0)) * 10) / 10

function changeWords(change: number, isRate: boolean): string {
  if (change === 0) return 'same as the period before'
  const amount = isRate ? `${grouped(Math.abs(change))} points` : grouped(Math.abs(change))
  return `${change > 0 ? '+' : '−'}${amount} from the period before`
}

const percent = (rate: number): string => `${rate.toLocaleString('en', { maximumFractionDigits: 1 })} %`

type Chart = { id: string; title: string; series: { name: string; metric: EmailMetric }[] }

const CHARTS: Chart[] = [
  {
    id: 'sending',
    title: 'Sending',
    series: [
      { name: 'Sent', metric: 'sent' },
      { name: 'Delivered', metric: 'delivered' },
    ],
  },
  {
    id: 'reading',
    title: 'Opens and clicks',
    series: [
      { name: 'Opened', metric: 'unique_opened' },
      { name: 'Clicked', metric: 'unique_clicked' },
    ],
  },
  {
    id: 'trouble',
    title: 'Bounces and complaints',
    series: [
      { name: 'Bounced', metric: 'bounced' },
      { name: 'Complained', metric: 'complained' },
    ],
  },
]

function chartOf({ id, title, series }: Chart, { span, periods }: MetricsView): SafeHtml {
  const { granularity, noun } = SPANS[span]
  const chart: BarChart = {
    id,
    title,
    noun,
    series: series.map(({ name, metric }) => ({ name, values: periods.map(({ values }) => values[metric] ?? 0) })),
    periods: periods.map(({ name }) => periodName(name, granularity)),
  }
  return barChart(chart)
}

const DOMAIN_RATES = [
  ['Delivered', 'delivery_rate'],
  ['Bounced', 'bounce_rate'],
  ['Opened', 'open_rate'],
  ['Clicked', 'click_rate'],
] as const

const domainTable = ({
  byDomain,
  otherDomains,
}: MetricsView): SafeHtml => html`<section class="sheet" aria-labelledby="domains"><h2 id="domains">By domain</h2>
<table class="numbers domains"><thead><tr><th scope="col">Domain</th><th scope="col">Sent</th>${DOMAIN_RATES.map(([heading]) => html`<th scope="col">${heading}</th>`)}</tr></thead>
<tbody>${byDomain.map(({ name, values }) => domainRow(name, values))}${otherDomains === null ? '' : domainRow('All others', otherDomains)}</tbody></table></section>`

const domainRow = (
  name: string,
  values: MetricValues,
): SafeHtml => html`<tr><th scope="row">${name}</th><td><span class="only-slim">sent </span>${grouped(values.sent ?? 0)}</td>
${DOMAIN_RATES.map(([heading, rate]) => html`<td><span class="only-slim">${heading.toLowerCase()} </span>${percent(values[rate] ?? 0)}</td>`)}</tr>`
