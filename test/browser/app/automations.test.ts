// An automation in the console: its drawing and its list of steps, its runs, and how it is stopped.
import type { Browser, Locator } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { addRun, condition, connection, createAutomation, delay, reached, trigger } from '../../support/builders/automations.ts'
import { UNKNOWN_ID } from '../../support/builders/emails.ts'
import { signIn } from '../../support/clients/console.ts'
import { shared, startTestService } from '../../support/servers/service.ts'
import { browserOfWorker, closePages, screenshot } from '../browser.ts'
import { openApp } from './app.ts'
import { faultsOf } from './look.ts'

let browser: Browser
// No worker, so that the runs stay as the test writes them.
const service = shared(() => startTestService({ environment: { ROLES: 'api' } }))
beforeAll(async () => {
  browser = await browserOfWorker()
})
afterAll(() => closePages(browser))

const open = async (path: string, width = 1440) => openApp(browser, { origin: service.url, cookie: await signIn(service), path, width })

const graph = () => ({
  steps: [trigger('order.placed'), condition('is large'), delay('a day', '1 day'), delay('a week', '7 days'), delay('the end', '1 hour')],
  connections: [
    connection('start', 'is large'),
    connection('is large', 'a day', 'condition_met'),
    connection('is large', 'a week', 'condition_not_met'),
    connection('a day', 'the end'),
    connection('a week', 'the end'),
  ],
})

it('stops a runaway automation, with all that is running, in two clicks from its page', async () => {
  const id = await createAutomation(service, { name: 'Orders', status: 'enabled', ...graph() })
  const runId = await addRun(service, id, { at: 'a day', steps: { start: reached() } })
  // A worker marks an automation that a contact starts too often.
  await service.database.execute('update automations set held_at = now() where id = $1', [id])
  const { page, refused, strayRequests } = await open('/automations')
  await page
    .getByRole('row', { name: /Orders/ })
    .filter({ hasText: 'Enabled' })
    .getByText('Needs attention')
    .waitFor()
  expect(await faultsOf(page, 'automations')).toEqual([])
  await page.getByRole('link', { name: 'Orders' }).click()
  await page.locator('.react-flow__node').first().waitFor()
  await page.getByRole('row', { name: /Running/ }).waitFor()
  await page.getByText('1 running, 0 completed').waitFor()
  await page.getByRole('button', { name: 'Show: Steps in their order' }).click()
  await page.getByRole('list', { name: 'Steps in their order' }).getByText('1 entered').first().waitFor()
  expect(await faultsOf(page, 'automation')).toEqual([])
  await page.getByRole('button', { name: 'Stop' }).click()
  const question = page.getByRole('dialog', { name: 'Stop' })
  await question.getByRole('row', { name: 'Runs under way Go on to their end Are canceled at once' }).waitFor()
  expect(await faultsOf(page, 'automation-stop-question')).toEqual([])
  await question.getByRole('button', { name: 'Stop it now' }).click()
  await page.getByText('The automation is stopped').waitFor()
  await page.getByRole('row', { name: /Canceled/ }).waitFor()
  const banner = page.getByRole('alert', { name: 'This automation was stopped' })
  await banner.getByText('1 run was canceled. No run is under way').waitFor()
  await banner.getByText('Emails that were accepted before are still delivered.').waitFor()
  await page.reload()
  await banner.getByText('1 run was canceled. No run is under way').waitFor()
  await page.getByRole('button', { name: 'Stop', exact: true }).waitFor({ state: 'detached' })
  expect(await page.getByText('Needs attention').count()).toBe(0)
  expect(await faultsOf(page, 'automation-stopped')).toEqual([])
  expect((await service.call('GET', `/automations/${id}`)).body).toMatchObject({ status: 'disabled' })
  expect((await service.call('GET', `/automations/${id}/runs/${runId}`)).body).toMatchObject({ status: 'cancelled' })
  expect({ refused, strayRequests }).toEqual({ refused: [], strayRequests: [] })
})

