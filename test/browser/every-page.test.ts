// Every page that people look at, with nothing in it, with one of everything, and with more than a page shows: nothing that axe-core finds, on a
// phone and on a desktop, in light and dark colors; never wider than the screen; and a small download.
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createOperatorLink } from '../../src/services/create-sign-in-link.ts'
import { signIn, visit } from '../support/clients/console-visitor.ts'
import { authorizeQuery, pkce, registerClient } from '../support/clients/oauth-client.ts'
import { makeOverfull } from '../support/records/overfull-team.ts'
import type { Parameter } from '../support/records/record-builder.ts'
import { recordsOf } from '../support/records/records.ts'
import { startTestService, type TestService } from '../support/servers/service.ts'
import { violationsOn } from './axe.ts'
import { launchBrowser, screenshot } from './browser.ts'
import { consoleRoutesOf, filledRoute } from './pages-of-routes.ts'

/** On each of them nothing may be wider than the screen. */
const WIDTHS = [390, 768, 1440]
const DEVICES = { phone: { width: 390, height: 844 }, desktop: { width: 1440, height: 900 } }
const STYLED_BYTES_MAX = 60 * 1024
const SCRIPT_BYTES_MAX = 30 * 1024
/** Routes whose parameters are no ids: what they show is opened by its own way. */
const OPENED_OTHERWISE = ['/console/connect/:uid', '/console/segments/removed/:id/progress', '/console/sign-in/:token']

let service: TestService
let browser: Browser
/** The session of a team that has one of everything, and of an operator. */
let cookie: string
let operator: string
/** The ids of its records. */
let ids: Map<Parameter, string>
/** The addresses of all pages, of the team or of anyone. */
let addresses: string[]

type Seen = { path: string; isPage: boolean; html: string }

async function see(path: string, session: string): Promise<Seen> {
  const response = await fetch(`${service.url}${path}`, { headers: { cookie: session }, redirect: 'manual' })
  const html = await response.text()
  return { path, isPage: response.status === 200 && html.startsWith('<!doctype html>'), html }
}

/** The mail in a frame is a document of its own, which its sender wrote. */
const isFrame = (path: string): boolean => /\/html(?:\?|$)/.test(path)

beforeAll(async () => {
  service = await startTestService()
  browser = await launchBrowser()
  ids = await recordsOf(service).oneOfEach()
  await service.service.context.repositories.requestLogs.flush()
  const link = new URL(await createOperatorLink(service.service.context, { forMs: 60_000 }))
  operator = (await visit(service, 'POST', link.pathname)).cookie?.split(';', 1)[0] ?? ''
  cookie = `${await signIn(service)}; ${operator}`
  const routes = service.service.app ? consoleRoutesOf(service.service.app) : []
  const unfilled: string[] = []
  const paths = routes.flatMap((route) => {
    const path = filledRoute(route, ids)
    if (path === null) unfilled.push(route)
    return path ?? []
  })
  // A new route with another parameter must say here how it is opened.
  expect(unfilled.sort()).toEqual(OPENED_OTHERWISE)
  const pages = await Promise.all(paths.filter((path) => !isFrame(path)).map((path) => see(path, cookie)))
  addresses = [
    ...pages.filter(({ isPage }) => isPage).map(({ path }) => path),
    ...(await publicPages(ids.get('email_id'), ids.get('contact_id'))),
  ]
}, 120_000)
afterAll(async () => {
  await browser.close()
  await service.close()
})

/** Pages that need no session: those of the service, of a shared email, of a contact. */
async function publicPages(emailId = '', contactId = ''): Promise<string[]> {
  const shared = (await service.call('POST', `/emails/${emailId}/share`, { body: {} })).body as { url: string }
  const link = (await service.call('GET', `/contacts/${contactId}/unsubscribe-link`)).body as { url: string }
  return ['/', '/nowhere', ...[shared, link].map(({ url }) => new URL(url).pathname)]
}

