import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Graph, Step } from '../../src/modules/automations/graph/graph.ts'
import { addRun, chain, condition, connection, createAutomation, delay, reached, trigger } from '../support/builders/automations.ts'
import { signIn } from '../support/clients/console.ts'
import { shared, startTestService } from '../support/servers/service.ts'
import { browserOfWorker, closePages, leave, openSignedIn, screenshot, type Watched } from './browser.ts'
import { faintTexts } from './contrast.ts'

const PAGE = '/console/automations'
const LONG = 'a-long-name-without-spaces'.repeat(3)

let browser: Browser
let cookie: string
// No worker, so that the rows stay as the tests write them.
const service = shared(() => startTestService({ environment: { ROLES: 'api' } }))
beforeAll(async () => {
  browser = await browserOfWorker()
  cookie = await signIn(service)
})
afterAll(() => closePages(browser))

const open = (path: string, width?: number): Promise<Watched> => openSignedIn(browser, { origin: service.url, cookie, path, width })

const wait = (key: string): Step => ({ key, type: 'wait_for_event', config: { event_name: 'order.paid', timeout: '3 days' } })

/** A graph of so many steps: conditions and waits whose branches join. */
function branching(count: number): Graph {
  const steps: Step[] = [trigger('user.created')]
  const connections: Graph['connections'] = []
  let last = 'start'
  for (let part = 1; steps.length + 4 <= count; part += 1) {
    const [fork, yes, no, join] = [`fork ${part}`, `yes ${part}`, `no ${part}`, `join ${part}`]
    const isWait = part % 2 === 0
    steps.push(isWait ? wait(fork) : condition(fork), delay(yes, '1 day'), delay(no, '2 days'), delay(join, '1 hour'))
    connections.push(
      connection(last, fork),
      connection(fork, yes, isWait ? 'event_received' : 'condition_met'),
      connection(fork, no, isWait ? 'timeout' : 'condition_not_met'),
      connection(yes, join),
      connection(no, join),
    )
    last = join
  }
  while (steps.length < count) {
    const key = `step ${steps.length}`
    steps.push(delay(key))
    connections.push(connection(last, key))
    last = key
  }
  return { steps, connections }
}

const GRAPHS: Record<number, Graph> = {
  3: chain([trigger(LONG.slice(0, 99)), delay(LONG), delay('end')]),
  20: branching(20),
  150: branching(150),
}

async function automationOf(count: number) {
  const automationId = await createAutomation(service, {
    name: `${count} steps ${LONG}`.slice(0, 100),
    status: 'enabled',
    ...GRAPHS[count],
  })
  const first = GRAPHS[count]?.steps[1]?.key ?? ''
  const waiting = { [first]: reached({ status: 'waiting', completedAt: null, output: null, until: '2026-11-21T09:00:00.000Z' }) }
  const met = {
    'fork 1': reached({ output: { met: true, text: LONG.repeat(3) } }),
    'yes 1': reached({ status: 'waiting', completedAt: null, output: null }),
  }
  const [at, steps] = count === 3 ? [first, waiting] : ['yes 1', met]
  const runId = await addRun(service, automationId, { at, steps: { start: reached({ output: { event: 'user.created' } }), ...steps } })
  await addRun(service, automationId, { status: 'failed', reason: `Step \`${LONG}\`: it failed.`, steps: { start: reached() } })
  return { automationId, runId }
}

it('leads from the list to an automation, and on to a run', async () => {
  const { automationId, runId } = await automationOf(20)
  const { page, errors, strayRequests } = await open(PAGE)
  await page.getByText('1 running, 1 failed').waitFor()
  await page.getByRole('link', { name: /^20 steps/ }).click()
  expect(await page.locator('svg.step').count()).toBe(20)
  expect(await page.locator('.graph .label').allTextContents()).toEqual(
    expect.arrayContaining(['2', 'met · 1', 'not met · 0', 'timeout · 0']),
  )
  await page.locator(`a[href$="${runId}"]`).click()
  expect(await page.locator('.way.followed').count()).toBe(2)
  expect(await page.locator('svg.step.waiting').textContent()).toContain('yes 1')
  await page.getByRole('link', { name: /^← 20 steps/ }).waitFor()
  expect({ errors, strayRequests }).toEqual({ errors: [], strayRequests: [] })
  await leave(page)
  await service.database.execute('delete from automations where id = $1', [automationId])
})

it.each(
  [3, 20, 150].flatMap((count) =>
    (
      [
        ['light', 1280],
        ['light', 390],
        ['dark', 390],
        ['dark', 1280],
      ] as const
    ).map((look) => [count, ...look] as const),
  ),
)('is readable with %i steps in %s colors, %i pixels wide, and is not wider than the screen', async (count, colorScheme, width) => {
  const { automationId, runId } = await automationOf(count)
  for (const [name, path] of [
    ['list', PAGE],
    ['one', `${PAGE}/${automationId}`],
    ['run', `${PAGE}/${automationId}/runs/${runId}`],
  ] as const) {
    const { page } = await open(path, width)
    await page.emulateMedia({ colorScheme })
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width)
    expect(await page.evaluate(faintTexts)).toEqual([])
    await screenshot(page, `automations-${name}-${count}-${colorScheme}-${width}`)
    await leave(page)
  }
  await service.database.execute('delete from automations where id = $1', [automationId])
})
