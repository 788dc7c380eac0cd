// The people of a team, what they did, and what the team has used, in the console.
import { readFile } from 'node:fs/promises'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { signIn } from '../../support/clients/console.ts'
import { shared, startTestService } from '../../support/servers/service.ts'
import { browserOfWorker, closePages, leave } from '../browser.ts'
import { openApp } from './app.ts'
import { faultsOf } from './look.ts'

let browser: Browser
const service = shared(() => startTestService())
beforeAll(async () => {
  browser = await browserOfWorker()
})
afterAll(() => closePages(browser))

const open = async (path: string) => openApp(browser, { origin: service.url, cookie: await signIn(service), path })

it('invites someone for support, takes that back, and changes and ends what someone may do', async () => {
  await signIn(service, service.token, 'marketer')
  const { page, refused, strayRequests } = await open('/members')
  await page.getByRole('button', { name: 'Invite a person' }).click()
  await page.getByLabel('Email').fill('kim@acme.example')
  await page.getByRole('dialog').getByText('Support', { exact: true }).click()
  expect(await faultsOf(page, 'member-invite')).toEqual([])
  await page.getByRole('dialog').getByRole('button', { name: 'Invite a person' }).click()
  const invitation = page.getByRole('row', { name: /kim@acme\.example Support/ })
  await invitation.waitFor()
  expect(await faultsOf(page, 'members')).toEqual([])
  await invitation.getByRole('button', { name: 'Revoke' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
  await page.getByText('No invitation is open.').waitFor()

  const member = page.getByRole('row', { name: /The marketer/ })
  await member.getByRole('button', { name: 'Change the role' }).click()
  await page.getByRole('dialog').getByText('Viewer', { exact: true }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
  await page.getByRole('row', { name: /The marketer .*Viewer/ }).waitFor()
  await member.getByRole('button', { name: 'Remove' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove from the team' }).click()
  await page.getByText('The person was removed').waitFor()
  await expect.poll(() => member.count()).toBe(0)
  expect({ refused, strayRequests }).toEqual({ refused: [], strayRequests: [] })
  await leave(page)
})

it('shows who changed a setting, with the value before and after', async () => {
  const { body } = await service.call('POST', '/domains', { body: { name: 'acme.example' } })
  await service.call('PATCH', `/domains/${(body as { id: string }).id}`, { body: { tls: 'enforced' } })
  const { page } = await open('/audit-log')
  await page.getByLabel('What').first().fill('domains.update')
  const row = page.getByRole('row', { name: /domains\.update/ }).first()
  await row.waitFor()
  expect(await faultsOf(page, 'audit-log')).toEqual([])
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Export CSV' }).click()
  const text = await readFile(await (await download).path(), 'utf8')
  expect(text).toContain('domains.update')
  expect(text).not.toContain('domains.create')
  await row.getByRole('link').click()
  await page.getByRole('row', { name: 'tls opportunistic enforced' }).waitFor()
  expect(await faultsOf(page, 'audit-entry')).toEqual([])
  await leave(page)
})

it('says in words and bars how near the team is to its limits', async () => {
  const { page } = await open('/usage')
  await page.getByRole('group', { name: 'Recipients today' }).waitFor()
  await page.getByText('All is well.').waitFor()
  expect(await faultsOf(page, 'usage')).toEqual([])
  await leave(page)
})
