// Keys, logs and grants in the console.
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { signIn } from '../../support/clients/console.ts'
import { grantedToken } from '../../support/clients/oauth-client.ts'
import { until } from '../../support/clocks/until.ts'
import { shared, startTestService } from '../../support/servers/service.ts'
import { browserOfWorker, closePages, leave } from '../browser.ts'
import { openApp } from './app.ts'
import { faultsOf } from './look.ts'

let browser: Browser
const service = shared(() => startTestService())
beforeAll(async () => {
  browser = await browserOfWorker()
})
afterAll(() => closePages(browser))

const open = async (path: string, width = 1440) => openApp(browser, { origin: service.url, cookie: await signIn(service), path, width })

it('makes a key that only sends, shows it once, and deletes it with all that it can do', async () => {
  const { page } = await open('/api-keys')
  await page.getByRole('button', { name: 'Create an API key' }).click()
  await page.getByLabel('Name').fill('Shop')
  expect(await faultsOf(page, 'api-key-new')).toEqual([])
  await page.getByRole('dialog').getByRole('button', { name: 'Create an API key' }).click()
  const made = page.getByRole('dialog', { name: 'The new API key' })
  const token = await made.getByText(/^re_/).textContent()
  expect(await service.call('GET', '/emails', { token: token ?? '' })).toMatchObject({ status: 401 })
  await page.keyboard.press('Escape')
  await page.getByRole('row', { name: /Shop Only send emails never .+@\S+/ }).waitFor()
  expect(await page.getByText(token ?? '').count()).toBe(0)
  expect(await faultsOf(page, 'api-keys')).toEqual([])

  await page.getByRole('row', { name: /Shop/ }).getByRole('button', { name: 'Rename' }).click()
  await page.getByRole('dialog').getByLabel('Name').fill('Old shop')
  await page.keyboard.press('Enter')
  await page
    .getByRole('row', { name: /Old shop/ })
    .getByRole('button', { name: 'Delete the key: Old shop' })
    .click()
  const question = page.getByRole('dialog', { name: 'Delete the key' })
  await question.getByText('Old shop', { exact: true }).waitFor()
  await question.getByText('It was never used.').waitFor()
  await question.getByText('Programs that use it are refused from now on.').waitFor()
  await question.getByRole('button', { name: 'Delete the key' }).click()
  await page.getByText('The API key “Old shop” was deleted').waitFor()
  expect(await service.call('POST', '/emails', { token: token ?? '', body: {} })).toMatchObject({ body: { name: 'invalid_api_key' } })
  await leave(page)
})

it('finds the request that was refused, and shows what was sent and answered', async () => {
  await service.call('POST', '/contacts', { body: { email: 'not an address' } })
  await service.call('POST', '/contacts', { body: { email: 'anna@acme.example' } })
  // Requests are logged by and by.
  await until(async () => expect((await service.call('GET', '/logs?path=/contacts')).body).toMatchObject({ data: [{}, {}] }))
  const { page } = await open('/logs')
  const rows = page.getByRole('row', { name: /POST \/contacts/ })
  await rows.nth(1).waitFor()
  await page.getByRole('combobox', { name: 'Status' }).click()
  await page.getByRole('option', { name: '4xx: refused' }).click()
  await expect.poll(() => rows.count()).toBe(1)
  await page.getByRole('img', { name: /^Requests over time: / }).waitFor()
  expect(await faultsOf(page, 'logs')).toEqual([])
  await rows.getByRole('link').click()
  await page
    .getByRole('row', { name: /Made with full_access/ })
    .getByRole('link', { name: 'Its requests' })
    .waitFor()
  await page.getByRole('group', { name: 'Request body' }).getByText('not an address').waitFor()
  await page.getByRole('group', { name: 'Response body' }).getByText('validation_error').waitFor()
  expect(await faultsOf(page, 'log')).toEqual([])
  await leave(page)
})

it('shows of a long path what tells it apart, also on a phone', async () => {
  const id = '0193a5c2-7d4e-7b1a-9c3f-2e5d8a6b4c98'
  await service.call('GET', `/contacts/${id}/topics`)
  await until(async () => expect((await service.call('GET', `/logs?path=/contacts/${id}/topics`)).body).toMatchObject({ data: [{}] }))
  const { page } = await open(`/logs?path=/contacts/${id}`, 390)
  const request = page.getByRole('link', { name: 'GET /contacts/…8a6b4c98/topics' })
  await request.waitFor()
  const { x = 0, width = 0 } = (await request.boundingBox()) ?? {}
  expect([width > 0, x + width < 390]).toEqual([true, true])
  await request.click()
  await page.getByRole('heading', { level: 1, name: `GET /contacts/${id}/topics` }).waitFor()
  await leave(page)
})

it('shows what programs have access, when they used it last, and the keys that they made', async () => {
  const program = await grantedToken(service, 'api-keys:write')
  await service.call('POST', '/api-keys', { body: { name: 'Of a program', permission: 'sending_access' }, token: program })
  await until(async () => expect((await service.call('GET', '/oauth/grants')).body).not.toMatchObject({ data: [{ last_used_at: null }] }))
  const { page } = await open('/grants')
  const row = page.getByRole('row', { name: /Resend CLI/ })
  await row.getByRole('link', { name: 'Of a program' }).waitFor()
  await row.getByText(/this minute/).waitFor()
  await row.getByText('Change API keys').filter({ visible: true }).waitFor()
  expect(await faultsOf(page, 'grants')).toEqual([])
  await row.getByRole('button', { name: 'End the access' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'End the access' }).click()
  await row.getByText('ended').waitFor()
  await leave(page)
})
