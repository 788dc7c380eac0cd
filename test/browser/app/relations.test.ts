// What has to do with a record: other records around an email, and the list of contacts of a deleted segment.
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createContact } from '../../support/builders/contacts.ts'
import { send } from '../../support/builders/emails.ts'
import { receiveEmail } from '../../support/builders/received-emails.ts'
import { createWebhook } from '../../support/builders/webhooks.ts'
import { signInPerson } from '../../support/clients/people.ts'
import { create } from '../../support/records/record-builder.ts'
import { shared, startTestService } from '../../support/servers/service.ts'
import { browserOfWorker, closePages, leave } from '../browser.ts'
import { chooseAct, openApp } from './app.ts'
import { faultsOf } from './look.ts'

let browser: Browser
// No worker: an email waits, and the list of a deleted segment stays until the test removes it.
const service = shared(() => startTestService({ environment: { ROLES: 'api' } }))
beforeAll(async () => {
  browser = await browserOfWorker()
})
afterAll(() => closePages(browser))

const openAs = async (role: 'owner' | 'support', path: string) => {
  const { cookie } = await signInPerson(service, role, { roles: { [service.teamId]: role } })
  return openApp(browser, { origin: service.url, cookie, path })
}

it('leads from an email to who sent it, to its contact, its answer and what a webhook was told, as far as the role goes', async () => {
  const contact = await createContact(service, { email: 'ada@example.org' })
  await createWebhook(service, { events: ['email.scheduled'], endpoint: 'https://hooks.example/mail' })
  const { token } = (await service.call('POST', '/api-keys', { body: { name: 'Shop' } })).body as { token: string }
  const id = await send(service, { to: 'ada@example.org', subject: 'Your order', scheduled_at: 'in 1 hour' }, { token })
  const { message_id: messageId } = (await service.call('GET', `/emails/${id}`)).body as { message_id: string }
  const content = `From: Ada <ada@example.org>\r\nSubject: Re: Your order\r\nIn-Reply-To: ${messageId}\r\n\r\nThanks`
  await receiveEmail(service, { teamId: service.teamId, mailFrom: 'ada@example.org', content })

  const { page, refused } = await openAs('owner', `/emails/${id}`)
  const details = page.getByRole('region', { name: 'Details' })
  await details.getByRole('row', { name: 'Sent by the API key Shop' }).waitFor()
  await page
    .getByRole('region', { name: 'What webhooks were told' })
    .getByRole('row', { name: /Scheduled https:\/\/hooks/ })
    .waitFor()
  expect(await faultsOf(page, 'email-relations')).toEqual([])
  await details.getByRole('row', { name: 'Answered by' }).getByRole('link').click()
  await page.getByRole('heading', { level: 1, name: 'Re: Your order' }).waitFor()
  await page.goBack()
  await details.getByRole('row', { name: 'Contact' }).getByRole('link').click()
  await page.waitForURL(`**/contacts/${contact}`)
  await page.goBack()
  await details.getByRole('link', { name: 'the one that sent it' }).click()
  await page.getByRole('heading', { level: 1, name: 'Logs' }).waitFor()
  expect(refused).toEqual([])
  await leave(page)

  const { page: ofSupport } = await openAs('support', `/emails/${id}`)
  await ofSupport.getByRole('row', { name: 'Sent by an API key, an app or a person of the team' }).waitFor()
  expect(await ofSupport.getByRole('region', { name: 'What webhooks were told' }).count()).toBe(0)
  await leave(ofSupport)
})

it('says when the next attempt of an email is, and shares it for an hour', async () => {
  const id = await send(service, { to: 'ada@example.org', subject: 'Your invoice' })
  const { page, refused } = await openAs('owner', `/emails/${id}`)
  await page.getByRole('columnheader', { name: 'Next attempt' }).waitFor()
  await page.getByRole('button', { name: 'Share' }).click()
  await page.getByLabel('It works for').first().click()
  await page.getByRole('option', { name: '1 hour' }).click()
  await page.getByRole('button', { name: 'Make a link' }).click()
  await page
    .getByRole('dialog')
    .getByText(/^http:/)
    .waitFor()
  expect(await faultsOf(page, 'email-share')).toEqual([])
  expect(refused).toEqual([])
  await leave(page)
})

it('deletes a segment, and follows how its list of contacts is removed', async () => {
  const id = await create(service, '/segments', { name: 'Readers' })
  for (const email of ['one@example.org', 'two@example.org']) await createContact(service, { email, segments: [id] })
  const { page, refused } = await openAs('owner', `/segments/${id}`)
  await chooseAct(page, 'Delete the segment')
  await page.getByRole('dialog').getByRole('button', { name: 'Delete the segment' }).click()
  const status = page.getByRole('main').getByRole('status')
  await status.getByText('2 are left in it').waitFor()
  expect(await faultsOf(page, 'segment-removal')).toEqual([])
  await service.database.execute('delete from contact_segments where segment_id = $1', [id])
  await status.getByText('was removed').waitFor()
  expect(refused).toEqual([])
  await leave(page)
})

it('leads old addresses to what shows the same today', async () => {
  const { page, refused } = await openAs('owner', '/')
  for (const [old, path, title] of [
    ['/inbox/lines', '/emails', 'Emails'],
    ['/console/imports/upload', '/imports/new', 'Import contacts from a file'],
    ['/console/contacts/new', '/contacts', 'Contacts'],
    ['/console/passkey', '/account', 'Your account'],
    // It is a page of its own again.
    ['/console/segments/new', '/segments/new', 'Create a segment'],
  ] as const) {
    await page.goto(`${service.url}${old}`)
    await page.getByRole('heading', { level: 1, name: title, exact: true }).waitFor()
    expect(new URL(page.url()).pathname).toBe(`/console${path}`)
  }
  expect(refused).toEqual([])
  await leave(page)
})
