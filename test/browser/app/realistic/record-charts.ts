// What became of a broadcast, and where the runs of an automation are.
import type { Locator } from 'playwright-core'
import { type Answered, type Api, type Charted, columns, named } from './charted.ts'
import { type Cells, count, numbersOf, share, tableOf, termsOf } from './shown-numbers.ts'

const HOUR_MS = 3_600_000
const SHOWN_HOURS = 72

type ClickedLink = { url: string; clicks: number; unique_clicks: number }
type OnLink = { getAttribute(name: string): string; lastChild: { textContent: string } }

const broadcastPath = (idOf: Api['idOf']): string => `/broadcasts/${idOf('broadcast sent')}`
const linksOf = async ({ read, idOf }: Api): Promise<ClickedLink[]> =>
  (await read(`${broadcastPath(idOf)}/clicked-links`, { limit: '100' })).data
const onLinks = (links: OnLink[]): [string, string][] => links.map((link) => [link.getAttribute('href'), link.lastChild.textContent])

/** @param zone that of the person */
export const broadcast = (zone: string): Charted => ({
  name: 'a broadcast',
  path: broadcastPath,
  charts: ['broadcasts/HoursChart.tsx'],
  numbers: {
    funnel: {
      shown: (page) => termsOf(page.getByRole('region', { name: 'What became of it', exact: true })),
      counted: async ({ read, idOf }) => funnelOf((await read(broadcastPath(idOf))).counts),
    },
    hours: {
      shown: (page) => numbersOf(page, 'Opens and clicks by hour'),
      async counted({ read, idOf }) {
        const sentAt = new Date((await read(broadcastPath(idOf))).sent_at.replace(/\+00$/, 'Z')).getTime()
        const { data } = await read('/emails/metrics', {
          ...{ broadcast_id: idOf('broadcast sent'), dimensions: 'period', granularity: 'hourly', timezone: zone },
          start_date: new Date(sentAt - HOUR_MS).toISOString(),
          end_date: new Date(Math.min(Date.now(), sentAt + SHOWN_HOURS * HOUR_MS)).toISOString(),
        })
        return columns([`Hour (${zone})`, 'Opened', 'Clicked'], data, ({ period, unique_opened: opened, unique_clicked: clicked }) => [
          ...[named(period, 'hourly'), count(opened ?? 0), count(clicked ?? 0)],
        ])
      },
    },
    providers: {
      shown: async (page) => (await tableOf(page, 'By mailbox provider')).map(([, ...numbers]) => numbers),
      counted: async ({ read, idOf }) =>
        (await read('/emails/metrics/breakdown', { by: 'provider', broadcast_id: idOf('broadcast sent') })).data.map((row: Answered) => [
          ...[count(row.sent), share(row.delivered, row.sent, row.delivery_rate), share(row.opened, row.delivered, row.open_rate)],
          ...[share(row.clicked, row.delivered, row.click_rate), share(row.bounced, row.sent, row.bounce_rate)],
          share(row.complained, row.delivered, row.complaint_rate),
        ]),
    },
    links: {
      async shown(page) {
        const links = page.getByText('Clicked links').locator('..').locator(':scope > div')
        await links.first().waitFor()
        return (await links.all()).reduce<Promise<Cells>>(
          async (before, link) => [...(await before), await link.locator('p, .mantine-Badge-root').allTextContents()],
          Promise.resolve([]),
        )
      },
      counted: async (api) =>
        (await linksOf(api)).map(({ url, clicks, unique_clicks: people }) => {
          const words = clicks === 1 ? '1 click' : `${count(clicks)} clicks`
          return [url, `${words} ${people === 1 ? 'by one person' : `by ${count(people)} people`}`, words]
        }),
    },
    map: {
      async shown(page) {
        const links = page.frameLocator('iframe').locator('a:has(> span:last-child)')
        await links.first().waitFor()
        return Object.fromEntries((await links.evaluateAll(onLinks as never)) as [string, string][])
      },
      counted: async (api) => Object.fromEntries((await linksOf(api)).map(({ url, clicks }) => [url, count(clicks)])),
    },
  },
})

