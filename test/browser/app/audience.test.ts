// The audience of a team in the console: a file is imported, a segment finds people in it, and what else describes contacts.
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createContact, readContact } from '../../support/builders/contacts.ts'
import { signIn } from '../../support/clients/console.ts'
import { shared, startTestService } from '../../support/servers/service.ts'
import { violationsOn } from '../axe.ts'
import { browserOfWorker, closePages, leave, screenshot } from '../browser.ts'
import { chooseAct, openApp } from './app.ts'
import { faultsOf } from './look.ts'

let browser: Browser
const service = shared(() => startTestService({ environment: { ROLES: 'api,worker' } }))
beforeAll(async () => {
  browser = await browserOfWorker()
})
afterAll(() => closePages(browser))

const open = async (path: string, width?: number) =>
  openApp(browser, { origin: service.url, cookie: await signIn(service), path, ...(width !== undefined && { width }) })

const FILE = {
  name: 'people.csv',
  mimeType: 'text/csv',
  buffer: Buffer.from('E-mail;First name;City\nada@example.com;Ada;"London; UK"\nbob@example.com;Bob;Paris\nnobody;No;Where\n'),
}

it('imports people from a file, and builds a segment that finds some of them', async () => {
  const { page, refused, strayRequests } = await open('/imports/new')
  await page.locator('input[type=file]').setInputFiles(FILE)
  await page.getByRole('combobox', { name: 'City' }).click()
  await page.getByRole('option', { name: 'A new property: text' }).click()
  await page.getByLabel('Add the contacts to a segment').fill('Customers')
  expect(await faultsOf(page, 'import-new')).toEqual([])
  await page.getByRole('button', { name: 'Import the contacts' }).click()
  await page.getByText('Completed', { exact: true }).waitFor()
  await page.getByRole('region', { name: 'Refused rows' }).getByRole('cell', { name: '4', exact: true }).waitFor()
  expect(await faultsOf(page, 'import')).toEqual([])
  expect(await readContact(service, 'ada@example.com')).toMatchObject({ first_name: 'Ada', properties: { city: { value: 'London; UK' } } })

  await page.getByRole('link', { name: 'Segments' }).click()
  await page.getByRole('link', { name: 'Customers' }).waitFor()
  await page.getByRole('link', { name: 'Create a segment' }).click()
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Londoners')
  await page.getByRole('combobox', { name: 'What the new rule tests' }).click()
  await page.getByRole('option', { name: 'city' }).click()
  await page.getByRole('combobox', { name: 'How to compare city' }).click()
  await page.getByRole('option', { name: 'starts with' }).click()
  // What occurs is offered.
  const city = page.getByRole('combobox', { name: 'Value of city' })
  await city.click()
  await page.getByRole('option', { name: 'Paris' }).waitFor()
  await city.fill('lon')
  await page.getByRole('option', { name: 'Paris' }).waitFor({ state: 'detached' })
  await screenshot(page, 'app-segment-values')
  await page.getByRole('option', { name: 'London; UK' }).click()
  await page.getByText('finds 1 contact', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Add a group' }).click()
  await page.getByRole('button', { name: 'Save the segment' }).click()
  // A group without a rule is refused, and what was built stays.
  await page.getByRole('alert').first().waitFor()
  await page.getByRole('button', { name: 'Remove this group' }).click()
  expect(await faultsOf(page, 'segment-new')).toEqual([])
  await page.getByRole('button', { name: 'Save the segment' }).click()
  await page.getByText('1, of whom 1 are subscribed').waitFor()
  await page.getByRole('link', { name: 'ada@example.com' }).waitFor()
  await page.getByRole('listitem').filter({ hasText: 'city starts with London; UK' }).waitFor()
  expect(await faultsOf(page, 'segment')).toEqual([])
  expect({ refused, strayRequests }).toEqual({ refused: [], strayRequests: [] })
  await leave(page)
})

it('shows a filter of many levels as JSON, and changes it as such', async () => {
  const leaf = { field: 'email', operator: 'ends_with', value: '@example.com' }
  const filter = { not: { not: { not: { not: { not: { not: leaf } } } } } }
  const { body } = await service.call('POST', '/segments', { body: { name: 'Deep', filter } })
  const { id } = body as { id: string }
  const { page } = await open(`/segments/${id}/edit`)
  const json = page.getByLabel('The filter as JSON')
  expect(JSON.parse(await json.inputValue())).toEqual(filter)
  await json.fill(JSON.stringify({ not: leaf }))
  await page.getByText('Rules', { exact: true }).click()
  await page.getByRole('combobox', { name: 'How the rules of this group combine' }).waitFor()
  await page.getByRole('button', { name: 'Save the segment' }).click()
  await page.getByRole('heading', { level: 1, name: 'Deep' }).waitFor()
  const changed = await service.call('GET', `/segments/${id}`)
  expect(changed.body).toMatchObject({ filter: { not: { any: [leaf] } } })
  await leave(page)
})

it('makes a topic, a property and an event, sends the event by hand, and deletes what is used only knowingly', async () => {
  await createContact(service, { email: 'grace@example.com' })
  const { page, refused } = await open('/topics')
  const dialog = page.getByRole('dialog')
  await page.getByRole('button', { name: 'Create a topic' }).click()
  await dialog.getByLabel('Name').fill('Weekly news')
  await dialog.getByRole('button', { name: 'Create a topic' }).click()
  await page.getByRole('heading', { level: 1, name: 'Weekly news' }).waitFor()
  expect(await violationsOn(page)).toEqual([])

  await page.getByRole('link', { name: 'Properties' }).click()
  await page.getByRole('button', { name: 'Create a property' }).click()
  await dialog.getByLabel('Key').fill('plan')
  await dialog.getByLabel('Fallback').fill('free')
  await dialog.getByRole('button', { name: 'Create a property' }).click()
  await page.getByRole('link', { name: 'plan' }).waitFor()
  expect(await faultsOf(page, 'properties')).toEqual([])

  await page.getByRole('link', { name: 'Events' }).click()
  await page.getByRole('button', { name: 'Create an event' }).click()
  await dialog.getByRole('textbox', { name: 'Name', exact: true }).fill('order.shipped')
  await dialog.getByLabel('Name of field 1').fill('order_id')
  await dialog.getByRole('button', { name: 'Create an event' }).click()
  await page.getByRole('heading', { level: 1, name: 'order.shipped' }).waitFor()
  const [, sent = ''] = /^curl .+ -d '(.+)'$/.exec((await page.getByText(/^curl /).textContent()) ?? '') ?? []
  expect(await service.call('POST', '/events/send', { body: sent })).toMatchObject({ status: 202 })
  await page.getByRole('button', { name: 'Send one' }).click()
  await dialog.getByLabel('Contact').fill('grace@example.com')
  await dialog.getByLabel('Payload').fill('{ "order_id": 7 }')
  await dialog.getByRole('button', { name: 'Send one' }).click()
  await expect.poll(() => dialog.getByLabel('Payload').getAttribute('aria-invalid')).toBe('true')
  await dialog.getByLabel('Payload').fill('{ "order_id": "A-7" }')
  await dialog.getByRole('button', { name: 'Send one' }).click()
  await page.getByRole('button', { name: /^order.shipped/ }).click()
  await page.getByText('"A-7"').waitFor()
  expect(await faultsOf(page, 'event')).toEqual([])

  const { body } = await service.call('POST', '/segments', {
    body: { name: 'On a plan', filter: { property: 'plan', operator: 'is_set' } },
  })
  await page.getByRole('link', { name: 'Properties' }).click()
  await page.getByRole('link', { name: 'plan' }).click()
  await page.getByRole('row', { name: 'Used by On a plan Segment' }).waitFor()
  await chooseAct(page, 'Delete the property')
  await dialog.getByRole('button', { name: 'Delete the property' }).click()
  await dialog.getByRole('alert').waitFor()
  await service.call('DELETE', `/segments/${(body as { id: string }).id}`)
  await dialog.getByRole('button', { name: /^Delete/ }).click()
  await page.getByRole('heading', { level: 1, name: 'Properties' }).waitFor()
  await page.getByRole('link', { name: 'plan' }).waitFor({ state: 'detached' })
  expect((await service.call('GET', '/contact-properties')).text).not.toContain('"plan"')
  expect(refused).toEqual([])
  await leave(page)
})
