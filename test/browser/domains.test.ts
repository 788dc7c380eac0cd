import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { publishRecords } from '../support/builders/domains.ts'
import { signIn } from '../support/clients/console.ts'
import { createMovingClock } from '../support/clocks/clocks.ts'
import { until } from '../support/clocks/until.ts'
import { startDnsServer } from '../support/servers/dns-server.ts'
import { shared, startTestService } from '../support/servers/service.ts'
import { browserOfWorker, closePages, keepCookie, leave, openWatched, screenshot, type Watched } from './browser.ts'
import { faintTexts } from './contrast.ts'

let browser: Browser
let token: string
const opened: Page[] = []

const dns = shared(() => startDnsServer({}))
const clock = createMovingClock()
const service = shared(() =>
  startTestService({
    clock,
    environment: { DNS_SERVERS: dns.address, ROLES: 'api,worker', MAIL_HOSTNAME: 'mx.posthaste.example' },
  }),
)
beforeAll(async () => {
  browser = await browserOfWorker()
})
// A team of its own for each test, so that its list is empty.
beforeEach(async () => {
  for (const name of Object.keys(dns.zone)) delete dns.zone[name]
  await service.database.execute('truncate domains, domain_records cascade')
  token = await service.createKey((await service.service.context.repositories.teams.create('Readers')).id)
})
afterEach(async () => {
  for (const page of opened.splice(0)) await leave(page)
})
afterAll(() => closePages(browser))

type Shown = { name: string; type: string; value: string }
type Domain = { id: string; status: string; records: Shown[]; recommended_records: Shown[] }

async function register(name: string, more: object = {}): Promise<Domain> {
  return (await service.call('POST', '/domains', { body: { name, ...more }, token })).body as Domain
}
const verify = (id: string) => service.call('POST', `/domains/${id}/verify`, { token })
const untilStatus = (id: string, status: string) =>
  until(async () => expect((await service.call('GET', `/domains/${id}`, { token })).body).toMatchObject({ status }))

const publish = (domain: Domain, root: string) => publishRecords(dns, domain, { root })

async function signedIn(path: string, width?: number): Promise<Watched> {
  const watched = await openWatched(browser, { origin: service.url, ...(width !== undefined && { width }) })
  opened.push(watched.page)
  await enter(watched.page, path)
  return watched
}

async function enter(page: Page, path: string): Promise<void> {
  await keepCookie(page.context(), { origin: service.url, cookie: await signIn(service, token) })
  await page.goto(`${service.url}${path}`)
}

const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'

describe('a domain', () => {
  it('is added by keyboard, and its records are copied whole', async () => {
    const { page, errors, strayRequests } = await signedIn('/console/domains')
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin: service.url })
    await page.getByLabel('Domain', { exact: true }).fill('acme.example')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'acme.example' }).waitFor()
    const { body } = await service.call('GET', `/domains/${page.url().split('/').at(-1)}`, { token })
    const dkim = (body as Domain).records[2]

    const button = page.getByRole('button', { name: 'Copy the value of the DKIM record', exact: true })
    await button.press('Enter')
    await page.getByText('The value of the DKIM record was copied.').waitFor()
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(dkim?.value)
    expect(await button.textContent()).toBe('Copied')

    await page.getByRole('button', { name: 'Copy the name of the DKIM record', exact: true }).click()
    await expect.poll(() => page.evaluate('navigator.clipboard.readText()')).toBe(dkim?.name)
    expect({ errors, strayRequests }).toEqual({ errors: [], strayRequests: [] })
  })

  it('is copied where browsers have no clipboard for scripts, as on pages without TLS', async () => {
    const { id, records } = await register('acme.example')
    const { page } = await signedIn(`/console/domains/${id}`)
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin: service.url })
    await page.evaluate('window.readClipboard = () => Clipboard.prototype.readText.call(window.kept)')
    await page.evaluate("window.kept = navigator.clipboard; Object.defineProperty(navigator, 'clipboard', { value: undefined })")
    await page.getByRole('button', { name: 'Copy the value of the DKIM record', exact: true }).click()
    await page.getByText('The value of the DKIM record was copied.').waitFor()
    expect(await page.evaluate('readClipboard()')).toBe(records[2]?.value)
  })

  it('shows what the DNS answers without reloading, from pending to verified', async () => {
    const domain = await register('acme.example')
    dns.zone['send.acme.example'] = { MX: [[10, 'mx.other.example']] }
    const { page, errors } = await signedIn(`/console/domains/${domain.id}`)
    const state = page.locator('#standing .state')
    expect(await state.textContent()).toBe('not started')
    await page.getByRole('button', { name: 'Verify now' }).click()
    await page.locator('#standing').getByText('pending', { exact: true }).waitFor()
    await page.locator('.found').getByText('10 mx.other.example').waitFor()

    await page.evaluate('window.isSamePage = true')
    await page.locator('#value-2').click()
    publish(domain, 'acme.example')
    clock.advance(11_000)
    await page.locator('#standing').getByText('verified', { exact: true }).waitFor()
    await expect.poll(() => page.locator('h3 + div .state').allTextContents()).toEqual(Array(5).fill('verified'))
    expect(await page.locator('.found').count()).toBe(0)
    expect(await page.evaluate('[window.isSamePage, getSelection().toString()]')).toEqual([true, domain.records[2]?.value])
    expect(errors).toEqual([])
  })

  it('leaves what was found of one record where it is when another one changes', async () => {
    const domain = await register('acme.example')
    dns.zone['send.acme.example'] = { MX: [[10, 'mx.other.example']] }
    const { page } = await signedIn(`/console/domains/${domain.id}`)
    await page.getByRole('button', { name: 'Verify now' }).click()
    const found = page.getByRole('region', { name: 'Found instead of the Return path record' })
    await found.focus()
    publish(domain, 'acme.example')
    dns.zone['send.acme.example'] = { ...dns.zone['send.acme.example'], MX: [[10, 'mx.other.example']] }
    clock.advance(11_000)
    await page.locator('#state-2').getByText('verified').waitFor()
    expect(await found.evaluate('document.activeElement.getAttribute("aria-label")')).toBe('Found instead of the Return path record')
  })

  it('follows what happens by one stream', async () => {
    const { id } = await register('acme.example')
    const answers: unknown[] = []
    const { page } = await signedIn('/console/domains')
    page.on('response', (response) => {
      if (response.url().includes('/progress')) answers.push([response.status(), response.headers()['content-type']])
    })
    await page.goto(`${service.url}/console/domains/${id}`)
    await expect.poll(() => answers, { timeout: 10_000 }).toEqual([[200, 'text/event-stream; charset=utf-8']])
  })

  it('is deleted after a question', async () => {
    const { id } = await register('acme.example')
    const { page } = await signedIn(`/console/domains/${id}`)
    await page.getByRole('link', { name: 'Delete the domain' }).click()
    await page.getByRole('link', { name: 'Keep it' }).click()
    await page.getByRole('link', { name: 'Delete the domain' }).click()
    await page.getByRole('button', { name: 'Delete acme.example' }).click()
    await page.getByText('The domain was deleted.').waitFor()
    await page.getByText('No domains yet').waitFor()
  })

  it('is added, verified and changed where scripts are switched off', async () => {
    const context = await browser.newContext({ javaScriptEnabled: false })
    const page = await context.newPage()
    opened.push(page)
    await enter(page, '/console/domains')
    await page.getByLabel('Domain', { exact: true }).fill('*.example')
    await page.getByRole('button', { name: 'Add the domain' }).click()
    await page.getByRole('alert').getByText('a wildcard is not accepted').waitFor()
    await page.getByLabel('Domain', { exact: true }).fill('acme.example')
    await page.getByRole('button', { name: 'Add the domain' }).click()
    await page.getByRole('heading', { name: 'acme.example' }).waitFor()
    expect(await page.getByRole('button', { name: /^Copy/ }).count()).toBe(0)
    await page.getByLabel('TLS').selectOption('enforced')
    await page.getByRole('button', { name: 'Save the settings' }).click()
    await page.getByText('The settings were saved.').waitFor()
    await page.getByRole('button', { name: 'Verify now' }).click()
    await page.locator('#standing').getByText('pending', { exact: true }).waitFor()
  })
})

