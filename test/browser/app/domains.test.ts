// Adding a domain, publishing its records, and giving it up, in the console.
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { publishRecords } from '../../support/builders/domains.ts'
import { signIn } from '../../support/clients/console.ts'
import { startDnsServer } from '../../support/servers/dns-server.ts'
import { shared, startTestService } from '../../support/servers/service.ts'
import { browserOfWorker, closePages, leave } from '../browser.ts'
import { chooseAct, openApp } from './app.ts'
import { faultsOf } from './look.ts'

let browser: Browser
const dns = shared(() => startDnsServer({}))
const service = shared(() =>
  startTestService({ environment: { DNS_SERVERS: dns.address, ROLES: 'api,worker', MAIL_HOSTNAME: 'mx.posthaste.example' } }),
)
beforeAll(async () => {
  browser = await browserOfWorker()
})
afterAll(() => closePages(browser))

it('adds a domain for both uses, copies a record, saves the zone file, and follows the DNS until all is found', async () => {
  const { page, refused, strayRequests } = await openApp(browser, { origin: service.url, cookie: await signIn(service), path: '/domains' })
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin: service.url })
  await page.getByText('Add the domain that you send from.').waitFor()
  await page.getByRole('button', { name: 'Add a domain' }).click()
  await page.getByLabel('Name').fill('mail.acme.example')
  await page.getByLabel('Receive emails to the domain').check()
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'mail.acme.example' }).waitFor()

  const id = page.url().split('/').at(-1) ?? ''
  const domain = (await service.call('GET', `/domains/${id}`)).body as { records: { record: string; value: string }[] }
  const records = page.getByRole('region', { name: 'Records to publish' })
  const dkim = records.getByRole('row', { name: /^DKIM/ }).first()
  await dkim.getByRole('button', { name: /^Copy: p=|^Copy: v=DKIM/ }).click()
  const values = domain.records.map(({ value }) => value)
  await expect.poll(async () => values.includes(await page.evaluate<string>('navigator.clipboard.readText()'))).toBe(true)

  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Zone file' }).click()
  expect((await download).suggestedFilename()).toContain('mail.acme.example')
  await expect.poll(() => page.getByText('Enabled, but not until it is verified').count()).toBe(2)
  expect(await faultsOf(page, 'domain')).toEqual([])

  publishRecords(dns, domain as never, { root: 'acme.example' })
  await page.getByRole('button', { name: 'Verify now' }).click()
  await page.getByText('All records are published.').waitFor()

  await page.getByRole('link', { name: '← Domains' }).click()
  await page.getByRole('row', { name: /mail\.acme\.example Verified sending, receiving/ }).waitFor()
  expect(await faultsOf(page, 'domains')).toEqual([])
  expect({ refused, strayRequests }).toEqual({ refused: [], strayRequests: [] })
  await leave(page)
})

it('saves what is tracked, keeps what was typed when the API refuses it, and deletes the domain by its name', async () => {
  const { body } = await service.call('POST', '/domains', { body: { name: 'old.example' } })
  const { page } = await openApp(browser, {
    origin: service.url,
    cookie: await signIn(service),
    path: `/domains/${(body as { id: string }).id}`,
  })
  const settings = page.getByRole('region', { name: 'Settings' })
  await settings.getByLabel('Tracking subdomain').fill('not a label')
  await settings.getByLabel('Track clicks').check()
  await settings.getByRole('button', { name: 'Save' }).click()
  // The refusal stands at its field, which is gone to.
  const subdomain = settings.getByLabel('Tracking subdomain')
  await expect.poll(() => subdomain.getAttribute('aria-invalid')).toBe('true')
  await subdomain.and(page.locator(':focus')).waitFor()
  expect(await settings.getByRole('alert').count()).toBe(0)
  expect(await subdomain.inputValue()).toBe('not a label')
  await settings.getByLabel('Tracking subdomain').fill('links')
  await settings.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('row', { name: /^Tracking .*CNAME/ }).waitFor()

  await chooseAct(page, 'Delete the domain')
  const dialog = page.getByRole('dialog', { name: 'Delete the domain' })
  expect(await dialog.getByRole('button', { name: 'Delete the domain' }).isEnabled()).toBe(false)
  await dialog.getByLabel('Type old.example to go on').fill('old.example')
  await dialog.getByRole('button', { name: 'Delete the domain' }).click()
  await page.getByText('The domain was deleted').waitFor()
  expect((await service.call('GET', `/domains/${(body as { id: string }).id}`)).status).toBe(404)
  await leave(page)
})