function funnelOf(counts: Record<string, number>): Cells {
  const of = (name: string) => counts[name] ?? 0
  const stage = (label: string, name: string, whole: string): string[] => [label, `${count(of(name))}${share(of(name), of(whole))}`]
  const rare = ['Suppressed', 'Failed', 'Canceled'].filter((label) => of(label.toLowerCase()) > 0)
  return [
    ['Recipients', count(of('recipients'))],
    ...[stage('Sent', 'sent', 'recipients'), stage('Delivered', 'delivered', 'recipients')],
    ...[stage('Opened', 'opened', 'delivered'), stage('Clicked', 'clicked', 'delivered')],
    ...[stage('Bounced', 'bounced', 'recipients'), stage('Complained', 'complained', 'delivered')],
    stage('Unsubscribed', 'unsubscribed', 'delivered'),
    ...rare.map((label) => stage(label, label.toLowerCase(), 'recipients')),
  ]
}

/** How many runs came to each step, as the list and as the drawing have it, and which way they went on. */
export const automation = (key: string): Charted => ({
  name: `an automation, ${key}`,
  path: (idOf) => `/automations/${idOf(`automation ${key}`)}`,
  open: (page) => page.getByRole('button', { name: 'Show: Steps in their order' }).click(),
  numbers: {
    steps: {
      shown: async (page) =>
        badgesIn(page.getByRole('list', { name: 'Steps in their order' }).getByRole('listitem'), (step) => step.locator('b').textContent()),
      counted: (api) => badgesOf(api, key),
    },
    drawing: {
      shown: async (page) => badgesIn(page.locator('.react-flow__node'), (node) => node.getAttribute('data-id')),
      counted: (api) => badgesOf(api, key),
    },
    ways: {
      shown: async (page) => (await page.locator('.react-flow__edge-text').allTextContents()).toSorted(),
      counted: async ({ read, idOf }) => {
        const { connections } = await read(`/automations/${idOf(`automation ${key}`)}`)
        const { steps } = await read(`/automations/${idOf(`automation ${key}`)}/metrics`)
        const stepOf = (from: string): Answered => steps.find((step: Answered) => step.key === from)
        return connections.flatMap(({ from, type }: Answered) => wayOf(type, stepOf(from))).toSorted()
      },
    },
  },
})

async function badgesIn(all: Locator, keyOf: (one: Locator) => Promise<string | null>): Promise<Record<string, string[]>> {
  await all.first().getByText('entered').waitFor()
  const counted = (await all.all()).map(async (one) => [await keyOf(one), await one.locator('.mantine-Badge-root').allTextContents()])
  return Object.fromEntries(await Promise.all(counted))
}

async function badgesOf({ read, idOf }: Api, automation: string): Promise<Record<string, string[]>> {
  const { steps } = await read(`/automations/${idOf(`automation ${automation}`)}/metrics`)
  const [{ entered: started }] = steps
  const badges = steps.map(({ key, entered, waiting, completed, failed, skipped }: Answered) => {
    const came = entered + skipped
    const percent = Math.round((came / started) * 100)
    const stopped = [waiting > 0 && `${count(waiting)} waiting`, failed > 0 && `${count(failed)} failed`].filter(Boolean)
    const ended = [skipped > 0 && `${count(skipped)} skipped`, skipped === 0 && completed > 0 && `${count(completed)} done`].filter(Boolean)
    const rest = stopped.length === 0 ? ended : stopped
    return [key, [`${count(came)} entered${percent < 100 ? `, ${percent} %` : ''}`, ...rest]]
  })
  return Object.fromEntries(badges)
}

function wayOf(type: string, step: Answered): string[] {
  if (type === 'condition_met') return [`Yes, ${count(step.met)}`]
  if (type === 'condition_not_met') return [`No, ${count(step.not_met)}`]
  if (type === 'timeout') return [`Time is up, ${count(step.timed_out)}`]
  if (type === 'event_received') return [`It happened, ${count(step.completed - step.timed_out)}`]
  return []
}
