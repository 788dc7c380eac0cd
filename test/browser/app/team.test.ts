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
  await page.getByLabel('Address').fill('kim@acme.example')
  // The least that can be given is chosen at first.
  expect(await page.getByRole('dialog').getByRole('radio', { name: 'Viewer' }).isChecked()).toBe(true)
  await page.getByRole('dialog').getByText('Support', { exact: true }).click()
  expect(await faultsOf(page, 'member-invite')).toEqual([])
  await page.getByRole('dialog').getByRole('button', { name: 'Invite a person' }).click()
  const invitation = page.getByRole('row', { name: /kim@acme\.example Support/ })
  await invitation.waitFor()
  expect(await faultsOf(page, 'members')).toEqual([])
  // A new link takes the place of the one before.
  const idOfInvitation = async () => Object((await service.call('GET', '/invitations')).body).data[0].id
  const shownExpiry = () => invitation.getByRole('time').getAttribute('datetime')
  const [first, firstExpiry] = [await idOfInvitation(), await shownExpiry()]
  await invitation.getByRole('button', { name: 'Send the invitation again' }).click()
  await expect.poll(idOfInvitation).not.toBe(first)
  // The page may just have read the former one again, and what is revoked is the row that it shows.
  await expect.poll(shownExpiry).not.toBe(firstExpiry)
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
  // By its words, or by the name that programs have for it.
  await page.getByRole('combobox', { name: 'What' }).fill('domains.update')
  await page.getByRole('option', { name: 'Changed a domain' }).click()
  const row = page.getByRole('row', { name: /Changed a domain/ }).first()
  await row.waitFor()
  expect(await faultsOf(page, 'audit-log')).toEqual([])
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Export CSV' }).click()
  const text = await readFile(await (await download).path(), 'utf8')
  expect(text).toContain('domains.update')
  expect(text).not.toContain('domains.create')
  await row.getByRole('link').click()
  await page.getByRole('heading', { level: 1, name: 'Changed a domain' }).waitFor()
  await page.getByRole('row', { name: 'Encryption (TLS) opportunistic enforced' }).waitFor()
  expect(await faultsOf(page, 'audit-entry')).toEqual([])
  // Commands are no choice of the filter: others of them are found from one of their entries.
  await page.getByRole('link', { name: 'domains.update' }).click()
  await expect.poll(() => page.getByRole('combobox', { name: 'What' }).inputValue()).toBe('Changed a domain')
  await leave(page)
})

it('says in words and bars how near the team is to its limits', async () => {
  const { page } = await open('/usage')
  await page.getByRole('group', { name: 'Recipients today' }).waitFor()
  await page.getByText('All is well.').waitFor()
  expect(await faultsOf(page, 'usage')).toEqual([])
  await leave(page)
})
