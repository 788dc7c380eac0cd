// What people do now and then with what they send: emails, broadcasts and templates.
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { addMembers, createBroadcast, readBroadcast } from '../../support/builders/broadcasts.ts'
import { send } from '../../support/builders/emails.ts'
import { publishedTemplate } from '../../support/builders/templates.ts'
import { signIn } from '../../support/clients/console.ts'
import { create } from '../../support/records/record-builder.ts'
import { shared, startTestService } from '../../support/servers/service.ts'
import { browserOfWorker, closePages, leave } from '../browser.ts'
import { chooseAct, focused, openApp } from './app.ts'

const HTML = '<p>Hello</p><p><a href="{{{UNSUBSCRIBE_URL}}}">Unsubscribe</a></p>'

let browser: Browser
// No worker, so that a broadcast stays as it is until someone does something.
const service = shared(() => startTestService({ environment: { ROLES: 'api' } }))
beforeAll(async () => {
  browser = await browserOfWorker()
})
afterAll(() => closePages(browser))

const open = async (path: string) => openApp(browser, { origin: service.url, cookie: await signIn(service), path, width: 1440 })

it('changes the time of a scheduled email, and cancels it', async () => {
  const id = await send(service, { subject: 'Later', scheduled_at: 'in 1 hour' })
  const { page } = await open(`/emails/${id}`)
  const dialog = page.getByRole('dialog')
  await page.getByRole('button', { name: 'Change the time' }).click()
  await dialog.getByLabel(/^Is sent at/).fill(new Date(Date.now() + 2 * 86_400_000).toISOString().slice(0, 16))
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByText('The time was changed').waitFor()
  await page.getByRole('button', { name: 'Cancel the email' }).click()
  await dialog.getByRole('button', { name: 'Cancel the email' }).click()
  await page.getByRole('region', { name: 'What happened' }).getByText('Canceled').waitFor()
  expect((await service.call('GET', `/emails/${id}`)).body).toMatchObject({ last_event: 'canceled' })
  await leave(page)
})

it('finds an email by its recipient, its tag and its broadcast, opens its file, and shows a new one without a reload', async () => {
  const segment = await create(service, '/segments', { name: 'Guests' })
  const broadcast = await createBroadcast(service, { segment_id: segment, name: 'Invitation', html: HTML })
  await service.database.execute(`update broadcasts set status = 'sent' where id = $1`, [broadcast])
  const attachments = [{ filename: 'menu.txt', content: Buffer.from('Soup').toString('base64') }]
  const id = await send(service, { to: 'guest@example.org', subject: 'The menu', tags: [{ name: 'kind', value: 'menu' }], attachments })
  await service.database.execute('update emails set broadcast_id = $2 where id = $1', [id, broadcast])
  await send(service, { to: 'other@example.org', subject: 'Something else' })
  const { page } = await open('/emails')
  const other = page.getByRole('cell', { name: 'Something else' })
  const find = async (fill: () => Promise<void>) => {
    await other.waitFor()
    await fill()
    await other.waitFor({ state: 'detached' })
    await page.getByRole('cell', { name: 'The menu' }).waitFor()
    await page.getByRole('button', { name: 'Clear filters' }).click()
  }
  await find(() => page.getByLabel('Recipient').fill('guest@example.org'))
  const openMore = () => page.getByRole('button', { name: 'Filters', exact: true }).click()
  await find(async () => {
    await openMore()
    await focused(page.getByRole('dialog'))
    await page.getByLabel('Tag').fill('kind:menu')
  })
  await find(async () => {
    await openMore()
    await page.getByRole('combobox', { name: 'Broadcast' }).click()
    await page.getByRole('option', { name: 'Invitation' }).click()
  })
  await send(service, { subject: 'Just now' })
  await page.getByRole('cell', { name: 'Just now' }).waitFor()
  await page.goto(`${service.url}/console/emails/${id}`)
  const file = page.getByRole('region', { name: 'Attachments' }).getByRole('link', { name: 'menu.txt' })
  const { pathname } = new URL((await file.getAttribute('href')) ?? '')
  expect(await (await fetch(`${service.url}${pathname}`)).text()).toBe('Soup')
  await leave(page)
})

it('edits a draft, and pauses, resumes and cancels a broadcast that is being sent', async () => {
  const segment = await create(service, '/segments', { name: 'Readers' })
  await addMembers(service, segment, { 'reader@example.org': {} })
  const id = await createBroadcast(service, { segment_id: segment, name: 'News', html: HTML })
  const { page } = await open(`/broadcasts/${id}`)
  await page.getByRole('link', { name: 'Edit' }).click()
  await page.getByRole('textbox', { name: 'Subject' }).fill('Other news')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('heading', { level: 1, name: 'News' }).waitFor()
  expect(await readBroadcast(service, id)).toMatchObject({ subject: 'Other news' })
  await service.call('POST', `/broadcasts/${id}/send`)
  await page.reload()
  await page.getByRole('button', { name: 'Pause' }).click()
  await page.getByText('The broadcast is paused').waitFor()
  await page.getByRole('button', { name: 'Resume' }).click()
  await page.getByText('The broadcast was resumed').waitFor()
  await chooseAct(page, 'Cancel the broadcast')
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel the broadcast' }).click()
  await page.getByText('The broadcast is canceled').waitFor()
  expect(await readBroadcast(service, id)).toMatchObject({ status: 'canceled' })
  await leave(page)
})

it('duplicates a template, edits the copy, and lists the emails that were made from it', async () => {
  const id = await publishedTemplate(service, { name: 'Receipt', html: '<p>Paid</p>', variables: [], subject: 'Your receipt' })
  await service.call('POST', '/emails', { body: { to: 'payer@example.org', from: 'shop@example.com', template: { id } } })
  const { page } = await open(`/templates/${id}`)
  await page.getByRole('region', { name: 'Emails made from it' }).getByRole('link', { name: 'payer@example.org' }).waitFor()
  await chooseAct(page, 'Duplicate')
  await page.getByText('This is the copy').waitFor()
  await page.waitForURL((url) => !url.pathname.endsWith(id))
  await page.getByRole('link', { name: 'Edit' }).click()
  await page.getByRole('textbox', { name: 'HTML' }).fill('<p>Paid twice</p>')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.frameLocator('iframe').getByText('Paid twice').waitFor()
  expect((await service.call('GET', `/templates/${id}`)).body).toMatchObject({ html: '<p>Paid</p>' })
  await leave(page)
})
