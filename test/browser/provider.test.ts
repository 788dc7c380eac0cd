// Signing in by the operator's identity provider, as the person at the browser sees it. The provider is a real one.
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createId } from '../../src/lib/ids.ts'
import { createGate, type Gate } from '../support/servers/balancer.ts'
import { identityProviderVariables, startIdentityProvider, type TestIdentityProvider } from '../support/servers/identity-provider.ts'
import { startTestService, type TestService } from '../support/servers/service.ts'
import { browserOfWorker, closePages, leave, openWatched, screenshot, type Watched } from './browser.ts'

const TEAM = createId()

let provider: TestIdentityProvider
let service: TestService
/** The address of the service, which the provider has to know before that starts. */
let gate: Gate
let publicUrl: string
let browser: Browser
const opened: Page[] = []

beforeAll(async () => {
  gate = await createGate(0)
  publicUrl = `http://127.0.0.1:${gate.port}`
  provider = await startIdentityProvider(`${publicUrl}/console/sign-in/provider/answer`)
  const groups = `support=${TEAM},others=${createId()}`
  service = await startTestService({ environment: { PUBLIC_URL: publicUrl, ...identityProviderVariables(provider.issuer, groups) } })
  gate.lead(Number(new URL(service.url).port))
  await service.database.execute(`insert into teams (id, name, created_at) values ($1, 'Support of the house', now())`, [TEAM])
  await service.createKey(TEAM)
  browser = await browserOfWorker()
})
afterEach(async () => {
  for (const page of opened.splice(0)) await leave(page)
})
afterAll(async () => {
  await closePages(browser)
  await gate.shut()
  await service.close()
  await provider.close()
})

/** Asks for a page as a stranger, and takes the way of the provider. */
async function signInThere(path: string, width?: number): Promise<Watched> {
  const watched = await openWatched(browser, { origin: publicUrl, ...(width !== undefined && { width }) })
  opened.push(watched.page)
  await watched.page.goto(`${publicUrl}${path}`)
  await watched.page.getByRole('link', { name: 'Sign in with your identity provider' }).click()
  return watched
}

const placeOf = (page: Page): string => page.url().replace(publicUrl, '')

describe.each([390, 1280])('%i px wide', (width) => {
  it("someone opens the page that they asked for, of their group's team, and signs out", async () => {
    provider.account = { sub: 'ada', email: 'ada@example.com', groups: ['support', 'unknown'] }
    const { page, errors, strayRequests } = await signInThere('/console/logs?status=404', width)

    await page.getByText('You are ada@example.com.').waitFor()
    expect(await page.locator('main').getByRole('button').allTextContents()).toEqual(['Open Support of the house'])
    await screenshot(page, `provider-doors-${width}`)
    await page.getByRole('button', { name: 'Open Support of the house' }).and(page.locator(':focus')).waitFor()
    await page.keyboard.press('Enter')

    await page.getByRole('heading', { name: 'Logs', exact: true }).waitFor()
    expect(placeOf(page)).toBe('/console/logs?status=404')
    expect(await page.getByRole('banner').textContent()).toContain('Support of the house')
    await screenshot(page, `provider-signed-in-${width}`)

    await page.goto(`${publicUrl}/console/account`)
    await page.getByRole('heading', { name: 'Sessions' }).waitFor()
    await page.getByRole('button', { name: /Your account|Account/ }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.getByLabel('Your email address').waitFor()
    await page.goto(`${publicUrl}/console/logs`)
    await page.waitForURL(/sign-in/)
    expect(placeOf(page)).toBe('/console/sign-in?next=%2Fconsole%2Flogs')
    const told = errors.filter((text) => !text.includes('401 (Unauthorized)'))
    expect({ errors: told, elsewhere: strayRequests.filter((url) => !url.startsWith(provider.issuer)) }).toEqual({
      errors: [],
      elsewhere: [],
    })
  })

  it('someone whose groups give no team reads why, and can sign in with an address', async () => {
    provider.account = { sub: 'eve', email: 'eve@example.com', groups: ['Support', 'others'] }
    const { page } = await signInThere('/console/logs', width)

    await page.getByText('Your account is not in a group that may sign in here. Ask your operator.').waitFor()
    await screenshot(page, `provider-refused-${width}`)
    await page.getByRole('link', { name: 'Sign in' }).click()
    await page.getByLabel('Your email address').waitFor()
    await page.goto(`${publicUrl}/console/logs`)
    await page.waitForURL(/sign-in/)
    expect(placeOf(page)).toBe('/console/sign-in?next=%2Fconsole%2Flogs')
  })
})
