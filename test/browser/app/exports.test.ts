// What is taken out of the console into a spreadsheet.
import { readFile } from 'node:fs/promises'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { addMembers, createBroadcast, readBroadcast } from '../../support/builders/broadcasts.ts'
import { addSegment, createContact } from '../../support/builders/contacts.ts'
import { send } from '../../support/builders/emails.ts'
import { signIn } from '../../support/clients/console.ts'
import { until } from '../../support/clocks/until.ts'
import { shared, startTestService } from '../../support/servers/service.ts'
import { browserOfWorker, closePages, leave } from '../browser.ts'
import { openApp } from './app.ts'
import { faultsOf } from './look.ts'

let browser: Browser
const service = shared(() => startTestService({ environment: { ROLES: 'api,worker', DELIVERY: 'capture' } }))
beforeAll(async () => {
  browser = await browserOfWorker()
})
afterAll(() => closePages(browser))

/** The lines of the file that a button gives out. */
async function fileOf(page: Page, button: string): Promise<{ name: string; lines: string[] }> {
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: button }).click()])
  const text = await readFile(await download.path(), 'utf8')
  return { name: download.suggestedFilename(), lines: text.trimEnd().split('\r\n') }
}

it('gives out the list that is shown: contacts, the bounces of last week, recipients and numbers', async () => {
  await createContact(service, { email: 'ada@example.com', first_name: '=Ada' })
  await createContact(service, { email: 'bob@example.com' })
  await send(service, { to: ['bounced@simulator.test'], subject: 'Refused' })
  await send(service, { to: ['delivered@simulator.test'], subject: 'Taken' })
  const segmentId = await addSegment(service)
  await addMembers(service, segmentId, { 'bounced+1@simulator.test': {}, 'delivered+1@simulator.test': {} })
  const id = await createBroadcast(service, { segment_id: segmentId, send: true })
  await until(async () => expect((await readBroadcast(service, id)).counts).toMatchObject({ delivered: 1, bounced: 1 }))
  const cookie = await signIn(service)
  const { page, refused } = await openApp(browser, { origin: service.url, cookie, path: '/contacts?search=ada' })
  await page.getByRole('link', { name: 'ada@example.com' }).waitFor()
  expect(await faultsOf(page, 'contacts-export')).toEqual([])
  const contacts = await fileOf(page, 'Export as CSV')
  expect(contacts.name).toBe('contacts.csv')
  expect(contacts.lines.slice(1)).toEqual([expect.stringContaining("ada@example.com,'=Ada,")])

  // As someone new finds it: the state and the time, then the file.
  await service.database.execute(
    `insert into emails (id, team_id, state, last_event, from_domain, "from", "to", subject, created_at)
     select uuidv7_at(now() - interval '20 days', 1), $1, 'queued', 'bounced', 'example.com', 'a@example.com', '{old@example.org}', 'Long ago', now() - interval '20 days'`,
    [service.teamId],
  )
  await page.goto(`${service.url}/console/emails`)
  await page.getByRole('cell', { name: 'Taken' }).waitFor()
  await page.getByRole('combobox', { name: 'State' }).click()
  await page.getByRole('option', { name: 'Bounced' }).click()
  await page.getByRole('cell', { name: 'Long ago' }).waitFor()
  await page.getByRole('combobox', { name: 'When' }).click()
  await page.getByRole('option', { name: 'Last 7 days' }).click()
  await page.getByRole('cell', { name: 'Long ago' }).waitFor({ state: 'detached' })
  await page.getByRole('cell', { name: 'Refused' }).waitFor()
  expect(await faultsOf(page, 'emails-bounced')).toEqual([])
  const emails = await fileOf(page, 'Export as CSV')
  expect(emails.lines).toHaveLength(3)
  expect(emails.lines.slice(1).every((line) => line.includes(',bounced,'))).toBe(true)

  await page.goto(`${service.url}/console/metrics`)
  const bounces = await fileOf(page, 'Bounces as CSV')
  expect(bounces.lines).toEqual(emails.lines)
  const numbers = await fileOf(page, 'Numbers as CSV')
  expect(numbers.lines).toHaveLength(8)

  await page.goto(`${service.url}/console/broadcasts/${id}/recipients?type=bounced`)
  await page.getByRole('cell', { name: 'bounced+1@simulator.test' }).waitFor()
  const recipients = await fileOf(page, 'Export as CSV')
  expect(recipients.name).toBe('recipients-bounced.csv')
  expect(recipients.lines.slice(1)).toEqual([expect.stringMatching(/^bounced\+1@simulator\.test,.*,permanent,$/)])
  expect(refused).toEqual([])
  await leave(page)
})
