// The people of a team in the console: finding one, saying why it gets no mail, and acting on many.
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { addManyContacts } from '../../support/builders/contact-jobs.ts'
import { createContact, readContact, segmentsOf } from '../../support/builders/contacts.ts'
import { send } from '../../support/builders/emails.ts'
import { signIn } from '../../support/clients/console.ts'
import { until } from '../../support/clocks/until.ts'
import { shared, startTestService } from '../../support/servers/service.ts'
import { browserOfWorker, closePages, leave, screenshot } from '../browser.ts'
import { chooseAct, focused, openApp } from './app.ts'
import { faultsOf } from './look.ts'

let browser: Browser
const service = shared(() => startTestService({ environment: { ROLES: 'api,worker' } }))
beforeAll(async () => {
  browser = await browserOfWorker()
})
afterAll(() => closePages(browser))

const idOf = async (path: string, body: object): Promise<string> => ((await service.call('POST', path, { body })).body as { id: string }).id

it('finds a person, says why it gets no mail, ends that, and erases the person', async () => {
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
  await page
    .getByRole('row', { name: /ada@example.com/ })
    .getByText('Suppressed', { exact: true })
    .waitFor()
  await page.getByLabel('Address or name').fill('lovelace')
  await page.getByRole('link', { name: 'bob@example.com' }).waitFor({ state: 'detached' })
  await page.getByRole('link', { name: 'ada@example.com' }).click()

  const why = page.getByLabel('Why does this person get no mail?')
  await why.getByText('This person gets no mail from you').waitFor()
  await page.getByRole('heading', { level: 1 }).locator('xpath=..').getByText('Suppressed', { exact: true }).waitFor()
  await page.getByRole('link', { name: 'Your receipt' }).waitFor()
  await page.getByRole('button', { name: /^order.shipped/ }).click()
  await page.getByText('"A-1"').waitFor()
  expect(await faultsOf(page, 'contact')).toEqual([])
  await why.getByRole('button', { name: 'Remove the suppression' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove the suppression' }).click()
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
  await focused(form)
  await form.getByLabel('company').fill('Analytical Engines')
  await form.getByLabel('Address').fill('not an address')
  await form.getByRole('button', { name: 'Save' }).click()
  await expect.poll(() => form.getByLabel('Address').getAttribute('aria-invalid')).toBe('true')
  // What was typed is still there.
  expect(await form.getByLabel('company').inputValue()).toBe('Analytical Engines')
  await form.getByLabel('Address').fill('ada@example.com')
  await form.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('region', { name: 'Details' }).getByText('Analytical Engines').waitFor()
  expect(await readContact(service, ada)).toMatchObject({ unsubscribed: false, properties: { company: { value: 'Analytical Engines' } } })

  await chooseAct(page, 'Erase this person')
  const question = page.getByRole('dialog')
  expect(await question.getByRole('button', { name: 'Erase this person' }).isDisabled()).toBe(true)
  await focused(question)
  await question.getByLabel('Type ada@example.com to go on').fill('ada@example.com')
  // A question that was canceled is asked again from the start.
  await question.getByRole('button', { name: 'Cancel' }).click()
  await question.waitFor({ state: 'detached' })
  await chooseAct(page, 'Erase this person')
  expect(await question.getByLabel('Type ada@example.com to go on').inputValue()).toBe('')
  expect(await question.getByRole('button', { name: 'Erase this person' }).isDisabled()).toBe(true)
  await question.getByLabel('Type ada@example.com to go on').fill('ada@example.com')
  await question.getByRole('button', { name: 'Erase this person' }).click()
  await page.getByRole('heading', { level: 1, name: 'Contacts' }).waitFor()
  expect((await service.call('GET', '/contacts/ada@example.com')).status).toBe(404)
  expect({ refused, strayRequests }).toEqual({ refused: [], strayRequests: [] })
  await leave(page)
})

it('tells once of an email that was not sent, with why', async () => {
  await createContact(service, { email: 'never@example.com' })
  await service.call('POST', '/suppressions', { body: { email: 'never@example.com' } })
  await send(service, { to: ['never@example.com'], subject: 'A reminder' })
  await until(async () => {
    const { body } = await service.call('GET', '/contacts/never@example.com/timeline')
    expect((body as { data: { type: string }[] }).data.map(({ type }) => type)).toContain('email.suppressed')
  })
  const { page } = await openApp(browser, { origin: service.url, cookie: await signIn(service), path: '/contacts' })
  await page.getByRole('link', { name: 'never@example.com' }).click()
  const done = page.getByRole('region', { name: 'Sent and done' })
  await done.getByText('Nothing was sent, because your team put the address on the suppression list.').waitFor()
  await expect.poll(() => done.getByRole('link', { name: 'A reminder' }).count()).toBe(1)
  await expect.poll(() => done.getByText('Suppressed', { exact: true }).count()).toBe(1)
  expect(await done.getByText('The email was not sent').count()).toBe(0)
  await leave(page)
})

it('acts on all the contacts that a search finds, also those that are not shown yet, and names those who were refused', async () => {
  const topic = await idOf('/topics', { name: 'Party news', default_subscription: 'opt_out' })
  const guests = await addManyContacts(service, 1_200, 'guest')
  await service.call('PATCH', '/contacts/guest-1199@example.com/topics', { body: [{ id: topic, subscription: 'opt_out' }] })
  const { page, refused } = await openApp(browser, { origin: service.url, cookie: await signIn(service), path: '/contacts?search=guest-' })
  await page.getByRole('checkbox', { name: 'Choose all rows that are shown' }).check()
  await page.getByRole('button', { name: 'Choose all 1,200 that were found' }).click()
  await page.getByText('1,200 contacts chosen').waitFor()
  await screenshot(page, 'app-contacts-chosen')
  // What was chosen of what a filter found is not what another one finds.
  await page.getByLabel('Address or name').fill('guest-11')
  await page.getByRole('toolbar').waitFor({ state: 'detached' })
  await page.getByLabel('Address or name').fill('guest-')
  await page.waitForURL('**/contacts?search=guest-')
  await page.getByRole('checkbox', { name: 'Choose all rows that are shown' }).check()
  await page.getByRole('button', { name: 'Choose all 1,200 that were found' }).click()
  await page.getByText('1,200 contacts chosen').waitFor()
  await page.getByRole('button', { name: 'Change them' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('It is done with 1,200 contacts').waitFor()
  await dialog.getByRole('combobox', { name: 'What to do' }).click()
  // People are subscribed again only one by one.
  expect(await page.getByRole('option', { name: 'Subscribe again' }).count()).toBe(0)
  await page.getByRole('option', { name: 'Opt in to a topic' }).click()
  await dialog.getByRole('combobox', { name: 'Topic' }).click()
  await page.getByRole('option', { name: 'Party news' }).click()
  await dialog.getByRole('button', { name: 'Start' }).click()
  await dialog.getByLabel('Type 1,200 to confirm').fill('1200')
  expect(await faultsOf(page, 'contacts-act')).toEqual([])
  await dialog.getByRole('button', { name: 'Start' }).click()
  await page.getByRole('status').getByText('Done', { exact: true }).waitFor()
  expect(await faultsOf(page, 'contacts-job-dialog')).toEqual([])
  await page.getByRole('button', { name: 'See it on its page' }).click()
  await page.getByRole('heading', { level: 1, name: /Opt in to a topic/ }).waitFor()
  await page.getByRole('link', { name: 'guest-1199@example.com' }).waitFor()
  await page.getByText('The contact opted out of the topic.').waitFor()
  await page.getByText('1,199').waitFor()
  expect(await faultsOf(page, 'contacts-job')).toEqual([])
  expect(await topicOf(guests[0])).toBe('opt_in')
  await page.getByRole('link', { name: /Bulk changes/ }).click()
  await page.getByRole('heading', { level: 1, name: 'Bulk changes' }).waitFor()
  await page.getByRole('cell', { name: 'All with guest-' }).waitFor()
  expect(await faultsOf(page, 'contacts-jobs')).toEqual([])
  // What a filter chose is said in its words.
  const filter = {
    all: [
      { field: 'email', operator: 'starts_with', value: 'guest-' },
      { topic, subscription: 'opt_in' },
    ],
  }
  const id = await idOf('/contacts/jobs', { contacts: { filter }, act: { type: 'unsubscribe' } })
  await page.goto(`${service.url}/console/contacts/jobs/${id}`)
  await page.getByRole('listitem').filter({ hasText: 'Address starts with guest-' }).waitFor()
  await page.getByRole('listitem').filter({ hasText: 'Party news' }).waitFor()
  await page.getByRole('status').getByText('Done', { exact: true }).waitFor()
  expect(await faultsOf(page, 'contacts-job-filter')).toEqual([])
  expect(refused).toEqual([])
  await leave(page)
})

it('deletes those that were chosen once their number is typed, and can be stopped', async () => {
  for (const name of ['gone', 'gone-too', 'stays']) await createContact(service, { email: `${name}@leave.example` })
  const { page } = await openApp(browser, { origin: service.url, cookie: await signIn(service), path: '/contacts?search=leave.example' })
  for (const name of ['gone', 'gone-too'])
    await page
      .getByRole('row', { name: `${name}@leave.example` })
      .getByRole('checkbox', { name: 'Choose this row' })
      .check()
  await page.getByRole('button', { name: 'Change them' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('combobox', { name: 'What to do' }).click()
  await page.getByRole('option', { name: 'Delete', exact: true }).click()
  await dialog.getByRole('button', { name: 'Start' }).click()
  await dialog.getByLabel('Type 2 to confirm').fill('2')
  await dialog.getByRole('button', { name: 'Start' }).click()
  await page.getByRole('status').getByText('Done', { exact: true }).waitFor()
  await dialog.getByRole('button', { name: 'Close' }).last().click()
  await page.getByRole('link', { name: 'gone-too@leave.example' }).waitFor({ state: 'detached' })
  expect((await service.call('GET', '/contacts/stays@leave.example')).status).toBe(200)
  // One that waits for its turn: without a job of its own it would be found stuck.
  await service.database.execute(
    `select graphile_worker.add_job('of-no-worker', json_build_object('contactJobId', id))::text from contact_jobs`,
  )
  await service.database.execute("update contact_jobs set status = 'in_progress', completed_at = null, expected = 4, contact_ids = '{}'")
  const { body } = await service.call('GET', '/contacts/jobs?limit=1')
  const [{ id }] = (body as { data: [{ id: string }] }).data
  await page.goto(`${service.url}/console/contacts/jobs/${id}`)
  await page.getByText('2 of 4 done').waitFor()
  await page.getByRole('button', { name: 'Cancel it' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel it' }).click()
  await page.getByRole('status').getByText('It was canceled').first().waitFor()
  expect((await service.call('GET', `/contacts/jobs/${id}`)).body).toMatchObject({ status: 'canceled' })
  await leave(page)
})

const topicOf = async (id = ''): Promise<string | undefined> =>
  ((await service.call('GET', `/contacts/${id}/topics`)).body as { data: { name: string; subscription: string }[] }).data.find(
    ({ name }) => name === 'Party news',
  )?.subscription
