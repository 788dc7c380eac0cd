// Charts beside lists and records, by spans and by the last thirty days, and the numbers of lists.
import type { Page } from 'playwright-core'
import { type Answered, type Api, type Charted, columns, named } from './charted.ts'
import { firstDay } from './metrics-charts.ts'
import { count, numbersOf, share, tableOf } from './shown-numbers.ts'

type SpanChart = { title: string; series: Readonly<Record<string, string>>; unit?: string }
type Spans = { path: Charted['path']; of: (idOf: Api['idOf']) => string; charts: SpanChart[]; component: string }

const SPANS = [
  ['24 hours', 'day', 'hourly'],
  ['7 days', 'week', 'hourly'],
  ['30 days', 'month', 'daily'],
] as const

/** Charts with a choice of spans, one comparison for each. */
export const spans = (name: string, { path, of, charts, component }: Spans): Charted[] =>
  SPANS.map(([label, span, by]) => ({
    name: `${name} of ${label}`,
    path,
    charts: [component],
    async open(page: Page) {
      for (const { title } of charts) await page.getByRole('region', { name: title, exact: true }).getByText(label, { exact: true }).click()
    },
    numbers: Object.fromEntries(
      charts.map(({ title, series, unit = '' }) => [
        title,
        {
          shown: (page: Page) => numbersOf(page, title),
          counted: async ({ read, idOf }: Api) =>
            columns(
              [by === 'hourly' ? 'Hour (UTC)' : 'Day (UTC)', ...Object.keys(series)],
              (await read(of(idOf), { span })).data,
              (row) => [
                named(row.period, by),
                ...Object.values(series).map((name) => (row[name] === null ? '–' : `${count(row[name] ?? 0)}${unit}`)),
              ],
            ),
        },
      ]),
    ),
  }))

const GROWTH = 'Growth in the last 30 days'

type Growth = { path: Charted['path']; of: (idOf: Api['idOf']) => string; series: Readonly<Record<string, string>>; component: string }

/** By days of UTC, as the API counts them and the heading says, wherever the person is. */
export const growth = (name: string, { path, of, series, component }: Growth): Charted => ({
  name,
  path,
  charts: [component],
  open: (page) => page.getByRole('button', { name: `Show: ${GROWTH}` }).click(),
  numbers: {
    growth: {
      shown: (page) => numbersOf(page, GROWTH),
      counted: async ({ read, idOf }) =>
        columns(['Day (UTC)', ...Object.keys(series)], (await read(of(idOf))).data, (row) => [
          named(String(row.date)),
          ...Object.values(series).map((name) => count(row[name] ?? 0)),
        ]),
    },
  },
})

export const broadcasts: Charted = {
  name: 'the list of broadcasts',
  path: () => '/broadcasts',
  numbers: {
    list: {
      shown: async (page) => (await tableOf(page, 'Broadcasts')).map((cells) => cells.slice(3, 6)),
      async counted({ read }) {
        const { data } = await read('/emails/metrics', { dimensions: 'broadcast', start_date: firstDay(395, 'UTC') })
        const numbers = new Map<string, Answered>(data.map((row: Answered) => [row.broadcast_id, row]))
        return (await read('/broadcasts')).data.map(({ id, status }: Answered) => {
          const row = numbers.get(id)
          if (status === 'draft' || status === 'scheduled' || row === undefined) return ['–', '–', '–']
          return [count(row.received), share(row.unique_opened, row.delivered), share(row.unique_clicked, row.delivered)]
        })
      },
    },
  },
}

export const segments: Charted = {
  name: 'the list of segments',
  path: () => '/segments',
  numbers: {
    list: {
      shown: async (page) => Object.fromEntries((await tableOf(page, 'Segments')).map(([name, ...cells]) => [name, cells.slice(0, 3)])),
      counted: async ({ read }) =>
        Object.fromEntries(
          (await read('/segments/metrics')).data.map((row: Answered) => [
            row.name,
            [count(row.all_contacts), count(row.subscribers), count(row.unsubscribers)],
          ]),
        ),
    },
    totals: {
      shown: (page) => page.getByText(/^Your team has/).textContent(),
      async counted({ read }) {
        const { totals } = await read('/segments/metrics')
        return `Your team has ${count(totals.all_contacts)} contacts, of whom ${count(totals.subscribers)} are subscribed.`
      },
    },
  },
}

export const automations: Charted = {
  name: 'the list of automations',
  path: () => '/automations',
  numbers: {
    list: {
      shown: async (page) =>
        Object.fromEntries((await tableOf(page, 'Automations')).map(([name, _state, ...cells]) => [name, cells.slice(0, 2)])),
      async counted({ read }) {
        const { data }: { data: Answered[] } = await read('/automations')
        const runs = await Promise.all(data.map(async ({ id, name }) => [name, (await read(`/automations/${id}/metrics`)).runs]))
        return Object.fromEntries(runs.map(([name, { running, failed }]) => [name, [count(running), count(failed)]]))
      },
    },
  },
}
