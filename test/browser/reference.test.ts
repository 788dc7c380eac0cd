import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { shared, startTestService } from '../support/servers/service.ts'
import { browserOfWorker, closePages, openWatched, screenshot } from './browser.ts'

let browser: Browser
let watched: Awaited<ReturnType<typeof openWatched>>
let page: Page

// Not where the browser opens the page.
const service = shared(() => startTestService({ environment: { PUBLIC_URL: 'https://mail.example.com' } }))
beforeAll(async () => {
  browser = await browserOfWorker()
  watched = await openWatched(browser, { origin: service.url })
  page = watched.page
  await page.goto(`${service.url}/reference`)
  await page.getByRole('heading', { name: 'Posthaste' }).waitFor()
  await page.locator('.operations-index').waitFor({ state: 'hidden' })
})
afterAll(() => closePages(browser))

// One page, because it takes seconds to draw.
describe('/reference', () => {
  afterEach(() => {
    expect(watched).toMatchObject({ errors: [], strayRequests: [] })
  })

  it('shows what a field is without a click', async () => {
    await page.getByRole('link', { name: 'Send an email' }).first().click()
    await page.getByText('Recipients. One address, or an array of at most 50.').first().waitFor()
    await page.getByText('$RESEND_API_KEY').first().waitFor()
    await screenshot(page, 'reference')
  })

  it('finds an operation that it has not drawn', async () => {
    await page.keyboard.press('Control+k')
    await page.locator('input:focus').waitFor()
    await page.keyboard.type('unsubscribe link')
    await page.getByText('/contacts/{contact_id}/unsubscribe-link').filter({ visible: true }).first().waitFor()
    await page.keyboard.press('Escape')
  })

  it('calls the origin from which it was opened', async () => {
    await page
      .getByRole('button', { name: /Test Request/ })
      .first()
      .click()
    const sent = page.waitForResponse((response) => response.request().method() === 'POST')
    await page.getByRole('button', { name: /^Send/ }).first().click()
    expect(await sent.then((response) => [response.url(), response.status()])).toEqual([`${service.url}/emails`, 401])
    await expect.poll(() => watched.errors.splice(0)).toEqual([expect.stringContaining('401')])
    await screenshot(page, 'reference-sent')
  })
})

it.each(['light', 'dark'] as const)('/reference fits on a phone, in %s colors', async (colorScheme) => {
  const phone = await browser.newPage({ viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true, colorScheme })
  await phone.goto(`${service.url}/reference`)
  await phone.getByRole('heading', { name: 'Posthaste' }).waitFor()
  await phone.locator('.operations-index').waitFor({ state: 'hidden' })
  expect(await phone.evaluate('[innerWidth, document.documentElement.scrollWidth]')).toEqual([390, 390])
  await screenshot(phone, `reference-phone-${colorScheme}`)
  await phone.close()
})

it('is sent with the name of every operation', async () => {
  const { text } = await service.call('GET', '/reference/', { token: null })
  const { body } = await service.call('GET', '/openapi.json', { token: null })
  const { paths } = body as { paths: Record<string, Record<string, { summary: string }>> }
  const [, index = ''] = text.split('<h1>All operations</h1>')
  const names = Object.values(paths).flatMap((item) => Object.values(item).map(({ summary }) => summary))
  expect(names.filter((name) => !index.includes(name))).toEqual([])
})

it('runs no script but ours, and answers whatever host a client names', async () => {
  const pages = await Promise.all(
    ['/reference', '/reference/'].map((path) =>
      service.call('GET', path, { token: null, headers: { 'x-forwarded-host': 'a b', 'x-forwarded-proto': '%' } }),
    ),
  )
  const nonces = pages.map(({ status, headers, text }) => {
    const policy = headers.get('content-security-policy') ?? ''
    const [, nonce = ''] = /script-src 'self' 'nonce-([\w-]{22})';/.exec(policy) ?? []
    const scripts = [...text.matchAll(/<script[^>]*>/g)]
    expect({ status, scripts: scripts.map(([tag]) => tag.includes(` nonce="${nonce}"`)) }).toEqual({ status: 200, scripts: [true, true] })
    return nonce
  })
  expect(new Set(nonces).size).toBe(2)
  const file = await service.call('GET', '/reference/js/scalar.js', { token: null, headers: { 'accept-encoding': 'br' } })
  expect(file.headers.get('content-encoding')).toBe('br')
})

it('brings its icon, so that a browser does not ask the API for one', async () => {
  const { text } = await service.call('GET', '/reference/', { token: null })
  expect(text).toContain('<link rel="icon" href="data:,">')
})
