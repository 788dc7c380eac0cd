import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { signIn } from '../support/clients/console.ts'
import { shared, startTestService } from '../support/servers/service.ts'
import { browserOfWorker, closePages, leave, openSignedIn, screenshot, type Watched } from './browser.ts'

let browser: Browser
let cookie: string

const service = shared(() => startTestService())
beforeAll(async () => {
  browser = await browserOfWorker()
  cookie = await signIn(service)
})
afterAll(() => closePages(browser))

const open = (path: string, width?: number): Promise<Watched> => openSignedIn(browser, { origin: service.url, cookie, path, width })

it('makes a key, copies it, finds its request in the logs, and deletes it', { timeout: 60_000 }, async () => {
  const { page, errors, strayRequests } = await open('/console/api-keys')
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin: service.url })
  await page.getByText('Create an API key').click()
  await page.getByLabel('Name').fill('Shop')
  await page.getByLabel('only send emails').check()
  await page.getByLabel('Name').press('Enter')
  await page.getByRole('button', { name: 'Copy the key' }).click()
  await page.getByText('The key was copied.').waitFor()
  await screenshot(page, 'api-key-created')
  const token = String(await page.evaluate('navigator.clipboard.readText()'))
  const sent = { from: 'a@example.com', to: 'delivered@simulator.test', subject: 'From the shop', text: 't' }
  expect((await service.call('POST', '/emails', { token, body: sent })).status).toBe(200)
  await service.service.context.repositories.requestLogs.flush()

  await page.getByRole('link', { name: 'Go to the key' }).click()
  await page.getByRole('link', { name: 'Its requests in the logs' }).click()
  await page.getByRole('link', { name: 'POST /emails' }).click()
  expect(await page.getByLabel('Request body').textContent()).toContain('From the shop')
  await screenshot(page, 'log')
  await page.getByRole('link', { name: /^email …/ }).click()
  await page.getByRole('heading', { name: 'From the shop' }).waitFor()

  await page.goto(`${service.url}/console/api-keys`)
  await page.getByRole('link', { name: 'Shop' }).click()
  await page.getByRole('link', { name: 'Delete the key…' }).click()
  await page.getByText('Programs that use it are refused from now on.').waitFor()
  await page.getByRole('button', { name: 'Delete the key' }).click()
  await page.getByText('The key was deleted.').waitFor()
  expect((await service.call('POST', '/emails', { token, body: sent })).status).toBe(403)
  expect({ errors, strayRequests }).toEqual({ errors: [], strayRequests: [] })
  await leave(page)
})

it('finds a record from any page by keyboard', { timeout: 60_000 }, async () => {
  await service.call('POST', '/segments', { body: { name: 'Readers of the paper' } })
  const { body } = await service.call('POST', '/events', { body: { name: 'paper.read' } })
  const { id } = body as { id: string }
  const { page, errors } = await open('/console/webhooks')
  await page.keyboard.press('Control+k')
  await page.keyboard.type('paper')
  await page.getByText('2 records found.').waitFor()
  await screenshot(page, 'palette')
  await page.keyboard.press('Escape')
  expect(await page.getByText('2 records found.').isVisible()).toBe(false)
  await page.locator('main').focus()
  await page.keyboard.press('/')
  await page.keyboard.insertText(id)
  await page.getByText('1 record found.').waitFor()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await page.waitForURL(`**/console/events/${id}`)
  await page.getByLabel('Fields of its payload').press('/')
  expect(await page.getByLabel('Fields of its payload').inputValue()).toBe('/')
  expect(errors).toEqual([])
  await leave(page)
})

it('says when searches are busy, and asks again', { timeout: 60_000 }, async () => {
  const { page } = await open('/console/webhooks')
  const statuses = [503, 429]
  await page.route('**/console/search/found?*', async (route) => {
    const status = statuses.shift()
    await (status === undefined ? route.continue() : route.fulfill({ status, headers: { 'retry-after': '1' }, body: 'busy' }))
  })
  await page.keyboard.press('Control+k')
  await page.keyboard.insertText('paper')
  await page.getByRole('status').getByText('The search is busy. It is tried again in a moment.').waitFor()
  await page.getByText('2 records found.').waitFor()
  expect(statuses).toEqual([])
  await leave(page)
})

it('searches without scripts, also on a phone', { timeout: 60_000 }, async () => {
  const context = await browser.newContext({ javaScriptEnabled: false, viewport: { width: 390, height: 844 } })
  const [name = '', value = ''] = cookie.split('=', 2)
  await context.addCookies([{ name, value, url: service.url }])
  const page = await context.newPage()
  await page.goto(`${service.url}/console/emails`)
  await page.getByText('Menu').click()
  await page.getByRole('link', { name: 'Search', exact: true }).click()
  await page.getByRole('searchbox').last().fill('paper')
  await page.keyboard.press('Enter')
  await page.getByRole('link', { name: 'Readers of the paper' }).waitFor()
  await context.close()
})

it('tries operations in the documentation for the team that is signed in, without a key in the page', { timeout: 60_000 }, async () => {
  const { page, errors } = await open('/docs')
  await page.getByText('requests from this page act for the team Team of the test').waitFor()
  await page.locator('.opblock:has(a[href$="/emails.list"]) .opblock-summary-control').click()
  await page.getByRole('button', { name: 'Execute' }).click()
  const status = page.locator('.live-responses-table .response .response-col_status')
  await expect.poll(async () => (await status.textContent())?.trim()).toContain('200')
  expect(await page.locator('.curl-command').textContent()).not.toMatch(/authorization/i)
  expect(await page.content()).not.toMatch(/session_(?!id\b)/)
  expect(await page.evaluate('JSON.stringify({ ...localStorage, ...sessionStorage })')).not.toMatch(/session_(?!id\b)/)
  await screenshot(page, 'docs-signed-in')
  expect(errors).toEqual([])
  await leave(page)
})
