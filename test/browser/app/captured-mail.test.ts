// The console of an installation that keeps all mail and lacks MAIL_HOSTNAME. Pages that speak of mail say so, and what to do.
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { signIn } from '../../support/clients/console.ts'
import { signInPerson } from '../../support/clients/people.ts'
import { shared, startTestService } from '../../support/servers/service.ts'
import { browserOfWorker, closePages, leave } from '../browser.ts'
import { openApp } from './app.ts'
import { faultsOf } from './look.ts'

const BANNER = /^Mail is kept here and reaches no one/

let browser: Browser
const service = shared(() => startTestService({ environment: { DELIVERY: 'capture', MAIL_HOSTNAME: 'localhost' } }))
const relaying = shared(() => startTestService({ environment: { DELIVERY: 'relay', SMTP_RELAY_URL: 'smtp://127.0.0.1:9' } }))
beforeAll(async () => {
  browser = await browserOfWorker()
})
afterAll(() => closePages(browser))

it('says on every page, to every role, that mail is kept', async () => {
  for (const role of ['owner', 'viewer'] as const) {
    const { page } = await openApp(browser, { origin: service.url, cookie: await signIn(service, service.token, role), path: '/' })
    await page.getByRole('note').filter({ hasText: BANNER }).waitFor()
    await page.goto(`${service.url}/console/account`)
    await page.getByRole('heading', { level: 1, name: 'Your account' }).waitFor()
    expect(await page.getByRole('note').filter({ hasText: BANNER }).count()).toBe(1)
    await leave(page)
  }
})

it('names the command that prints an invitation, and the one that prints a code', async () => {
  const { cookie } = await signInPerson(service, 'ada', { roles: { [service.teamId]: 'owner' } })
  const { page, refused } = await openApp(browser, { origin: service.url, cookie, path: '/members' })
  await page.getByRole('button', { name: 'Invite a person' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Address').fill('kim@acme.example')
  await dialog.getByText('Support', { exact: true }).click()
  await dialog
    .getByText(`npm run -s posthaste -- people invite kim@acme.example --role support --team ${service.teamId}`, { exact: true })
    .waitFor()
  expect(await dialog.getByText('They get a mail').count()).toBe(0)
  expect(await faultsOf(page, 'invite-captured', { everywhere: true })).toEqual([])
  await dialog.getByRole('button', { name: 'Invite a person' }).click()
  await page.getByText('kim@acme.example is invited. The operator prints the link on the server.').waitFor()

  await page.getByRole('link', { name: 'Contacts' }).first().click()
  await page.getByRole('button', { name: 'Export as CSV' }).click()
  const question = page.getByRole('dialog', { name: 'Confirm that it is you' })
  await question.getByText('npm run -s posthaste -- people code ada@people.example', { exact: true }).waitFor()
  expect(await question.getByText('was mailed').count()).toBe(0)
  expect(await faultsOf(page, 'code-captured')).toEqual([])
  expect(refused).toEqual([])
  await leave(page)
})

it('says nothing of this where mail leaves, but for the commands until the first mail has arrived', async () => {
  const { page } = await openApp(browser, { origin: relaying.url, cookie: await signIn(relaying), path: '/members' })
  await page.getByRole('button', { name: 'Invite a person' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('They get a mail with a link. It works once, within seven days.').waitFor()
  await dialog.getByText('This is the first code, link or invitation that is mailed from here').waitFor()
  expect(await page.getByRole('note').filter({ hasText: BANNER }).count()).toBe(0)
  await leave(page)
})

it('warns where records point to localhost, and in the first step', async () => {
  const cookie = await signIn(service)
  const { page, refused } = await openApp(browser, { origin: service.url, cookie, path: '/' })
  await page.getByText('First, the operator sets').waitFor()
  expect(await faultsOf(page, 'first-steps-localhost')).toEqual([])
  const { id } = Object((await service.call('POST', '/domains', { body: { name: 'acme.example' } })).body)
  await page.goto(`${service.url}/console/domains/${id}`)
  await page.getByText('Do not publish these records yet').waitFor()
  expect(await faultsOf(page, 'domain-localhost', { everywhere: true })).toEqual([])
  expect(refused).toEqual([])
  await leave(page)
})