const open = async (device: keyof typeof DEVICES, session: string): Promise<Page> => {
  const context = await browser.newContext({ viewport: DEVICES[device], reducedMotion: 'reduce', bypassCSP: true })
  await context.addCookies(
    session.split('; ').map((one) => {
      const [name = '', value = ''] = one.split('=', 2)
      return { name, value, url: service.url }
    }),
  )
  return context.newPage()
}

/** In both colors; the second differs in nothing else. */
async function violationsInBothColors(page: Page, name: string): Promise<string[]> {
  const found: string[] = []
  for (const [colorScheme, rules] of [
    ['light', undefined],
    ['dark', ['color-contrast', 'link-in-text-block']],
  ] as const) {
    await page.emulateMedia({ colorScheme })
    found.push(...(await violationsOn(page, rules && { only: rules })).map((one) => `${colorScheme}: ${one}`))
    await screenshot(page, `${name}-${colorScheme}`)
  }
  return found
}

/** What is wider than the screen, at each width and in both colors. */
async function tooWide(page: Page, name: string): Promise<string[]> {
  const before = page.viewportSize()
  const found: string[] = []
  for (const width of WIDTHS)
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.setViewportSize({ width, height: 900 })
      await page.emulateMedia({ colorScheme })
      const extra = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')
      if (Number(extra) > 0) found.push(`${width} ${colorScheme}: ${extra} too wide`)
      await screenshot(page, `${name}-${width}-${colorScheme}`)
    }
  if (before) await page.setViewportSize(before)
  return found
}

/** On a phone, a page is looked at in all widths too. */
const problemsOn = async (page: Page, { device, name }: { device: keyof typeof DEVICES; name: string }): Promise<string[]> => [
  ...(await violationsInBothColors(page, `${name}-${device}`)),
  ...(device === 'phone' ? await tooWide(page, name) : []),
]

const isOfNoRecord = (path: string): boolean => /^\/console(?:\/[a-z-]+){0,2}$/.test(path)
const nameOf = (path: string): string => path.replaceAll(/[^\w]+/g, '-').slice(0, 60)

it('finds the pages among the routes', () => {
  expect(addresses.length).toBeGreaterThan(35)
  for (const path of ['/console', '/console/search', '/console/api-keys', '/console/logs', '/console/operation', '/console/sign-in'])
    expect(addresses).toContain(path)
})

describe.each(Object.keys(DEVICES) as (keyof typeof DEVICES)[])('on a %s', (device) => {
  it('axe-core finds nothing in any page', { timeout: 600_000 }, async () => {
    const page = await open(device, cookie)
    const found: Record<string, string[]> = {}
    for (const path of addresses) {
      await page.goto(`${service.url}${path}`)
      const violations = await problemsOn(page, { device, name: nameOf(path) })
      if (violations.length > 0) found[path] = violations
    }
    expect(found).toEqual({})
    await page.context().close()
  })

  it('axe-core finds nothing in the pages of a team without anything, nor where access is decided', { timeout: 600_000 }, async () => {
    const page = await open(device, await signIn(service, service.other.token))
    const found: Record<string, string[]> = {}
    for (const path of addresses.filter(isOfNoRecord)) {
      await page.goto(`${service.url}${path}`)
      const violations = await problemsOn(page, { device, name: `empty-${nameOf(path)}` })
      if (violations.length > 0) found[path] = violations
    }
    const { client_id: clientId = '' } = await registerClient(service, { client_name: 'Newsletter editor' })
    for (const session of [true, false]) {
      if (!session) await page.context().clearCookies()
      await page.goto(`${service.url}/oauth/authorize?${authorizeQuery(clientId, pkce().challenge)}`)
      const violations = await violationsInBothColors(page, `consent-${session}-${device}`)
      if (violations.length > 0) found[`consent ${session}`] = violations
    }
    expect(found).toEqual({})
    await page.context().close()
  })
})

