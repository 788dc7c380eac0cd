// The suppression list in the console: adding many at once, finding one, and removing it.
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { signIn } from '../../support/clients/console.ts'
import { shared, startTestService } from '../../support/servers/service.ts'
import { violationsOn } from '../axe.ts'
import { browserOfWorker, closePages, screenshot } from '../browser.ts'
import { focused, openApp } from './app.ts'

let browser: Browser
const service = shared(() => startTestService())
beforeAll(async () => {
  browser = await browserOfWorker()
})
afterAll(() => closePages(browser))

it('takes a pasted list, keeps what was refused, and shows who was added', async () => {
  const { page, refused } = await openApp(browser, { origin: service.url, cookie: await signIn(service), path: '/suppressions' })
  await page.getByText('No address is suppressed.').waitFor()
  await page.getByRole('button', { name: 'Add addresses' }).click()
  const dialog = await focused(page.getByRole('dialog'))
  await dialog
    .getByRole('textbox', { name: 'Addresses' })
    .fill('email,name\nada@example.org,Ada\nbounced@simulator.test\n"Alan" <alan@example.org>\n')
  await dialog.getByText('3 addresses were found').waitFor()
  await dialog.getByRole('button', { name: 'Suppress these addresses' }).click()
  await dialog.getByText('1 address was refused').waitFor()
  await expect.poll(() => dialog.getByRole('textbox', { name: 'Addresses' }).inputValue()).toBe('bounced@simulator.test')
  expect(await violationsOn(page)).toEqual([])
  await screenshot(page, 'app-suppressions-refused')
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await dialog.waitFor({ state: 'detached' })
  await page.getByRole('cell', { name: 'alan@example.org' }).waitFor()
  expect(await violationsOn(page)).toEqual([])
  await screenshot(page, 'app-suppressions')
  expect(refused).toEqual([])
})

it('lets support find an address and take it off the list', async () => {
  await service.call('POST', '/suppressions/batch/add', { body: { emails: ['grace@example.net', 'other@example.net'] } })
  const cookie = await signIn(service, service.token, 'support')
  const { page } = await openApp(browser, { origin: service.url, cookie, path: '/suppressions', width: 390 })
  await page.getByLabel('Part of the address').fill('grace')
  await page.getByRole('cell', { name: 'other@example.net' }).waitFor({ state: 'detached' })
  await screenshot(page, 'app-suppressions-phone')
  await page.getByRole('link', { name: 'grace@example.net' }).click()
  await page.getByText('Your team put the address on the suppression list.').waitFor()
  expect(await page.getByRole('button', { name: 'Add addresses' }).count()).toBe(0)
  await page.getByRole('button', { name: 'Remove' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
  await page.getByText('The address was removed.').waitFor()
  expect((await service.call('GET', '/suppressions/grace@example.net')).status).toBe(404)
})

it('takes several off the list, and all that a search finds, also those that are not shown yet', async () => {
  const emails = Array.from({ length: 130 }, (_, number) => `many-${number}@list.example`)
  for (const part of [
    emails.slice(0, 100),
    emails.slice(100),
    ['kept@example.net', 'one@few.example', 'two@few.example', 'three@few.example'],
  ])
    await service.call('POST', '/suppressions/batch/add', { body: { emails: part } })
  const { page, refused } = await openApp(browser, {
    origin: service.url,
    cookie: await signIn(service),
    path: '/suppressions?search=few.example',
  })
  await page.getByRole('cell', { name: 'three@few.example' }).waitFor()
  // What another filter hides is no longer chosen.
  await page.getByRole('checkbox', { name: 'Choose all rows that are shown' }).check()
  await page.getByRole('button', { name: 'Remove 3 addresses' }).waitFor()
  await page.getByLabel('Part of the address').fill('kept@')
  await page.getByRole('cell', { name: 'kept@example.net' }).waitFor()
  await page.getByRole('toolbar').waitFor({ state: 'detached' })
  await page.getByLabel('Part of the address').fill('few.example')
  await page.getByRole('cell', { name: 'three@few.example' }).waitFor()
  for (const name of ['one', 'two'])
    await page
      .getByRole('row', { name: `${name}@few.example` })
      .getByRole('checkbox')
      .check()
  await page.getByRole('button', { name: 'Remove 2 addresses' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
  await page.getByText('2 addresses were removed.').waitFor()
  expect((await service.call('GET', '/suppressions/three@few.example')).status).toBe(200)

  await page.goto(`${service.url}/console/suppressions?search=list.example`)
  await page.getByRole('checkbox', { name: 'Choose all rows that are shown' }).check()
  await page.getByRole('button', { name: 'Remove all that were found' }).click()
  const dialog = page.getByRole('dialog')
  expect(await dialog.getByRole('button', { name: 'Remove' }).isDisabled()).toBe(true)
  await focused(dialog)
  await dialog.getByLabel('Type remove to go on').fill('remove')
  expect(await violationsOn(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Remove' }).click()
  await page.getByText('130 addresses were removed.').waitFor()
  expect((await service.call('GET', '/suppressions?search=list.example')).body).toMatchObject({ data: [] })
  expect((await service.call('GET', '/suppressions/kept@example.net')).status).toBe(200)
  expect(refused).toEqual([])
})
