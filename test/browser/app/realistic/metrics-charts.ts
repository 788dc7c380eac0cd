// The page of metrics in a range and zone: all charts, tables and sums of it.
import type { Page } from 'playwright-core'
import { type Answered, type Api, type Charted, columns, named, type Row } from './charted.ts'
import { type Cells, count, numbersOf, percent, share, tableOf, termsOf } from './shown-numbers.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const QUARTER_MS = HOUR_MS / 4
const PERIODS = { hourly: 'Hour', daily: 'Day', weekly: 'Week', monthly: 'Month' }

type Span = { days: number; by: 'hourly' | 'daily' | 'weekly' | 'monthly'; zone: string; domain?: string }

/** @param domain the name of one to which the page is narrowed */
export function metrics(search: string, { days, by, zone, domain }: Span): Charted {
  const range = (): Record<string, string> =>
    days === 1
      ? { start_date: new Date(Math.floor(Date.now() / HOUR_MS) * HOUR_MS - DAY_MS + HOUR_MS).toISOString() }
      : { start_date: firstDay(days, zone) }
  const query = ({ idOf }: Api) => ({ ...range(), timezone: zone, ...(domain && { domain_id: idOf(domain) }) })
  const instants = () => ({ start_date: days === 1 ? (range().start_date ?? '') : beginningOf(firstDay(days, zone), zone) })
  const rows = async (api: Api, more: Record<string, string>): Promise<Answered> =>
    (await api.read('/emails/metrics', { ...query(api), ...more })).data
  const period = `${PERIODS[by]} (${zone})`
  const chart = (title: string, series: Record<string, (row: Row) => string>) => ({
    shown: (page: Page) => numbersOf(page, title),
    counted: async (api: Api) =>
      columns([period, ...Object.keys(series)], await rows(api, { dimensions: 'period', granularity: by }), (row) => [
        named(row.period, by),
        ...Object.values(series).map((of) => of(row)),
      ]),
  })
  const counts = (series: Record<string, string>) =>
    Object.fromEntries(Object.entries(series).map(([label, name]) => [label, (row: Row) => count(row[name] ?? 0)]))
  const groups = (title: string, by: 'provider' | 'tag', names: Record<string, string>) => ({
    shown: (page: Page) => tableOf(page, title),
    counted: async ({ read }: Api) =>
      (await read('/emails/metrics/breakdown', { by, ...instants() })).data.map((row: Answered) => [
        ...[row.value === null ? (names[row.name] ?? row.name) : `${row.name}: ${row.value}`, count(row.sent)],
        ...[share(row.delivered, row.sent, row.delivery_rate), share(row.opened, row.delivered, row.open_rate)],
        ...[share(row.clicked, row.delivered, row.click_rate), share(row.bounced, row.sent, row.bounce_rate)],
        share(row.complained, row.delivered, row.complaint_rate),
      ]),
  })
  const parts = (title: string, dimension: 'domain' | 'broadcast') => ({
    shown: (page: Page) => tableOf(page, title),
    counted: async (api: Api) =>
      (await rows(api, { dimensions: dimension }))
        .filter((row: Answered) => row.sent > 0 && (dimension === 'domain' || row.broadcast_id))
        .toSorted((a: Answered, b: Answered) => b.sent - a.sent)
        .map((row: Answered) => [
          ...[dimension === 'domain' ? row.domain_name : row.broadcast_name, count(row.sent)],
          ...[share(row.delivered, row.sent, row.delivery_rate), share(row.unique_opened, row.delivered, row.open_rate)],
          ...[share(row.unique_clicked, row.delivered, row.click_rate), share(row.bounced, row.sent, row.bounce_rate)],
          share(row.complained, row.delivered, row.complaint_rate),
        ]),
  })
  return {
    name: `metrics by ${by.slice(0, 5)}, ${zone}${domain ? `, of a ${domain}` : ''}`,
    path: (idOf) => `/metrics?${search}${domain ? `&domain=${idOf(domain)}` : ''}`,
    charts: ['metrics/MetricCharts.tsx', 'metrics/GroupBreakdown.tsx'],
    numbers: {
      sending: chart('Sending', counts({ Accepted: 'received', Sent: 'sent', Delivered: 'delivered' })),
      reading: chart('Opens and clicks', counts({ Opened: 'unique_opened', Clicked: 'unique_clicked' })),
      trouble: chart('Bounces and complaints', counts({ Bounced: 'bounced', Complained: 'complained' })),
      complaints: chart('Complaint rate', { Rate: (row) => percent(row.complained ?? 0, row.delivered ?? 0) }),
      bounces: chart('Bounce rate', { Rate: (row) => percent(row.bounced ?? 0, row.sent ?? 0) }),
      domains: parts('By domain', 'domain'),
      ...(domain === undefined && { broadcasts: parts('By broadcast', 'broadcast') }),
      providers: groups('By mailbox provider', 'provider', {
        ...{ gmail: 'Gmail', outlook: 'Outlook', yahoo: 'Yahoo and AOL', icloud: 'iCloud', other: 'Others' },
      }),
      tags: groups('By tag', 'tag', {}),
      tiles: {
        shown: async (page) => (await termsOf(page)).map(([name, amount, rate]) => [name, amount, rate?.includes('%') ? rate : '']),
        counted: async (api) => tilesOf((await api.read('/emails/metrics', query(api))).totals),
      },
    },
  }
}

function tilesOf(totals: Answered): Cells {
  const of = (part: number, whole: 'sent' | 'delivered', rate: number) => `${share(part, totals[whole], rate)} of ${whole}`
  const rare = { Delayed: totals.delivery_delayed, Suppressed: totals.suppressed, Failed: totals.failed }
  return [
    ['Accepted', count(totals.received), ''],
    ['Sent', count(totals.sent), ''],
    ['Delivered', count(totals.delivered), of(totals.delivered, 'sent', totals.delivery_rate)],
    ['Opened', count(totals.unique_opened), of(totals.unique_opened, 'delivered', totals.open_rate)],
    ['Clicked', count(totals.unique_clicked), of(totals.unique_clicked, 'delivered', totals.click_rate)],
    ['Bounced', count(totals.bounced), of(totals.bounced, 'sent', totals.bounce_rate)],
    ['Complained', count(totals.complained), of(totals.complained, 'delivered', totals.complaint_rate)],
    ['Unsubscribed', count(totals.unsubscribed), of(totals.unsubscribed, 'delivered', totals.unsubscribe_rate)],
    ...Object.entries(rare).flatMap(([name, value]) => (value > 0 ? [[name, count(value), '']] : [])),
  ]
}

const dayIn = (zone: string, at: number): string => new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short' }).format(at)

/** The first day of as many that end with today. */
export const firstDay = (days: number, zone: string): string =>
  new Date(Date.parse(dayIn(zone, Date.now())) - (days - 1) * DAY_MS).toISOString().slice(0, 10)

/** When a day begins in a zone: the first quarter of an hour that is of it. */
function beginningOf(day: string, zone: string): string {
  let at = Date.parse(day) - DAY_MS
  while (dayIn(zone, at) < day) at += QUARTER_MS
  return new Date(at).toISOString()
}
