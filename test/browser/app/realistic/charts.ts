// Each number of a chart in the console is that of the API for the same range and zone. The team is as it is after ninety days of work, and the person lives where
// the day is another one than in UTC for half of it.
import { globSync, readFileSync } from 'node:fs'
import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { APP } from '../../../../src/modules/console/app/app.pages.ts'
import { send } from '../../../support/builders/emails.ts'
import { callAs } from '../../../support/clients/people.ts'
import { until } from '../../../support/clocks/until.ts'
import type { RealisticService } from '../../../support/realistic-team/realistic-service.ts'
import { SHOP } from '../../../support/realistic-team/words.ts'
import { browserOfWorker, keepCookie } from '../../browser.ts'
import { goTo, heading } from '../app.ts'
import type { Api, Charted } from './charted.ts'
import { automations, broadcasts, growth, segments, spans } from './list-charts.ts'
import { metrics } from './metrics-charts.ts'
import { automation, broadcast } from './record-charts.ts'
import { drawnAgainst } from './shown-numbers.ts'
import { overview, queue, usage } from './standing-charts.ts'

const ZONE = 'Pacific/Auckland'

const PAGES: Charted[] = [
  // Finds another range or zone than what stands beside a chart, a period that is left out or counted twice, and shares of another whole.
  metrics('span=week', { days: 7, by: 'daily', zone: ZONE }),
  metrics('span=day', { days: 1, by: 'hourly', zone: ZONE }),
  metrics('span=quarter&by=weekly&zone=America/New_York', { days: 90, by: 'weekly', zone: 'America/New_York' }),
  metrics('span=quarter&by=daily&zone=UTC', { days: 90, by: 'daily', zone: 'UTC' }),
  metrics('span=year', { days: 365, by: 'monthly', zone: ZONE }),
  // Finds a filter that some of the numbers do not know.
  metrics('span=month', { days: 30, by: 'daily', zone: ZONE, domain: 'domain' }),
  // Finds a choice of a span that asks for another one, and a time of zero where there was none.
  ...spans('requests', {
    ...{ path: () => '/logs', of: () => '/logs/metrics', component: 'logs/LogMetrics.tsx' },
    charts: [{ title: 'Requests over time', series: { Done: 'succeeded', Refused: 'client_errors', Failed: 'server_errors' } }],
  }),
  ...spans('a webhook', {
    path: (idOf) => `/webhooks/${idOf('webhook failing')}`,
    of: (idOf) => `/webhooks/${idOf('webhook failing')}/metrics`,
    component: 'webhooks/WebhookMetrics.tsx',
    charts: [
      { title: 'Requests', series: { Accepted: 'success', Failed: 'failure' } },
      { title: 'How long they took', series: { 'Half of them': 'median_ms', '95 % of them': 'slow_ms' }, unit: ' ms' },
    ],
  }),
  // Finds days of the person in place of those that the heading names, and numbers of another list.
  growth('contacts', {
    ...{ path: () => '/contacts', of: () => '/contacts/metrics', component: 'contacts/Growth.tsx' },
    series: { Added: 'added', Unsubscribed: 'unsubscribed' },
  }),
  growth('a segment', {
    path: (idOf) => `/segments/${idOf('newsletter')}`,
    of: (idOf) => `/segments/${idOf('newsletter')}/growth`,
    ...{ series: { Added: 'added' }, component: 'segments/SegmentGrowth.tsx' },
  }),
  // Finds a row with the numbers of another one.
  segments,
  broadcasts,
  automations,
  // Finds a stage that counts what another one does, hours of another zone, and a link with the clicks of another one.
  broadcast(ZONE),
  // Finds a step with the runs of another one, and ways that are mixed up.
  automation('welcome'),
  automation('basket'),
  // Finds days of the person where those of UTC are meant, and a metric with the numbers of another one.
  overview,
  usage,
  // Finds quarters that are left out, so that a line goes over them.
  queue(ZONE),
]

export function charts(realistic: RealisticService): void {
  let context: BrowserContext
  let page: Page
  let api: Api
  beforeAll(async () => {
    const cookie = await realistic.signInOwner()
    const browser = await browserOfWorker()
    context = await browser.newContext({ timezoneId: ZONE, reducedMotion: 'reduce', viewport: { width: 1440, height: 1_000 } })
    await keepCookie(context, { origin: realistic.service.url, cookie })
    page = await context.newPage()
    await page.goto(`${realistic.service.url}${APP}`)
    await heading(page)
    api = {
      async read(path, query = {}) {
        const { status, body } = await callAs(realistic.service, { cookie }, 'GET', `${path}?${new URLSearchParams(query)}`)
        expect([path, status]).toEqual([path, 200])
        return body
      },
      idOf: (name) => realistic.team.ids[name] ?? '',
    }
    // Something waits in the queue: for a server that is busy, and for the operator.
    await callAs(realistic.service, { cookie }, 'POST', '/operation/queue/pause', { destination: 'paused-post.example' })
    for (const to of ['ada@slow-post.example', 'ada@paused-post.example', 'bob@paused-post.example'])
      await send(realistic.service, { from: SHOP.hello, to: [to] })
  })
  afterAll(() => context.close())

  it.each(PAGES)('shows of $name what the API counts', async ({ path, open, numbers }) => {
    const address = path(api.idOf)
    // By way of another one: pages of one kind keep what they have drawn.
    await goTo(page, '/topics')
    await goTo(page, address)
    // Workers go on while a page is read: what it shows then is read anew.
    let isFirst = true
    await until(async () => {
      if (!isFirst) await page.goto(`${realistic.service.url}${APP}${address}`)
      isFirst = false
      await open?.(page)
      for (const [name, { shown, counted }] of Object.entries(numbers))
        expect({ [name]: await shown(page) }).toEqual({ [name]: await counted(api) })
    })
  })

  it.each([
    ['Complaint rate', 'complained', 'delivered', [0.1, 0.3]],
    ['Bounce rate', 'bounced', 'sent', [4, 8]],
  ] as const)('draws the line of the %s where it belongs between its marks', async (title, part, whole, marks) => {
    await goTo(page, '/topics')
    await goTo(page, '/metrics?span=quarter&by=weekly&zone=UTC')
    await page.getByRole('img', { name: new RegExp(`^${title}: Rate`) }).waitFor()
    const { start_date: start } = await api.read('/emails/metrics', {
      start_date: new Date(Date.now() - 89 * 86_400_000).toISOString().slice(0, 10),
    })
    const { data } = await api.read('/emails/metrics', { start_date: start, dimensions: 'period', granularity: 'weekly' })
    const rates: number[] = data.map((row: Record<string, number>) => ((row[part] ?? 0) / (row[whole] || 1)) * 100)
    expect(Math.max(...rates)).toBeGreaterThan(0)
    await expect.poll(async () => (await drawnAgainst(page, title, marks)).length).toBe(rates.length)
    const drawn = await drawnAgainst(page, title, marks)
    for (const [index, rate] of rates.entries()) expect(drawn[index]).toBeCloseTo(rate, 1)
  })

  it('compares the numbers of every chart that there is', () => {
    const draws = /from '(?:@mantine\/charts|[./]+(?:parts\/)?(?:NumbersChart|PeriodsChart))'|import\('[./]+parts\/NumbersChart'\)/
    const files = globSync('**/*.tsx', { cwd: 'console/src' }).filter((file) => draws.test(readFileSync(`console/src/${file}`, 'utf8')))
    const compared = new Set(PAGES.flatMap(({ charts = [] }) => charts))
    expect(files.filter((file) => !file.startsWith('parts/') && !compared.has(file))).toEqual([])
  })
}
