// Passkeys with the authenticator that Chromium has for tests: what its script and the browser do with our options and our policy of content.

import type { AddressInfo } from 'node:net'
import { connect, createServer, type Server } from 'node:net'
import type { Browser, CDPSession, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { signInPerson } from '../support/clients/people.ts'
import { keepInstallationMails } from '../support/servers/mailed-links.ts'
import { startTestService, type TestService } from '../support/servers/service.ts'
import { violationsOn } from './axe.ts'
import { browserOfWorker, closePages, screenshot } from './browser.ts'

let browser: Browser
let service: TestService
/** PUBLIC_URL: passkeys need a name, and the services of tests listen on an address. */
let named: Server
let origin: string
beforeAll(async () => {
  browser = await browserOfWorker()
  named = createServer((socket) => {
    const { hostname, port } = new URL(service.url)
    const onward = connect(Number(port), hostname)
    socket.on('error', () => onward.destroy()).pipe(onward)
    onward.on('error', () => socket.destroy()).pipe(socket)
  })
  await new Promise<void>((resolve) => named.listen(0, '127.0.0.1', resolve))
  origin = `http://localhost:${(named.address() as AddressInfo).port}`
  service = await startTestService({ environment: { PUBLIC_URL: origin } })
  keepInstallationMails(service.service.context)
})
afterAll(async () => {
  await closePages(browser)
  await service.close()
  named.close()
})

async function open(): Promise<{ page: Page; devtools: CDPSession; errors: string[] }> {
  const context = await browser.newContext({ locale: 'en-US', reducedMotion: 'reduce' })
  const page = await context.newPage()
  const errors: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(message.text())
  })
  page.on('pageerror', (error) => errors.push(error.message))
  const devtools = await context.newCDPSession(page)
  await devtools.send('WebAuthn.enable')
  return { page, devtools, errors }
}

/** A device that keeps passkeys, and checks its person as if they had touched it. */
async function addDevice(devtools: CDPSession): Promise<string> {
  const options = {
    protocol: 'ctap2',
    transport: 'internal',
    hasResidentKey: true,
    hasUserVerification: true,
    isUserVerified: true,
  } as const
  const { authenticatorId } = await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: { ...options, automaticPresenceSimulation: true },
  })
  return authenticatorId
}

async function signInTo(page: Page, name: string): Promise<void> {
  const { cookie } = await signInPerson(service, name, { roles: { [service.teamId]: 'owner' } })
  const [cookieName = '', value = ''] = cookie.split('=', 2)
  await page.context().addCookies([{ name: cookieName, value, url: origin, httpOnly: true, sameSite: 'Strict' }])
}

async function pictures(page: Page, name: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    expect(await violationsOn(page)).toEqual([])
    for (const width of [320, 1280]) {
      await page.setViewportSize({ width, height: 800 })
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
      await screenshot(page, `${name}-${colorScheme}-${width}`)
    }
  }
}

/** Adds one in the dialog of the account, and returns what it says. */
async function add(page: Page, name: string): Promise<string | null> {
  const dialog = page.getByRole('dialog')
  if ((await dialog.count()) === 0) await page.getByRole('button', { name: 'Add a passkey' }).click()
  await dialog.getByLabel('What to call it').fill(name)
  await dialog.getByRole('button', { name: 'Add a passkey' }).click()
  const added = page.getByText('The passkey was added')
  const said = dialog.getByRole('alert').or(added)
  await said.first().waitFor()
  const text = await said.first().textContent()
  // What was said of this one is gone before the next.
  if (await added.isVisible()) {
    await page.locator('.mantine-Notification-closeButton').first().click()
    await added.waitFor({ state: 'detached' })
  } else await dialog.getByRole('button', { name: 'Close' }).first().click()
  await dialog.waitFor({ state: 'hidden' })
  return text
}

async function remove(page: Page): Promise<void> {
  if ((await page.getByRole('dialog').count()) > 0) await page.keyboard.press('Escape')
  await page.getByRole('region', { name: 'Passkeys' }).getByRole('button', { name: 'Remove' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
  await page.getByText('You have none yet.').waitFor()
}

it('a person adds a passkey, signs in with it, confirms with it, and removes it', async () => {
  const { page, devtools, errors } = await open()
  const device = await addDevice(devtools)
  await signInTo(page, 'ada')
  await page.goto(`${origin}/console/account`)
  await page.getByText('You have none yet.').waitFor()
  expect(await add(page, 'Laptop of Ada')).toBe('The passkey was added')
  await page.getByRole('cell', { name: 'Laptop of Ada', exact: true }).waitFor()
  // A device makes one passkey for a person.
  expect(await add(page, 'Again')).toBe('This device has a passkey of yours already.')
  expect((await devtools.send('WebAuthn.getCredentials', { authenticatorId: device })).credentials).toHaveLength(1)

  await page.context().clearCookies()
  await page.goto(`${origin}/console/logs`)
  await page.getByRole('button', { name: 'Sign in with a passkey' }).waitFor()
  await pictures(page, 'passkeys-sign-in')
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
  await page.waitForURL(`${origin}/console/logs`)
  await page.goto(`${origin}/console/account`)
  await page.getByRole('cell', { name: 'Passkey', exact: true }).first().waitFor()

  await service.database.execute('update sessions set confirmed_at = null')
  await page.goto(`${origin}/console/confirm?next=/console/api-keys`)
  await page.getByRole('button', { name: 'Use a passkey' }).waitFor()
  await pictures(page, 'passkeys-confirm')
  await page.getByRole('button', { name: 'Use a passkey' }).click()
  await page.waitForURL(`${origin}/console/api-keys`)
  const [{ confirmed = 0 } = {}] = await service.database.execute<{ confirmed: number }>(
    'select count(confirmed_at)::int as confirmed from sessions',
  )
  expect(confirmed).toBe(1)

  await page.goto(`${origin}/console/account`)
  await remove(page)
  // Who is signed out is told so by an answer that the browser notes.
  expect(errors.filter((text) => !text.includes('401 (Unauthorized)'))).toEqual([])
  await page.context().close()
})

it('says what is wrong, and lets the person try again', async () => {
  const { page, devtools } = await open()
  await signInTo(page, 'grace')
  await page.goto(`${origin}/console/account`)
  const device = await addDevice(devtools)
  await devtools.send('WebAuthn.setUserVerified', { authenticatorId: device, isUserVerified: false })
  expect(await add(page, 'Laptop')).toBe('No passkey was used. Try again.')
  await devtools.send('WebAuthn.setUserVerified', { authenticatorId: device, isUserVerified: true })
  expect(await add(page, 'Laptop')).toBe('The passkey was added')
  // Removed here, it stays on the device until its person removes it there.
  await remove(page)
  await page.context().clearCookies()
  await page.goto(`${origin}/console/sign-in`)
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
  await page.getByText('This passkey was not accepted.').waitFor()
  await page.context().close()
})

it('is offered only at the address of the installation', async () => {
  const { page } = await open()
  await page.goto(`${service.url}/console/sign-in`)
  await page.getByRole('button', { name: 'Mail me a link' }).waitFor()
  expect(await page.getByRole('button', { name: 'Sign in with a passkey' }).isVisible()).toBe(false)
  await page.context().close()
})
