// Looking at mail in the console.
import { readFile } from 'node:fs/promises'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createBroadcast } from '../../support/builders/broadcasts.ts'
import { send } from '../../support/builders/emails.ts'
import { signIn } from '../../support/clients/console.ts'
import { create } from '../../support/records/record-builder.ts'
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

it('leads from the list to an email by keys alone, and shows what became of it', async () => {
  for (const subject of ['The first', 'The second', 'The third'])
    await send(service, { to: ['delivered@simulator.test'], subject, html: `<p>${subject} message</p>` })
  const { page, errors, refused, strayRequests } = await openApp(browser, {
    origin: service.url,
    cookie: await signIn(service),
    path: '/emails',
  })
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
  // Opened at its own address, it loads the same files.
  await page.reload()
  await page.getByRole('heading', { level: 1, name: 'The second' }).waitFor()
  expect({ errors, refused, strayRequests }).toEqual({ errors: [], refused: [], strayRequests: [] })
})

it('shows the message as it is sent, gives it out as a file, and finds the other emails of its broadcast', async () => {
  const segment = await create(service, '/segments', { name: 'Readers' })
  const broadcast = await createBroadcast(service, { name: 'May news', segment_id: segment })
  const id = await send(service, { to: ['delivered@simulator.test'], subject: 'With relations', html: '<p>Hello</p>' })
  await service.database.execute('update emails set broadcast_id = $2 where id = $1', [id, broadcast])
  const { page, refused } = await openApp(browser, { origin: service.url, cookie: await signIn(service), path: `/emails/${id}` })
  await page.getByText('Headers', { exact: true }).click()
  await page.getByRole('row', { name: 'Subject With relations' }).waitFor()
  await page
    .getByRole('row', { name: /^DKIM-Signature|^Message-ID/i })
    .first()
    .waitFor()
  expect(await faultsOf(page, 'email-headers')).toEqual([])
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Raw message' }).click()])
  expect(download.suggestedFilename()).toBe(`${id}.eml`)
  expect(await readFile(await download.path(), 'utf8')).toContain('Subject: With relations')

  await page.goto(`${service.url}/console/emails?broadcast_id=${broadcast}`)
  await page.getByRole('heading', { level: 1, name: 'Emails' }).waitFor()
  await page.getByRole('button', { name: 'Filters, 1 set' }).click()
  await expect.poll(() => page.getByRole('combobox', { name: 'Broadcast' }).inputValue()).toBe('May news')
  await expect.poll(() => page.getByRole('row').count()).toBe(2)
  expect(refused).toEqual([])
})
