// What is a person's own: name, passkeys, sessions, teams.
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { signInPerson } from '../../support/clients/people.ts'
import { keepInstallationMails } from '../../support/servers/mailed-links.ts'
import { type NamedAddress, openNamedAddress } from '../../support/servers/named-address.ts'
import { startTestService, type TestService } from '../../support/servers/service.ts'
import { browserOfWorker, closePages } from '../browser.ts'
import { openApp } from './app.ts'
import { faultsOf } from './look.ts'

let browser: Browser
let service: TestService
/** Passkeys need a name, and the services of tests listen on an address. */
let named: NamedAddress
let origin: string
beforeAll(async () => {
  browser = await browserOfWorker()
  named = await openNamedAddress(() => service.url)
  origin = named.origin
  service = await startTestService({ environment: { PUBLIC_URL: origin } })
  keepInstallationMails(service.service.context)
})
afterAll(async () => {
  await closePages(browser)
  await service.close()
  named.close()
})

async function addAuthenticator(page: Page): Promise<void> {
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('WebAuthn.enable')
  await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      ...{ protocol: 'ctap2', transport: 'internal', hasResidentKey: true, hasUserVerification: true },
      ...{ isUserVerified: true, automaticPresenceSimulation: true },
    },
  })
}

it('changes the name, adds a passkey and removes it, and ends the other sessions', async () => {
  await signInPerson(service, 'ada', { roles: { [service.teamId]: 'owner' } })
  const { cookie } = await signInPerson(service, 'ada', { roles: { [service.teamId]: 'owner' } })
  const { page, refused } = await openApp(browser, { origin, cookie, path: '/account' })
  await addAuthenticator(page)
  await page.getByText('You have none yet.').waitFor()
  await page.getByLabel('Name').fill('Ada Lovelace')
  await page.getByRole('button', { name: 'Save the name' }).click()
  await page.getByText('Your name was changed').waitFor()

  await page.getByRole('button', { name: 'Add a passkey' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('What to call it').fill('Laptop of Ada')
  await dialog.getByRole('button', { name: 'Add a passkey' }).click()
  await page.getByRole('cell', { name: 'Laptop of Ada', exact: true }).waitFor()
  expect(await faultsOf(page, 'account')).toEqual([])
  await page.getByRole('region', { name: 'Passkeys' }).getByRole('button', { name: 'Remove' }).click()
  await dialog.getByRole('button', { name: 'Remove' }).click()
  await page.getByText('You have none yet.').waitFor()

  await page.getByRole('button', { name: 'End all others' }).click()
  await dialog.getByRole('button', { name: 'End all others' }).click()
  await page.getByText('All other sessions have ended').waitFor()
  const [count] = await service.database.execute<{ sessions: number }>('select count(*)::int as sessions from sessions')
  expect(count?.sessions).toBe(1)
  expect(refused).toEqual([])
})

it('confirms with a passkey that it is them, and keeps the form for which that was asked', async () => {
  const { cookie } = await signInPerson(service, 'grace', { roles: { [service.teamId]: 'owner' } })
  const { page, refused } = await openApp(browser, { origin, cookie, path: '/account' })
  await addAuthenticator(page)
  const dialog = page.getByRole('dialog')
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  await dialog.getByRole('button', { name: 'Add a passkey' }).click()
  await page.getByText('The passkey was added').waitFor()
  // It was added after a fresh sign-in, which does not count for what comes now.
  await service.database.execute('update sessions set confirmed_at = null')
  await page.getByRole('link', { name: 'API keys' }).click()
  await page.getByRole('button', { name: 'Create an API key' }).click()
  await page.getByLabel('Name').fill('All of it')
  await page.getByLabel('Do everything').check()
  await dialog.getByRole('button', { name: 'Create an API key' }).click()
  const question = page.getByRole('dialog', { name: 'Confirm that it is you' })
  await question.getByRole('button', { name: 'Mail me a code instead' }).waitFor()
  expect(await faultsOf(page, 'confirm-passkey')).toEqual([])
  await question.getByRole('button', { name: 'Use a passkey' }).click()
  await page.getByRole('dialog', { name: 'The new API key' }).getByText(/^re_/).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('row', { name: /All of it/ }).waitFor()
  expect(refused).toEqual([])
})
