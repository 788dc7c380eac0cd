import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { signIn } from '../support/clients/console.ts'
import { authorizeQuery, pkce, post, registerClient } from '../support/clients/oauth-client.ts'
import { shared, startTestService } from '../support/servers/service.ts'
import { browserOfWorker, closePages, screenshot } from './browser.ts'

/** What the program registered; it listens at another port. */
const REGISTERED = 'http://127.0.0.1/callback'
const WIDTHS = [320, 390, 1280]

let browser: Browser
/** The program on the person's machine, as far as it answers. */
let program: Server
let programUri: string
/** On a page of the program. */
let links: string[] = []

const service = shared(() => startTestService())
beforeAll(async () => {
  browser = await browserOfWorker()
  program = createServer(({ url }, response) => {
    if (url !== '/links') return void response.setHeader('content-type', 'text/plain').end('Answered')
    const list = links.map((link, index) => `<p><a href="${link.replaceAll('&', '&amp;')}">Link ${index}</a></p>`)
    response.setHeader('content-type', 'text/html').end(`<!doctype html><link rel="icon" href="data:,">${list.join('')}`)
  })
  await new Promise<void>((resolve) => program.listen(0, resolve))
  programUri = `http://127.0.0.1:${(program.address() as AddressInfo).port}/callback`
})
afterAll(async () => {
  await closePages(browser)
  program.close()
})

/** Scripts are off: everything works without them. */
async function open(options: object = {}): Promise<{ page: Page; errors: string[] }> {
  const context = await browser.newContext({ javaScriptEnabled: false, locale: 'en-US', ...options })
  const page = await context.newPage()
  const errors: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(message.text())
  })
  return { page, errors }
}

async function ask(
  page: Page,
  more: Record<string, string> = {},
  { isKnown = false } = {},
): Promise<{ clientId: string; verifier: string }> {
  const { client_id: clientId = '' } = await registerClient(service, { client_name: 'Newsletter editor', redirect_uris: [REGISTERED] })
  const { verifier, challenge } = pkce()
  await page.goto(`${service.url}/oauth/authorize?${authorizeQuery(clientId, challenge, { redirect_uri: programUri, ...more })}`)
  // A person who is signed in already is recognized at once.
  await page.waitForURL(isKnown ? /\/console\/connect\// : /again=1/)
  return { clientId, verifier }
}

/** Signs in the browser of a page, as its owner. */
async function signInto(page: Page): Promise<void> {
  const [name = '', value = ''] = (await signIn(service)).split('=', 2)
  await page.context().addCookies([{ name, value, url: service.url, httpOnly: true, sameSite: 'Strict' }])
}

describe('the page of a program that asks for access', () => {
  it('lets a person sign in, allow it, and come back to the program, which gets tokens', async () => {
    const { page, errors } = await open()
    const { clientId, verifier } = await ask(page, { scope: 'emails:send contacts:read' })
    const link = await page.getByRole('link', { name: 'Sign in' }).getAttribute('href')
    expect(decodeURIComponent(link ?? '')).toMatch(/^\/console\/sign-in\?next=\/console\/connect\//)
    await signInto(page)
    await page.reload()
    await page.getByRole('heading', { name: 'Give Newsletter editor access?' }).waitFor()
    const text = await page.locator('main').textContent()
    for (const said of ['Team of the test', 'a program on this device', 'send emails and broadcasts for your team', 'read contacts'])
      expect(text).toContain(said)
    await screenshot(page, 'consent')
    await page.getByRole('button', { name: 'Allow' }).click()
    await page.waitForURL(/callback\?code=/)
    const code = new URL(page.url()).searchParams.get('code') ?? ''
    const fields = { grant_type: 'authorization_code', client_id: clientId, code, redirect_uri: programUri, code_verifier: verifier }
    expect(await post(service, '/oauth/token', fields)).toMatchObject({ status: 200, body: { scope: 'emails:send contacts:read' } })
    await ask(page, {}, { isKnown: true })
    await page.getByRole('button', { name: 'Refuse' }).click()
    await page.waitForURL(/error=access_denied/)
    expect(errors).toEqual([])
    await page.context().close()
  })

  it.each([
    ['en-US', 'Give Newsletter editor access?'],
    ['de-DE', 'Newsletter editor Zugriff geben?'],
    ['fr-FR', 'Donner accès à Newsletter editor ?'],
    ['es-ES', '¿Dar acceso a Newsletter editor?'],
  ])('speaks the language of the reader: %s', async (locale, title) => {
    const { page, errors } = await open({ locale })
    await ask(page)
    expect(await page.title()).toBe(title)
    expect(await page.locator('h1').textContent()).toBe(title)
    expect(errors).toEqual([])
    await page.context().close()
  })

  it.each(['light', 'dark'] as const)('fits on a phone, in %s colors', async (colorScheme) => {
    const { page, errors } = await open({ colorScheme })
    await ask(page, { scope: 'full_access' })
    await signInto(page)
    await page.reload()
    await page.getByRole('button', { name: 'Allow' }).waitFor()
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 800 })
      const box = await page.locator('main').boundingBox()
      expect((box?.x ?? -1) >= 0 && (box?.x ?? 0) + (box?.width ?? 0) <= width).toBe(true)
      await screenshot(page, `consent-${colorScheme}-${width}`)
    }
    expect(errors).toEqual([])
    await page.context().close()
  })

  it('leads a person who refused a site that no one has verified to a page of ours', async () => {
    const { page, errors } = await open()
    const { client_id: clientId = '' } = await registerClient(service, { redirect_uris: ['https://editor.example/cb'] })
    const query = authorizeQuery(clientId, pkce().challenge, { redirect_uri: 'https://editor.example/cb' })
    await page.goto(`${service.url}/oauth/authorize?${query}`)
    await page.waitForURL(/again=1/)
    await page.getByRole('button', { name: 'Refuse' }).click()
    await page.getByRole('heading', { name: 'You refused access' }).waitFor()
    expect(new URL(page.url()).origin).toBe(new URL(service.url).origin)
    const link = page.getByRole('link', { name: 'Back to editor.example' })
    expect(new URL((await link.getAttribute('href')) ?? '').searchParams.get('error')).toBe('access_denied')
    await screenshot(page, 'consent-refused')
    expect(errors).toEqual([])
    await page.context().close()
  })

  it('and a link of another site ends signed in, without a second sign-in', async () => {
    const { page, errors } = await open()
    await signInto(page)
    const { client_id: clientId = '' } = await registerClient(service, { client_name: 'Newsletter editor', redirect_uris: [REGISTERED] })
    const query = authorizeQuery(clientId, pkce().challenge, { redirect_uri: programUri })
    // Another host is another site: a cookie that is Strict does not come along.
    const site = programUri.replace('127.0.0.1', 'localhost').replace(/callback$/, 'links')
    links = [`${service.url}/oauth/authorize?${query}`]
    await page.goto(site)
    await page.getByRole('link', { name: 'Link 0' }).click()
    await page.getByRole('button', { name: 'Allow' }).waitFor()
    expect(errors).toEqual([])
    await page.context().close()
  })

  it('is shown in no frame of another page', async () => {
    const { page } = await open()
    await ask(page)
    const response = await page.reload()
    expect(response?.headers()).toMatchObject({
      'x-frame-options': 'DENY',
      'content-security-policy': expect.stringMatching(
        /form-action 'self' http:\/\/127\.0\.0\.1:\d+; base-uri 'none'; frame-ancestors 'none'$/,
      ),
    })
    expect(response?.headers()['content-security-policy']).not.toContain('script-src')
    await page.context().close()
  })
})
