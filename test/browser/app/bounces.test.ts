// Mail that does not arrive, in the console: the reason is the same sentence wherever it stands, and is said before the email is sent again.
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createContact } from '../../support/builders/contacts.ts'
import { send } from '../../support/builders/emails.ts'
import { signIn } from '../../support/clients/console.ts'
import { until } from '../../support/clocks/until.ts'
import { shared, startTestService } from '../../support/servers/service.ts'
import { browserOfWorker, closePages, leave } from '../browser.ts'
import { openApp } from './app.ts'
import { faultsOf } from './look.ts'

const NO_SUCH_ADDRESS = 'The address does not exist, or its domain does not accept mail.'

let browser: Browser
const service = shared(() => startTestService({ environment: { ROLES: 'api,worker' } }))
beforeAll(async () => {
  browser = await browserOfWorker()
})
afterAll(() => closePages(browser))

const open = async (path: string) => openApp(browser, { origin: service.url, cookie: await signIn(service), path, width: 1440 })
const suppress = (email: string, sourceId: string) =>
  service.database.execute(
    "insert into suppressions (id, team_id, email, origin, source_id, created_at) values (gen_random_uuid(), $1, $2, 'bounce', $3, now())",
    [service.teamId, email, sourceId],
  )

/** What the API says of the bounce of an email, as soon as it has bounced. */
const bounceOf = (id: string): Promise<string> =>
  until(async () => {
    const { body } = await service.call('GET', `/emails/${id}/events`)
    const bounce = (body as { data: { type: string; explanation: string | null }[] }).data.find(({ type }) => type === 'email.bounced')
    if (!bounce?.explanation) throw new Error('The email has not bounced yet')
    return bounce.explanation
  })

it('has one wording of a bounce, on the pages of the email, of the contact and of the suppression', async () => {
  const contact = await createContact(service, { email: 'bounced@simulator.test' })
  const id = await send(service, { to: ['bounced@simulator.test'], subject: 'Came back' })
  const explanation = await bounceOf(id)
  expect(explanation).toBe(NO_SUCH_ADDRESS)
  const { page, refused } = await open(`/emails/${id}`)
  await page.getByRole('region', { name: 'What happened' }).getByText(explanation).waitFor()
  await page.getByRole('region', { name: 'Timeline' }).getByText(explanation).waitFor()
  await page.goto(`${service.url}/console/contacts/${contact}`)
  await page.getByRole('region', { name: 'Sent and done' }).getByText(explanation).waitFor()

  const ada = await createContact(service, { email: 'ada@example.org' })
  await suppress('ada@example.org', id)
  await page.goto(`${service.url}/console/contacts/${ada}`)
  await page.getByLabel('Why does this person get no mail?').getByText(explanation).waitFor()
  await page.goto(`${service.url}/console/suppressions`)
  await page.getByRole('link', { name: 'ada@example.org' }).click()
  await page.getByRole('region', { name: 'Details' }).getByText(explanation).waitFor()
  expect(refused).toEqual([])
  await leave(page)
})

it('warns before an email is sent again to an address that is suppressed, or at which it bounced', async () => {
  const bounced = await send(service, { to: ['bounced@simulator.test'], subject: 'Came back again' })
  // The dialog reads once why mail to someone bounced.
  await bounceOf(bounced)
  const id = await send(service, { to: ['delivered@simulator.test', 'Grace <grace@example.org>'], subject: 'To two' })
  await suppress('grace@example.org', bounced)
  const { page } = await open(`/emails/${id}`)
  await page.getByRole('button', { name: 'Send again' }).click()
  const dialog = page.getByRole('dialog', { name: 'Send again' })
  const warning = dialog.getByRole('alert')
  await warning.getByText('Nothing is sent to this address, because it is suppressed').waitFor()
  await warning.getByText('grace@example.org').waitFor()
  await warning.getByText(NO_SUCH_ADDRESS).waitFor()
  expect(await warning.count()).toBe(1)
  expect(await faultsOf(page, 'email-resend')).toEqual([])
  await dialog.getByRole('button', { name: 'Cancel' }).click()

  await page.goto(`${service.url}/console/emails/${bounced}`)
  await page.getByRole('region', { name: 'What happened' }).getByText('Bounced', { exact: true }).first().waitFor()
  await page.getByRole('button', { name: 'Send again' }).click()
  await warning.getByText('This email bounced here, and may bounce again').waitFor()
  await warning.getByText(NO_SUCH_ADDRESS).waitFor()
  // It can still be sent.
  await dialog.getByRole('button', { name: 'Send again' }).click()
  await page.getByText('Sent again').waitFor()
  await leave(page)
})
