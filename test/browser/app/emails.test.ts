// Looking at mail in the console.
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { send } from '../../support/builders/emails.ts'
import { signIn } from '../../support/clients/console.ts'
import { shared, startTestService } from '../../support/servers/service.ts'
import { violationsOn } from '../axe.ts'
import { browserOfWorker, closePages, screenshot } from '../browser.ts'
import { openApp } from './app.ts'

let browser: Browser
const service = shared(() => startTestService({ environment: { ROLES: 'api,worker' } }))
beforeAll(async () => {
  browser = await browserOfWorker()
})
afterAll(() => closePages(browser))

it('leads from the list to an email by keys alone, and shows what became of it', async () => {
  for (const subject of ['The first', 'The second', 'The third'])
    await send(service, { to: ['delivered@simulator.test'], subject, html: `<p>${subject} message</p>` })
  const { page, refused, strayRequests } = await openApp(browser, { origin: service.url, cookie: await signIn(service), path: '/emails' })
  await page.getByRole('cell', { name: 'The third' }).waitFor()
  expect(await violationsOn(page)).toEqual([])
  await screenshot(page, 'app-emails')

  await page.keyboard.press('j')
  await page.keyboard.press('j')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'The second' }).waitFor()
  await page.getByRole('region', { name: 'What happened' }).getByText('Delivered', { exact: true }).waitFor()
  expect(await violationsOn(page)).toEqual([])
  await screenshot(page, 'app-email')
  expect({ refused, strayRequests }).toEqual({ refused: [], strayRequests: [] })
})
