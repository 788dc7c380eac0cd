// How the team and the installation stand now: overview, usage, queue.
import { type Answered, type Charted, columns } from './charted.ts'
import { type Cells, cellsOf, count, numbersOf, tableOf } from './shown-numbers.ts'

const QUARTER_MS = 15 * 60_000
const QUARTERS = 96
const METRICS = { received: 'Accepted', delivered: 'Delivered', bounced: 'Bounced', complained: 'Complained' }

/** Days are those of UTC. The lines are read by the label of each, and are those of the metrics, too. */
export const overview: Charted = {
  name: 'the overview',
  path: () => '/',
  charts: ['overview/DayLine.tsx'],
  numbers: {
    lines: {
      async shown(page) {
        const lines = page.getByRole('img', { name: /each of the last 14 days/ })
        await lines.nth(3).waitFor()
        return Promise.all((await lines.all()).map((line) => line.getAttribute('aria-label')))
      },
      async counted({ read }) {
        const { days } = await read('/overview')
        const { data } = await read('/emails/metrics', {
          dimensions: 'period',
          granularity: 'daily',
          timezone: 'UTC',
          start_date: days[0].date,
        })
        columns([], data, () => [])
        return Object.entries(METRICS).map(
          ([name, label]) => `${label}, each of the last 14 days: ${data.map((day: Answered) => day[name]).join(', ')}`,
        )
      },
    },
    sums: {
      shown: async (page) => {
        const links = page.getByRole('main').getByRole('link', { name: /^(Accepted|Delivered|Bounced|Complained)$/ })
        await links.nth(3).waitFor()
        return Promise.all((await links.all()).map((link) => link.locator('..').locator(':scope > :nth-child(-n+3)').allTextContents()))
      },
      async counted({ read }) {
        const { today, last_7_days: week } = await read('/overview')
        return Object.entries(METRICS).map(([name, label]) => [label, `${count(today[name])}today`, `${count(week[name])} in 7 days`])
      },
    },
  },
}

export const usage: Charted = {
  name: 'usage',
  path: () => '/usage',
  numbers: {
    bars: {
      async shown(page) {
        const groups = page.getByRole('region', { name: 'Usage and limits' }).getByRole('group')
        await groups.first().waitFor()
        const read = (await groups.all()).map(async (group) => [
          await group.getAttribute('aria-label'),
          await group.locator('p').nth(1).textContent(),
        ])
        return Object.fromEntries(await Promise.all(read))
      },
      async counted({ read }) {
        const used = await read('/usage')
        const { daily, monthly } = used.emails
        return {
          'Recipients today': usedOf(daily),
          'Recipients this month': usedOf(monthly),
          Contacts: usedOf(used.contacts),
          Domains: usedOf(used.domains),
          Webhooks: usedOf(used.webhooks),
          'Bytes of files': usedOf(used.stored_bytes),
          'Emails received': `${count(daily.received)} today, ${count(monthly.received)} this month`,
          Segments: count(used.segments.used),
          Broadcasts: count(used.broadcasts.used),
          'Runs of automations this month': count(used.automation_runs.used),
          'Recipients of a broadcast, at most': limitOf(used.broadcast_recipients.limit),
          'Requests, at most': limitOf(used.rate_limit.limit),
        }
      },
    },
    reputation: {
      shown: (page) => tableOf(page, 'Reputation'),
      async counted({ read }) {
        const { day, week } = (await read('/usage')).reputation
        const row = (name: string, of: Answered) => [
          ...[name, count(of.sent), `${of.bounce_rate} %`, `${of.complaint_rate} %`, `${of.unknown_user_rate} %`, count(of.spam_traps)],
        ]
        return [row('the last 24 hours', day), row('the last 7 days', week)]
      },
    },
  },
}

const limitOf = (limit: number | null): string => (limit === null ? 'no limit' : count(limit))

function usedOf({ used, limit }: { used: number | null; limit: number | null }): string {
  if (used === null) return 'counted only with a limit'
  return limit === null ? `${count(used)}, no limit` : `${count(used)} of ${count(limit)}`
}

/** @param zone that of the person, whose clock names the quarters */
export const queue = (zone: string): Charted => ({
  name: 'the queue',
  path: () => '/queue',
  charts: ['operation/QueueCharts.tsx'],
  numbers: {
    throughput: {
      shown: (page) => numbersOf(page, 'Throughput of the last 24 hours'),
      async counted({ read }) {
        const { data } = await read('/operation/throughput')
        const clock = new Intl.DateTimeFormat('en-GB', { timeZone: zone, timeStyle: 'short' })
        const counted = new Map<string, Answered>(data.map((row: Answered) => [clock.format(Date.parse(row.start)), row]))
        const last = Math.floor(Date.now() / QUARTER_MS) * QUARTER_MS
        const quarters = Array.from({ length: QUARTERS }, (_, index) => clock.format(last - (QUARTERS - 1 - index) * QUARTER_MS))
        columns([], data, () => [])
        return [
          ['From', 'Accepted', 'Sent', 'Delivered', 'Delayed'],
          ...quarters.map((at): string[] => {
            const row = counted.get(at) ?? { received: 0, sent: 0, delivered: 0, delayed: 0 }
            return [at, count(row.received), count(row.sent), count(row.delivered), count(row.delayed)]
          }),
        ]
      },
    },
    total: {
      shown: (page) => cellsOf(page.getByRole('row', { name: /^(Ready|Being sent|For later|Paused|Workers) / })),
      async counted({ read }): Promise<Cells> {
        const { total, workers } = await read('/operation/queue')
        const counts = {
          Ready: total.ready,
          'Being sent': total.leased,
          'For later': total.waiting,
          Paused: total.parked,
          Workers: workers,
        }
        return Object.entries(counts).map(([name, value]) => [name, count(value)])
      },
    },
    lanes: {
      shown: async (page) => (await tableOf(page, 'What waits, by domain: the most first')).map((cells) => cells.slice(0, 6)),
      counted: async ({ read }) =>
        (await read('/operation/queue')).lanes.map((lane: Answered) => [
          ...[`${lane.destination} ${lane.is_paused ? 'Paused' : ''}${classOf(lane)}`, lane.team.name, classOf(lane)],
          ...[count(lane.ready), count(lane.waiting), count(lane.parked)],
        ]),
    },
    // The page remembers what it has read since it was opened.
    ready: {
      shown: async (page) => (await numbersOf(page, 'Deliveries that are ready, since you opened this page')).at(-1)?.[1],
      counted: async ({ read }) => count((await read('/operation/queue')).total.ready),
    },
    age: {
      shown: async (page) => {
        const newest = (await numbersOf(page, 'Age of the oldest delivery, since you opened this page')).at(-1)?.[1]
        const [[, age] = []] = await cellsOf(page.getByRole('row', { name: /^The oldest has waited / }))
        return age === newest
      },
      counted: async () => true,
    },
  },
})

/** It stands below the domain, too, for screens without a column for it. */
const classOf = ({ class: name }: Answered): string => (name === 'bulk' ? 'Bulk' : 'Transactional')