describe('an answer to a form that is refused', () => {
  it('is shown as a page in which axe-core finds nothing, and which is not too wide', { timeout: 600_000 }, async () => {
    const forms = service.service.app ? consoleRoutesOf(service.service.app, 'POST').filter((route) => !ACTS_AT_ONCE.test(route)) : []
    const answers: [path: string, html: string][] = []
    for (const path of forms.flatMap((route) => filledRoute(route, ids) ?? [])) {
      const headers = { cookie, origin: service.url, 'content-type': 'application/x-www-form-urlencoded' }
      const response = await fetch(`${service.url}${path}`, { method: 'POST', redirect: 'manual', headers, body: REFUSED })
      const html = await response.text()
      if (response.status === 422 && html.includes('<form')) answers.push([path, html])
    }
    expect(answers.length).toBeGreaterThan(12)
    const page = await open('phone', cookie)
    const found: Record<string, string[]> = {}
    for (const [path, body] of answers) {
      await page.route(/\/refused$/, (route) => route.fulfill({ contentType: 'text/html; charset=utf-8', body }), { times: 1 })
      await page.goto(`${service.url}/refused`)
      const problems = await problemsOn(page, { device: 'phone', name: `refused-${nameOf(path)}` })
      if (problems.length > 0) found[path] = problems
    }
    expect(found).toEqual({})
    await page.context().close()
  })
})

/** These do what they are for without any field. */
const ACTS_AT_ONCE =
  /(?:delete|end|end-others|sign-out|revoke|remove|cancel|stop|disable|enable|pause|resume|publish|send|enter|first-email)$/
/** What no record may be called. */
const REFUSED = new URLSearchParams(
  ['name', 'email', 'key', 'from', 'to', 'endpoint', 'subject', 'address', 'scheduled_at', 'rate_per_hour', 'tracking_subdomain'].map(
    (name): [string, string] => [name, `\u202e<b>${'not-a-valid-value'.repeat(4)}`],
  ),
).toString()

it('downloads less than 60 KiB of document and styles, and 30 KiB of scripts, for each page', async () => {
  expect(await tooLarge(addresses)).toEqual({})
})

describe('a team with more than a page shows', () => {
  beforeAll(() => makeOverfull(service))

  it('has small pages, which are not too wide and in which axe-core finds nothing', { timeout: 600_000 }, async () => {
    expect(await tooLarge(addresses)).toEqual({})
    const page = await open('phone', cookie)
    const found: Record<string, string[]> = {}
    for (const path of addresses.filter(isOfNoRecord)) {
      await page.goto(`${service.url}${path}`)
      const problems = await problemsOn(page, { device: 'phone', name: `overfull-${nameOf(path)}` })
      if (problems.length > 0) found[path] = problems
    }
    expect(found).toEqual({})
    await page.context().close()
  })
})

/** The pages whose download is larger than it may be. */
async function tooLarge(paths: string[]): Promise<Record<string, object>> {
  const sizes = new Map<string, Promise<number>>()
  const sizeOf = (path: string): Promise<number> => {
    const known = sizes.get(path) ?? fetch(`${service.url}${path}`).then(async (response) => (await response.arrayBuffer()).byteLength)
    sizes.set(path, known)
    return known
  }
  const found: Record<string, object> = {}
  for (const path of paths) {
    const { html } = await see(path, cookie)
    const sum = async (form: RegExp): Promise<number> => {
      const parts = await Promise.all([...html.matchAll(form)].map(([, address = '']) => sizeOf(address)))
      return parts.reduce((total, size) => total + size, 0)
    }
    const styled = Buffer.byteLength(html) + (await sum(/<link rel="stylesheet" href="([^"]+)"/g))
    const script = await sum(/<script[^>]* src="([^"]+)"/g)
    if (styled > STYLED_BYTES_MAX || script > SCRIPT_BYTES_MAX) found[path] = { styled, script }
  }
  return found
}
