// What people do now and then with whom they write to: contacts, topics, properties, events and imports.
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { readContact, segmentsOf } from '../../support/builders/contacts.ts'
import { signIn } from '../../support/clients/console.ts'
import { until } from '../../support/clocks/until.ts'
import { create } from '../../support/records/record-builder.ts'
import { shared, startTestService } from '../../support/servers/service.ts'
import { browserOfWorker, closePages, leave } from '../browser.ts'
import { chooseAct, focused, openApp } from './app.ts'
import { faultsOf } from './look.ts'

let browser: Browser
const service = shared(() => startTestService({ environment: { ROLES: 'api,worker' } }))
beforeAll(async () => {
  browser = await browserOfWorker()
})
afterAll(() => closePages(browser))

const open = async (path: string) => openApp(browser, { origin: service.url, cookie: await signIn(service), path, width: 1440 })

it('creates a contact in a segment, opts it in, takes it out of the segment, unsubscribes it, and saves all that is known', async () => {
  await create(service, '/segments', { name: 'Customers' })
  await create(service, '/segments', { name: 'Readers' })
  await create(service, '/segments', { name: 'Adas', filter: { field: 'first_name', operator: 'equals', value: 'Ada' } })
  await create(service, '/topics', { name: 'Weekly news', default_subscription: 'opt_out' })
  const { page } = await open('/contacts')
  const dialog = page.getByRole('dialog')
  await page.getByRole('button', { name: 'Create a contact' }).click()
  await dialog.getByLabel('Address').fill('ada@example.com')
  await dialog.getByLabel('First name').fill('Ada')
  await dialog.getByRole('combobox', { name: 'Add to a segment' }).click()
  await page.getByRole('option', { name: 'Customers' }).waitFor()
  await expect.poll(() => page.getByRole('option').allInnerTexts()).toEqual(['Readers', 'Customers'])
  await page.getByRole('option', { name: 'Customers' }).click()
  // The options stay open, because several can be chosen.
  await dialog.getByLabel('Last name').click()
  await dialog.getByRole('button', { name: 'Create a contact' }).click()
  await page.getByRole('heading', { level: 1, name: 'ada@example.com' }).waitFor()
  const id = page.url().split('/').at(-1) ?? ''
  await page.getByRole('switch', { name: 'Weekly news' }).click()
  await page.getByText('The choice was saved').waitFor()
  const segments = page.getByRole('region', { name: 'Segments' })
  await segments.getByText('by its filter').waitFor()
  await segments.getByRole('combobox', { name: 'Add to a segment' }).click()
  await page.getByRole('option', { name: 'Readers' }).waitFor()
  await expect.poll(() => page.getByRole('option').allInnerTexts()).toEqual(['Readers'])
  await page.keyboard.press('Escape')
  expect(await faultsOf(page, 'contact-segments')).toEqual([])
  await expect.poll(() => segments.getByRole('button', { name: /^Remove from/ }).count()).toBe(1)
  await page.getByRole('button', { name: 'Remove from Customers' }).click()
  await segments.getByRole('link', { name: 'Customers' }).waitFor({ state: 'detached' })
  await expect.poll(() => segments.getByRole('link').allInnerTexts()).toEqual(['Adas'])
  expect(await segmentsOf(service, id)).toEqual([])
  await page.getByRole('button', { name: 'Unsubscribe', exact: true }).click()
  await dialog.getByRole('button', { name: 'Unsubscribe' }).click()
  await page.getByText('While the contact is unsubscribed, it gets no broadcast of any topic.').waitFor()
  expect(await readContact(service, id)).toMatchObject({ unsubscribed: true, first_name: 'Ada' })
  const saved = page.waitForEvent('download')
  await page.getByRole('button', { name: 'More' }).click()
  await page.getByRole('menuitem', { name: 'Download all data' }).click()
  expect((await saved).suggestedFilename()).toBe(`contact-${id}.json`)
  await leave(page)
})

it('changes and deletes a topic, a fallback and an event', async () => {
  const topic = await create(service, '/topics', { name: 'Offers', default_subscription: 'opt_in' })
  const property = await create(service, '/contact-properties', { key: 'plan', type: 'string', fallback_value: 'free' })
  const event = await create(service, '/events', { name: 'order.shipped', schema: { order_id: 'string' } })
  const { page } = await open(`/topics/${topic}`)
  const dialog = page.getByRole('dialog')
  await page.getByRole('button', { name: 'Edit' }).click()
  await focused(dialog)
  await dialog.getByLabel('Description').fill('Once a month')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('row', { name: 'Description Once a month' }).waitFor()
  await chooseAct(page, 'Delete the topic')
  await dialog.getByRole('button', { name: 'Delete the topic' }).click()
  await page.getByRole('heading', { level: 1, name: 'Topics' }).waitFor()

  await page.goto(`${service.url}/console/properties/${property}`)
  await page.getByRole('button', { name: 'Change the fallback' }).click()
  await dialog.getByLabel('Fallback').fill('basic')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('row', { name: 'Fallback basic' }).waitFor()

  await page.goto(`${service.url}/console/events/${event}`)
  await page.getByRole('button', { name: 'Change the fields' }).click()
  await dialog.getByRole('button', { name: 'Add a field' }).click()
  await dialog.getByLabel('Name of field 2').fill('carrier')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('table', { name: 'Fields of its payload' }).getByText('carrier').waitFor()
  await chooseAct(page, 'Delete the event')
  await dialog.getByRole('button', { name: 'Delete the event' }).click()
  await page.getByRole('heading', { level: 1, name: 'Events' }).waitFor()
  expect([(await service.call('GET', `/topics/${topic}`)).status, (await service.call('GET', `/events/${event}`)).status]).toEqual([
    404, 404,
  ])
  await leave(page)
})

it('lists imports, and gives out all rows of one that were refused', async () => {
  const form = new FormData()
  form.append('file', new Blob(['email\ngrace@example.com\nnot an address\n']), 'people.csv')
  const headers = { authorization: `Bearer ${service.token}` }
  expect((await fetch(`${service.url}/contacts/imports`, { method: 'POST', headers, body: form })).status).toBe(201)
  await until(async () => expect((await service.call('GET', '/contacts/imports')).body).toMatchObject({ data: [{ status: 'completed' }] }))
  const { page } = await open('/imports')
  await page.getByRole('row', { name: /Completed 2 1 0 1/ }).waitFor()
  await page.getByRole('table', { name: 'Imports' }).getByRole('link').click()
  const link = page.getByRole('link', { name: 'Download them as CSV' })
  const { pathname } = new URL((await link.getAttribute('href')) ?? '', service.url)
  expect(await (await fetch(`${service.url}${pathname}`)).text()).toContain('3,')
  await leave(page)
})