/** A team with a domain in every state, of which one has found what is long and hostile. Returns the addresses of its pages. */
async function everyState(): Promise<string[]> {
  const failed = await register('failed.example')
  await verify(failed.id)
  await until(async () => expect(dns.queries).toContain('TXT send.failed.example'))
  clock.advance(73 * 3_600_000)
  await untilStatus(failed.id, 'failed')
  const verified = await register('verified.example')
  publish(verified, 'verified.example')
  await verify(verified.id)
  await untilStatus(verified.id, 'verified')
  const partial = await register(`${'a-long-label-of-a-name-'.repeat(2)}a.${'b'.repeat(63)}.example`, {
    tracking_subdomain: 'links',
    capabilities: { receiving: 'enabled' },
  })
  publish(partial, `${'b'.repeat(63)}.example`)
  const { name } = partial.records.at(-1) ?? { name: '' }
  dns.zone[`${name}.${'b'.repeat(63)}.example`] = {}
  await verify(partial.id)
  await untilStatus(partial.id, 'partially_verified')
  const pending = await register('pending.example')
  dns.zone['send.pending.example'] = { TXT: [`v=spf1 ${'x'.repeat(3_000)}`, 'v=spf1 <script>alert(1)</script>'] }
  await verify(pending.id)
  await until(async () =>
    expect((await service.call('GET', `/domains/${pending.id}`, { token })).body).toMatchObject({
      records: [{}, { found: [expect.any(String), expect.any(String)] }, {}],
    }),
  )
  const fresh = await register('fresh.example')
  return ['', ...[failed, verified, partial, pending, fresh].map(({ id }) => `/${id}`), `/${partial.id}/delete`].map(
    (path) => `/console/domains${path}`,
  )
}

describe('the pages of domains in every state', () => {
  it('are never wider than the screen, and have a contrast of 4.5 at least by day and in the dark', async () => {
    const paths = await everyState()
    for (const [width, colorScheme] of [
      [1280, 'light'],
      [390, 'dark'],
      [320, 'light'],
    ] as const) {
      const { page } = await signedIn('/console/domains', width)
      await page.emulateMedia({ colorScheme })
      for (const path of paths) {
        await page.goto(`${service.url}${path}`)
        for (const summary of await page.locator('main summary').all()) await summary.click()
        expect({ path, width, overflow: await page.evaluate(overflow) }).toEqual({ path, width, overflow: 0 })
        expect({ path, colorScheme, faint: await page.evaluate(faintTexts) }).toEqual({ path, colorScheme, faint: [] })
        await screenshot(page, `domains-${paths.indexOf(path)}-${width}-${colorScheme}`)
      }
      await page.goto(`${service.url}/console/domains`)
      await page.locator('#add > summary').click()
      await page.getByLabel('Domain', { exact: true }).fill('com')
      await page.keyboard.press('Enter')
      await page.getByRole('alert').waitFor()
      expect(await page.evaluate(overflow)).toBe(0)
      expect(await page.evaluate(faintTexts)).toEqual([])
    }
  }, 120_000)
})
