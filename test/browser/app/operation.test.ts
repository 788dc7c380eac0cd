// What who runs the installation does with teams, in the console.
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { signIn } from '../../support/clients/console.ts'
import { shared, startTestService } from '../../support/servers/service.ts'
import { browserOfWorker, closePages, leave } from '../browser.ts'
import { openApp } from './app.ts'
import { faultsOf } from './look.ts'

const KEY = 'an-operator-key-of-at-least-32-characters'

let browser: Browser
const service = shared(() => startTestService({ environment: { OPERATOR_KEY: KEY } }))
beforeAll(async () => {
  browser = await browserOfWorker()
})
afterAll(() => closePages(browser))

it('creates a team, limits it, suspends it with a reason, and deletes it by its name', async () => {
  const { page, refused } = await openApp(browser, { origin: service.url, cookie: await signIn(service), path: '/usage' })
  // The session is not that of an operator: requests about teams have the key.
  await page.route(`${service.url}/teams**`, (route) =>
    route.continue({ headers: { ...route.request().headers(), cookie: '', authorization: `Bearer ${KEY}` } }),
  )
  await page.route(`${service.url}/teams/**`, (route) =>
    route.continue({ headers: { ...route.request().headers(), cookie: '', authorization: `Bearer ${KEY}` } }),
  )
  await page.goto(page.url().replace('/usage', '/teams'))
  await page.getByRole('row', { name: /Team of the test Active/ }).waitFor()
  expect(await faultsOf(page, 'teams')).toEqual([])
  await page.getByRole('button', { name: 'Create a team' }).click()
  await page.getByLabel('Name').fill('Acme')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'Acme' }).waitFor()
  const id = page.url().split('/').at(-1) ?? ''

  const limits = page.getByRole('region', { name: 'Limits' })
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

  await page.getByRole('button', { name: 'Delete the team' }).click()
  await page.getByLabel('Type Acme to go on').fill('Acme')
  await page.getByRole('dialog').getByRole('button', { name: 'Delete the team' }).click()
  await page.getByRole('button', { name: 'Take the deletion back' }).waitFor()
  const { body } = await service.call('GET', `/teams/${id}`, { token: KEY })
  expect(body).toMatchObject({ status: 'deleted' })
  expect(refused).toEqual([])
  await leave(page)
})
