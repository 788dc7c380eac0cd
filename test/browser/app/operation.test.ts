// What who runs the installation does with teams, in the console.
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { ensureOperators } from '../../../src/modules/accounts/people/people.service.ts'
import { APP } from '../../../src/modules/console/app/app.pages.ts'
import { send } from '../../support/builders/emails.ts'
import { signInPerson } from '../../support/clients/people.ts'
import { shared, startTestService } from '../../support/servers/service.ts'
import { browserOfWorker, closePages, leave } from '../browser.ts'
import { chooseAct, goTo, openApp } from './app.ts'
import { faultsOf } from './look.ts'

let browser: Browser
const service = shared(() => startTestService({ environment: { OPERATORS: 'olga@people.example', DELIVERY: 'capture' } }))
beforeAll(async () => {
  browser = await browserOfWorker()
  await ensureOperators(service.service.context)
})
afterAll(() => closePages(browser))

async function openAsOperator(path: string) {
  const { cookie } = await signInPerson(service, 'olga')
  return openApp(browser, { origin: service.url, cookie, path })
}

it('shows an operator without a team the installation alone, from where the console begins', async () => {
  const { page, refused } = await openAsOperator('/')
  await page.getByRole('heading', { level: 1, name: 'Queue' }).waitFor()
  expect(await page.getByRole('navigation').getByRole('link').allTextContents()).toEqual(['Queue', 'Health', 'Deliverability', 'Teams'])
  await page.keyboard.press('/')
  await page.getByRole('textbox', { name: 'Search' }).fill('anyone')
  await page.getByText('Nothing was found.').waitFor()
  await page.goto(`${service.url}${APP}/emails`)
  await page.getByRole('heading', { level: 1, name: 'No team' }).waitFor()
  expect(await faultsOf(page, 'no-team')).toEqual([])
  await page.getByRole('link', { name: 'Your account' }).click()
  await page.getByRole('heading', { level: 1, name: 'Your account' }).waitFor()
  expect(refused).toEqual([])
  await leave(page)
})

it('tells someone who is in no team, and no operator, what to do', async () => {
  const { cookie } = await signInPerson(service, 'nobody')
  const { page } = await openApp(browser, { origin: service.url, cookie, path: '/' })
  await page.getByText('You belong to no team. Ask an owner of the team for an invitation.').waitFor()
  expect(await page.getByRole('navigation').getByRole('link').count()).toBe(0)
  await leave(page)
})

it('pauses a lane of the queue and resumes it, and shows how the installation is', async () => {
  await send(service, { to: ['ada@example.org'] })
  const { page, refused } = await openAsOperator('/health')
  const { promise: isSeen, resolve: readOn } = Promise.withResolvers<void>()
  let readings = 0
  await page.route('**/operation/queue', async (route) => {
    readings += 1
    if (readings > 1) await isSeen
    await route.continue()
  })
  await goTo(page, '/queue')
  // One reading is no line yet.
  const ready = page.getByRole('region', { name: 'Deliveries that are ready' })
  await ready.getByText('The line begins with the second point.').waitFor()
  await ready.getByText(/^\d\d:\d\d:\d\d: Ready \d$/).waitFor()
  readOn()
  await ready.getByRole('img').waitFor()
  const lane = page.getByRole('row', { name: /example\.org/ })
  await lane.getByRole('cell', { name: 'Transactional' }).waitFor()
  await lane.getByRole('button', { name: 'Pause' }).click()
  await page.getByText('Transactional mail of Team of the test to example.org').waitFor()
  await lane.getByText('Paused', { exact: true }).waitFor()
  expect(await faultsOf(page, 'queue')).toEqual([])
  await lane.getByRole('button', { name: 'Resume' }).click()
  await page.getByText('Nothing is paused.').waitFor()
  // The chart has the numbers of the API.
  await page.getByRole('button', { name: 'Show the numbers: Throughput of the last 24 hours' }).click()
  const numbers = page.getByRole('region', { name: 'Numbers: Throughput of the last 24 hours' })
  await numbers.getByRole('row').nth(96).waitFor()
  await page.getByRole('button', { name: 'Show the numbers: Age of the oldest delivery' }).click()
  await page.getByRole('region', { name: 'Numbers: Age of the oldest delivery' }).getByRole('row').nth(1).waitFor()
  for (const [name, inWords] of [
    ['Health', 'Attempts of deliveries'],
    ['Deliverability', 'DELIVERY=capture'],
  ] as const) {
    await page.getByRole('link', { name, exact: true }).click()
    // Off the navigation.
    await page.mouse.move(700, 500)
    await page.getByRole('heading', { level: 1, name }).waitFor()
    await page.getByText(inWords).waitFor()
    expect(await faultsOf(page, name.toLowerCase())).toEqual([])
  }
  expect(refused).toEqual([])
  await leave(page)
})

it('creates a team, limits it, suspends it with a reason, and deletes it by its name', async () => {
  const { page, refused } = await openAsOperator('/teams')
  await page.getByRole('row', { name: /Team of the test Active/ }).waitFor()
  expect(await faultsOf(page, 'teams')).toEqual([])
  await page.getByRole('button', { name: 'Create a team' }).click()
  await page.getByLabel('Name').fill('Acme')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'Acme' }).waitFor()
  const id = page.url().split('/').at(-1) ?? ''

  const limits = page.getByRole('region', { name: 'Limits' })
  await limits.getByLabel('Contacts').fill('9999999999999999')
  await limits.getByRole('button', { name: 'Save' }).click()
  await expect.poll(() => limits.getByLabel('Contacts').getAttribute('aria-invalid')).toBe('true')
  await limits.getByLabel('Contacts').fill('')
  await limits.getByLabel('Recipients a day').fill('1000')
  await limits.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('group', { name: 'Recipients today' }).getByText('0 of 1,000').waitFor()

  await page.getByRole('button', { name: 'Suspend' }).click()
  await page.getByLabel('Why').fill('Its invoice is open.')
  await page.getByRole('dialog').getByRole('button', { name: 'Suspend' }).click()
  await page.getByRole('cell', { name: 'Its invoice is open.' }).waitFor()
  expect(await faultsOf(page, 'team')).toEqual([])
  await page.getByRole('button', { name: 'Resume' }).click()
  await page.getByText('The team is active.').waitFor()

  await chooseAct(page, 'Delete the team')
  await page.getByLabel('Type Acme to go on').fill('Acme')
  await page.getByRole('dialog').getByRole('button', { name: 'Delete the team' }).click()
  await page.getByRole('button', { name: 'Take the deletion back' }).waitFor()
  expect(await service.database.tables.team.count({ where: { id, deletedAt: { not: null } } })).toBe(1)
  expect(refused).toEqual([])
  await leave(page)
})
