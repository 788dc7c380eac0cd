// The overview for a new team, and for one in which something is wrong; and the way to everything by the keyboard.
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { send } from '../../support/builders/emails.ts'
import { signIn } from '../../support/clients/console.ts'
import { shared, startTestService } from '../../support/servers/service.ts'
import { violationsOn } from '../axe.ts'
import { browserOfWorker, closePages, screenshot } from '../browser.ts'
import { openApp } from './app.ts'
import { faultsOf } from './look.ts'

let browser: Browser
const service = shared(() => startTestService({ environment: { ROLES: 'api,worker' } }))
beforeAll(async () => {
  browser = await browserOfWorker()
})
afterAll(() => closePages(browser))

it('leads a new team to its first email, and ticks the step off', async () => {
  const { page, refused } = await openApp(browser, { origin: service.url, cookie: await signIn(service), path: '' })
  const steps = page.getByRole('region', { name: 'First steps' })
  await steps.getByText('This address only simulates a recipient.').waitFor()
  expect(await faultsOf(page, 'overview-new')).toEqual([])
  await steps.getByRole('button', { name: 'Send it now' }).click()
  await page.getByRole('heading', { level: 1, name: 'Hello' }).waitFor()
  await page.getByRole('region', { name: 'What happened' }).getByText('Delivered', { exact: true }).waitFor()
  await page.getByRole('link', { name: 'Overview' }).click()
  await steps.getByRole('heading', { name: 'Send a first email' }).waitFor()
  await steps.getByRole('button', { name: 'Send it now' }).waitFor({ state: 'detached' })
  expect(refused).toEqual([])
})

it('says what needs someone, and finds it and anything else by Ctrl K', async () => {
  await service.call('POST', '/webhooks', { body: { endpoint: 'https://hooks.example.com/orders', events: ['email.sent'] } })
  await service.database.execute('update webhooks set failing_since = now()')
  await send(service, { subject: 'Invoice 4711', to: ['delivered@simulator.test'] })
  const { page } = await openApp(browser, { origin: service.url, cookie: await signIn(service), path: '', width: 1440 })
  await page.getByRole('region', { name: 'Needs your attention' }).getByText('https://hooks.example.com/orders').waitFor()
  expect(await faultsOf(page, 'overview')).toEqual([])

  await page.keyboard.press('Control+k')
  await page.getByRole('textbox', { name: 'Search' }).fill('4711')
  await page.getByRole('button', { name: /Invoice 4711/ }).waitFor()
  expect(await violationsOn(page)).toEqual([])
  await screenshot(page, 'app-palette')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'Invoice 4711' }).waitFor()

  await page.keyboard.press('Control+k')
  await page.getByRole('textbox', { name: 'Search' }).fill('invoice')
  await page.getByRole('button', { name: 'Emails with “invoice” in the subject' }).click()
  await page.getByRole('heading', { level: 1, name: 'Emails' }).waitFor()
  await page.getByRole('cell', { name: 'Invoice 4711' }).waitFor()
})
