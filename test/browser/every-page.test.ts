// Every page that people look at, with nothing in it, with one of everything, and with more than a page shows: nothing that axe-core finds on a
// phone, in light and dark colors; never wider than the screen; and a small download. Five of them on wider screens too.
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createOperatorLink } from '../../src/modules/accounts/sessions/sessions.service.ts'
import { signIn, visit } from '../support/clients/console.ts'
import { authorizeQuery, pkce, registerClient } from '../support/clients/oauth-client.ts'
import type { Parameter } from '../support/records/record-builder.ts'
import { recordsOf } from '../support/records/records.ts'
import { shared, startTestService } from '../support/servers/service.ts'
import { violationsOn } from './axe.ts'
import { browserOfWorker, closePages, screenshot } from './browser.ts'
import { makeOverfull } from './overfull-team.ts'
import { consoleRoutesOf, filledRoute } from './pages-of-routes.ts'

const PHONE = { width: 390, height: 844 }
const WIDER = [
  { width: 768, height: 1024 },
  { width: 1440, height: 900 },
]
/** One of each kind: an overview, a list, a record, a drawing, and what strangers see. */
const SEEN_WIDER = [
  /^\/console$/,
  /^\/console\/emails$/,
  /^\/console\/emails\/[\da-f-]{36}$/,
  /^\/console\/automations\/[\da-f-]{36}$/,
  /^\/unsubscribe\//,
]
const STYLED_BYTES_MAX = 60 * 1024
const SCRIPT_BYTES_MAX = 30 * 1024
/** Routes whose parameters are no ids: what they show is opened by its own way. */
const OPENED_OTHERWISE = ['/console/connect/:uid', '/console/segments/removed/:id/progress', '/console/sign-in/:token']

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

const service = shared(() => startTestService(), 120_000)
beforeAll(async () => {
  browser = await browserOfWorker()
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
afterAll(() => closePages(browser))

/** Pages that need no session: those of the service, of a shared email, of a contact. */
async function publicPages(emailId = '', contactId = ''): Promise<string[]> {
  const shared = (await service.call('POST', `/emails/${emailId}/share`, { body: {} })).body as { url: string }
  const link = (await service.call('GET', `/contacts/${contactId}/unsubscribe-link`)).body as { url: string }
  return ['/', '/nowhere', ...[shared, link].map(({ url }) => new URL(url).pathname)]
}

const open = async (session: string): Promise<Page> => {
  const context = await browser.newContext({ viewport: PHONE, reducedMotion: 'reduce', bypassCSP: true })
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

/** Violations, and what is wider than the screen. */
async function problemsOn(page: Page, name: string): Promise<string[]> {
  const extra = Number(await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth'))
  return [...(await violationsInBothColors(page, name)), ...(extra > 0 ? [`${extra} too wide`] : [])]
}

async function problemsOnWider(page: Page, name: string): Promise<string[]> {
  const found: string[] = []
  for (const screen of WIDER) {
    await page.setViewportSize(screen)
    found.push(...(await problemsOn(page, `${name}-${screen.width}`)).map((one) => `${screen.width}: ${one}`))
  }
  await page.setViewportSize(PHONE)
  return found
}

const isOfNoRecord = (path: string): boolean => /^\/console(?:\/[a-z-]+){0,2}$/.test(path)
const nameOf = (path: string): string => path.replaceAll(/[^\w]+/g, '-').slice(0, 60)

it('finds the pages among the routes', () => {
  expect(addresses.length).toBeGreaterThan(35)
  for (const path of ['/console', '/console/search', '/console/api-keys', '/console/logs', '/console/operation', '/console/sign-in'])
    expect(addresses).toContain(path)
})

it('axe-core finds nothing in any page', { timeout: 600_000 }, async () => {
  const page = await open(cookie)
  const found: Record<string, string[]> = {}
  for (const path of addresses) {
    await page.goto(`${service.url}${path}`)
    const problems = await problemsOn(page, nameOf(path))
    if (problems.length > 0) found[path] = problems
  }
  expect(found).toEqual({})
  await page.context().close()
})

it('axe-core finds nothing in a page of each kind on wider screens', { timeout: 600_000 }, async () => {
  const page = await open(cookie)
  const found: Record<string, string[]> = {}
  const paths = SEEN_WIDER.map((form) => addresses.find((path) => form.test(path)))
  expect(paths).not.toContain(undefined)
  for (const path of paths) {
    await page.goto(`${service.url}${path}`)
    const problems = await problemsOnWider(page, nameOf(String(path)))
    if (problems.length > 0) found[String(path)] = problems
  }
  expect(found).toEqual({})
  await page.context().close()
})

it('axe-core finds nothing in the pages of a team without anything, nor where access is decided', { timeout: 600_000 }, async () => {
  const page = await open(await signIn(service, service.other.token))
  const found: Record<string, string[]> = {}
  for (const path of addresses.filter(isOfNoRecord)) {
    await page.goto(`${service.url}${path}`)
    const problems = await problemsOn(page, `empty-${nameOf(path)}`)
    if (problems.length > 0) found[path] = problems
  }
  const { client_id: clientId = '' } = await registerClient(service, { client_name: 'Newsletter editor' })
  for (const session of [true, false]) {
    if (!session) await page.context().clearCookies()
    await page.goto(`${service.url}/oauth/authorize?${authorizeQuery(clientId, pkce().challenge)}`)
    const problems = await violationsInBothColors(page, `consent-${session}`)
    if (problems.length > 0) found[`consent ${session}`] = problems
  }
  expect(found).toEqual({})
  await page.context().close()
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
    const page = await open(cookie)
    const found: Record<string, string[]> = {}
    for (const [path, body] of answers) {
      await page.route(/\/refused$/, (route) => route.fulfill({ contentType: 'text/html; charset=utf-8', body }), { times: 1 })
      await page.goto(`${service.url}/refused`)
      const problems = await problemsOn(page, `refused-${nameOf(path)}`)
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
    const page = await open(cookie)
    const found: Record<string, string[]> = {}
    for (const path of addresses.filter(isOfNoRecord)) {
      await page.goto(`${service.url}${path}`)
      const problems = await problemsOn(page, `overfull-${nameOf(path)}`)
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