it('says in words what the drawing shows, and which way a run took', async () => {
  const id = await createAutomation(service, { name: 'Forks', ...graph() })
  const runId = await addRun(service, id, {
    status: 'failed',
    reason: 'The template was deleted.',
    steps: {
      start: reached({ output: { event: 'order.placed', event_id: UNKNOWN_ID } }),
      'is large': reached({ output: { met: true } }),
      'a day': reached({ status: 'failed', error: 'It broke.' }),
    },
    completedAt: '2026-11-20T09:00:00Z',
  })
  const { page, refused } = await open(`/automations/${id}`)
  const steps = page.getByRole('list', { name: 'Steps in their order' })
  await page.getByRole('button', { name: 'Show: Steps in their order' }).click()
  await steps.getByText('Yes → a day; No → a week').waitFor()
  await steps.getByText('is large: If total of the event is at least 100').waitFor()
  // Where contacts go is counted at the branches, and who came as far as a step beside it.
  await page.locator('.react-flow__edge-text').filter({ hasText: 'Yes, 1' }).first().waitFor()
  await page.locator('.react-flow__node').filter({ hasText: 'a week' }).getByText('0 entered, 0 %').waitFor()
  await page.getByRole('link', { name: /Nov|Dec|Jan/ }).click()
  await page.locator('.react-flow__edge').nth(4).waitFor()
  await page.getByText('It broke.').waitFor()
  await page.getByRole('row', { name: /^start .+ order\.placed$/ }).waitFor()
  expect(page.url()).toContain(runId)
  expect(await faultsOf(page, 'automation-run')).toEqual([])
  expect(refused).toEqual([])
})

it('shows all of a long automation in its frame, from where it can be made larger', async () => {
  const keys = Array.from({ length: 21 }, (_, index) => `pause ${index + 1}`)
  const id = await createAutomation(service, {
    name: 'Long',
    steps: [trigger('order.placed'), ...keys.map((key) => delay(key, '1 day'))],
    connections: keys.map((key, index) => connection(keys[index - 1] ?? 'start', key)),
  })
  const { page, refused } = await open(`/automations/${id}`)
  const frame = page.getByRole('group', { name: 'Drawing of the steps' })
  const steps = page.locator('.react-flow__node')
  const boxOf = async (part: Locator) => (await part.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 }
  const isWithin = async (step: Locator) => {
    const [inner, outer] = [await boxOf(step), await boxOf(frame)]
    return inner.y > outer.y && inner.y + inner.height < outer.y + outer.height
  }
  await expect
    .poll(async () => [
      await steps.count(),
      await isWithin(steps.first()),
      await isWithin(steps.last()),
      // It is large enough to read.
      (await boxOf(steps.first())).width > 200,
    ])
    .toEqual([22, true, true, true])
  const { width } = await boxOf(steps.first())
  await page.getByRole('button', { name: 'Zoom In' }).click()
  await expect.poll(async () => (await boxOf(steps.first())).width).toBeGreaterThan(width)
  expect(await faultsOf(page, 'automation-long')).toEqual([])
  expect(refused).toEqual([])
})

it('is tried for someone, changed and duplicated', async () => {
  const id = await createAutomation(service, { name: 'Welcome', ...graph() })
  const { page } = await open(`/automations/${id}`)
  await page.getByRole('button', { name: 'Simulate' }).click()
  await page.getByRole('textbox', { name: 'Address of the contact' }).fill('ada@example.org')
  await page.getByRole('textbox', { name: /^Payload/ }).fill('{ "total": 250 }')
  await page.getByRole('dialog').getByRole('button', { name: 'Simulate' }).click()
  await page.getByRole('region', { name: 'What would happen' }).getByText('a day: Wait for a time').waitFor()
  await screenshot(page, 'app-automation-simulated')
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('link', { name: 'Edit the steps' }).click()
  await page.getByText('As JSON').click()
  const field = page.getByRole('textbox', { name: 'Steps and connections (JSON)' })
  await field.fill((await field.inputValue()).replace('"1 day"', '"a while"'))
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('alert').getByText('duration').waitFor()
  await field.fill((await field.inputValue()).replace('"a while"', '"2 days"'))
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('button', { name: 'Show: Steps in their order' }).click()
  await page.getByRole('list', { name: 'Steps in their order' }).getByText('2 days').waitFor()
  await page.getByRole('button', { name: 'More' }).click()
  await page.getByRole('menuitem', { name: 'Duplicate' }).click()
  await page.getByRole('heading', { level: 1, name: /Welcome.*copy/i }).waitFor()
  // Two of one name are told apart by no one: it is said, and not refused.
  await page.getByRole('button', { name: 'More' }).click()
  await page.getByRole('menuitem', { name: 'Settings' }).click()
  const name = page.getByRole('dialog').getByRole('textbox', { name: 'Name' })
  const taken = page.getByText('Another automation has this name already.')
  await name.fill(' welcome')
  await taken.waitFor()
  expect(await faultsOf(page, 'automation-name-taken')).toEqual([])
  await name.fill('Welcome (copy)')
  await taken.waitFor({ state: 'detached' })
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
  await page.goto(`${service.url}/console/automations/new?from=empty`)
  await page.getByRole('textbox', { name: 'Name of the automation' }).fill('Welcome')
  await taken.waitFor()
  await page.getByRole('textbox', { name: 'Name of the automation' }).fill('Welcome too')
  await taken.waitFor({ state: 'detached' })
})
