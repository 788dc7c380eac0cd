// The people of a team in the console: finding one, saying why it gets no mail, and acting on many.
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createContact, readContact, segmentsOf } from '../../support/builders/contacts.ts'
import { send } from '../../support/builders/emails.ts'
import { signIn } from '../../support/clients/console.ts'
import { shared, startTestService } from '../../support/servers/service.ts'
import { browserOfWorker, closePages, leave, screenshot } from '../browser.ts'
import { openApp } from './app.ts'
import { faultsOf } from './look.ts'

let browser: Browser
const service = shared(() => startTestService({ environment: { ROLES: 'api,worker' } }))
beforeAll(async () => {
  browser = await browserOfWorker()
})
afterAll(() => closePages(browser))

const idOf = async (path: string, body: object): Promise<string> => ((await service.call('POST', path, { body })).body as { id: string }).id

it('finds a person, says why it gets no mail, ends that, and erases the person', { timeout: 60_000 }, async () => {
  await idOf('/topics', { name: 'Weekly news', default_subscription: 'opt_out' })
  await idOf('/contact-properties', { key: 'company', type: 'string' })
  const customers = await idOf('/segments', { name: 'Customers' })
  const ada = await createContact(service, { email: 'ada@example.com', first_name: 'Ada', last_name: 'Lovelace', unsubscribed: true })
  for (const email of ['bob@example.com', 'carol@example.com']) await createContact(service, { email })
  await send(service, { to: ['ada@example.com'], subject: 'Your receipt' })
  await service.call('POST', '/events/send', { body: { event: 'order.shipped', contact_id: ada, payload: { order_id: 'A-1' } } })
  await service.call('POST', '/suppressions', { body: { email: 'ada@example.com' } })

  const { page, refused, strayRequests } = await openApp(browser, { origin: service.url, cookie: await signIn(service), path: '/contacts' })
  await page.getByRole('link', { name: 'bob@example.com' }).waitFor()
  expect(await faultsOf(page, 'contacts')).toEqual([])
  await page.getByLabel('Address or name').fill('lovelace')
  await page.getByRole('link', { name: 'bob@example.com' }).waitFor({ state: 'detached' })
  await page.getByRole('link', { name: 'ada@example.com' }).click()

  const why = page.getByLabel('Why does this person get no mail?')
  await why.getByText('This person gets no mail from you').waitFor()
  await page.getByRole('link', { name: 'Your receipt' }).waitFor()
  await page.getByRole('button', { name: /^order.shipped/ }).click()
  await page.getByText('"A-1"').waitFor()
  expect(await faultsOf(page, 'contact')).toEqual([])
  await why.getByRole('button', { name: 'Remove the suppression' }).click()
  await why.getByText('This person gets no broadcasts and no other bulk email').waitFor()
  await why.getByRole('button', { name: 'Subscribe again' }).click()
  await why.getByText('This person does not get every topic').waitFor()
  await why.getByRole('button', { name: 'Opt in' }).click()
  await why.getByText('Nothing keeps mail from this person').waitFor()

  await page.getByRole('combobox', { name: 'Add to a segment' }).click()
  await page.getByRole('option', { name: 'Customers' }).click()
  await page.getByRole('link', { name: 'Customers' }).waitFor()
  expect(await segmentsOf(service, ada)).toEqual([customers])

  await page.getByRole('button', { name: 'Edit' }).click()
  const form = page.getByRole('dialog')
  await form.getByLabel('company').fill('Analytical Engines')
  await form.getByLabel('Address').fill('not an address')
  await form.getByRole('button', { name: 'Save' }).click()
  await form.getByRole('alert').waitFor()
  // What was typed is still there.
  expect(await form.getByLabel('company').inputValue()).toBe('Analytical Engines')
  await form.getByLabel('Address').fill('ada@example.com')
  await form.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('region', { name: 'Details' }).getByText('Analytical Engines').waitFor()
  expect(await readContact(service, ada)).toMatchObject({ unsubscribed: false, properties: { company: { value: 'Analytical Engines' } } })

  await page.getByRole('button', { name: 'Erase this person' }).click()
  const question = page.getByRole('dialog')
  expect(await question.getByRole('button', { name: 'Erase this person' }).isDisabled()).toBe(true)
  await question.getByLabel('Type ada@example.com to go on').fill('ada@example.com')
  await question.getByRole('button', { name: 'Erase this person' }).click()
  await page.getByRole('heading', { level: 1, name: 'Contacts' }).waitFor()
  expect((await service.call('GET', '/contacts/ada@example.com')).status).toBe(404)
  expect({ refused, strayRequests }).toEqual({ refused: [], strayRequests: [] })
  await leave(page)
})

it('acts on all the contacts that a search finds, also those that are not shown yet', { timeout: 60_000 }, async () => {
  const segment = await idOf('/segments', { name: 'Invited' })
  for (let number = 1; number <= 45; number += 1) await createContact(service, { email: `guest-${number}@party.example` })
  await createContact(service, { email: 'other@example.com' })
  const { page } = await openApp(browser, { origin: service.url, cookie: await signIn(service), path: '/contacts?search=party.example' })
  await page.getByRole('checkbox', { name: 'Choose all rows that are shown' }).check()
  await page.getByRole('button', { name: 'Choose all that were found' }).click()
  await page.getByText('45 contacts chosen').waitFor()
  await screenshot(page, 'app-contacts-chosen')
  await page.getByRole('combobox', { name: 'Add to a segment' }).click()
  await page.getByRole('option', { name: 'Invited' }).click()
  await page.getByText('45 of 45 done').waitFor()
  expect(await faultsOf(page, 'contacts-each')).toEqual([])
  const members = await service.call('GET', `/segments/${segment}/contacts?limit=100`)
  expect((members.body as { data: { email: string }[] }).data).toHaveLength(45)
  await leave(page)
})
