// What is changed by others, and what is still on its way, while someone works on a page of the console.
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createAutomation } from '../../support/builders/automations.ts'
import { addMembers, createBroadcast, readBroadcast } from '../../support/builders/broadcasts.ts'
import { createContact, readContact } from '../../support/builders/contacts.ts'
import { png } from '../../support/builders/images.ts'
import { signIn } from '../../support/clients/console.ts'
import { until } from '../../support/clocks/until.ts'
import { create } from '../../support/records/record-builder.ts'
import { shared, startTestService } from '../../support/servers/service.ts'
import { browserOfWorker, closePages } from '../browser.ts'
import { chooseAct, openApp } from './app.ts'

let browser: Browser
const service = shared(() => startTestService({ environment: { ROLES: 'api' } }))
beforeAll(async () => {
  browser = await browserOfWorker()
})
afterAll(() => closePages(browser))

const open = async (path: string) => (await openApp(browser, { origin: service.url, cookie: await signIn(service), path })).page
const change = async (path: string, body: object) => expect((await service.call('PATCH', path, { body })).status).toBe(200)
const read = async (path: string) => Object((await service.call('GET', path)).body)

/** Answers wait until they are let go. */
async function hold(page: Page, isHeld: (url: URL, method: string) => boolean) {
  const gate = Promise.withResolvers<void>()
  let count = 0
  await page.route(
    (url) => isHeld(url, 'GET') || isHeld(url, 'POST'),
    async (route) => {
      if (isHeld(new URL(route.request().url()), route.request().method())) {
        count += 1
        await gate.promise
      }
      await route.continue()
    },
  )
  return { asked: () => until(() => expect(count).toBeGreaterThan(0)), release: gate.resolve }
}

it('changes of a contact only what was typed, however late the list of properties comes', async () => {
  await create(service, '/contact-properties', { key: 'plan', type: 'string' })
  const id = await createContact(service, { email: 'ada@example.com', first_name: 'Ada', properties: { plan: 'gold' } })
  const page = await open('/contacts')
  const properties = await hold(page, ({ pathname }) => pathname === '/contact-properties')
  await page.getByRole('link', { name: 'ada@example.com' }).click()
  await page.getByRole('heading', { level: 1, name: /Ada|ada@example/ }).waitFor()
  await properties.asked()
  const edit = page.getByRole('button', { name: 'Edit', exact: true })
  await edit.waitFor()
  expect(await edit.isDisabled()).toBe(true)
  properties.release()
  await edit.click()
  const dialog = page.getByRole('dialog')
  await expect.poll(() => dialog.getByLabel('plan').inputValue()).toBe('gold')
  const isRead = page.waitForResponse(
    async (response) => response.url().endsWith(`/contacts/${id}`) && (await response.text()).includes('Augusta'),
  )
  await change(`/contacts/${id}`, { first_name: 'Augusta' })
  await isRead
  await dialog.getByLabel('Last name').fill('King')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await until(async () =>
    expect(await readContact(service, id)).toMatchObject({
      first_name: 'Augusta',
      last_name: 'King',
      properties: { plan: { value: 'gold' } },
    }),
  )
})

it('sends a broadcast neither by the number of another segment, nor with what a colleague has written since', async () => {
  const [few, many] = [await create(service, '/segments', { name: 'Few' }), await create(service, '/segments', { name: 'Many' })]
  await addMembers(service, few, { 'delivered+few@simulator.test': {} })
  await addMembers(service, many, { 'delivered+a@simulator.test': {}, 'delivered+b@simulator.test': {} })
  const html = '<p>Hello</p><p><a href="{{{UNSUBSCRIBE_URL}}}">Unsubscribe</a></p>'
  const id = await createBroadcast(service, { segment_id: few, name: 'The news', html })
  const page = await open(`/broadcasts/${id}/send`)
  const who = page.getByRole('region', { name: 'Who gets it', exact: true })
  await who.getByText('1 contact gets it').waitFor()
  const count = await hold(page, ({ pathname }) => pathname.endsWith('/audience'))
  await page.getByRole('combobox', { name: 'Segment that gets it' }).click()
  await page.getByRole('option', { name: 'Many' }).click()
  await count.asked()
  await who.getByText('The recipients are being counted').waitFor()
  expect(await page.getByRole('button', { name: 'Send it now' }).isDisabled()).toBe(true)
  count.release()
  await who.getByText('2 contacts get it').waitFor()

  const isRead = page.waitForResponse(
    async (response) => response.url().endsWith(`/broadcasts/${id}`) && (await response.text()).includes('Half a'),
  )
  await change(`/broadcasts/${id}`, { subject: 'Half a sentence' })
  await isRead
  await page.getByRole('button', { name: 'Send it now' }).click()
  await page.getByRole('dialog', { name: 'Someone else has changed it' }).waitFor()
  expect(await readBroadcast(service, id)).toMatchObject({ status: 'draft' })
  await page.getByRole('button', { name: 'Stay here' }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Send it now' }).click()
  await until(async () => expect((await readBroadcast(service, id)).status).not.toBe('draft'))
})

it('begins with what is stored whenever the settings of an automation are opened', async () => {
  const id = await createAutomation(service, { name: 'Welcome' })
  const page = await open(`/automations/${id}`)
  const dialog = page.getByRole('dialog')
  await chooseAct(page, 'Settings')
  await dialog.getByLabel('Name').fill('Welcome back')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('heading', { level: 1, name: 'Welcome back' }).waitFor()
  await dialog.waitFor({ state: 'detached' })
  await chooseAct(page, 'Settings')
  await expect.poll(() => dialog.getByLabel('Name').inputValue()).toBe('Welcome back')
  await change(`/automations/${id}`, { reentry: 'once' })
  await dialog.getByLabel(/runs/i).fill('3')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await until(async () =>
    expect(await read(`/automations/${id}`)).toMatchObject({ name: 'Welcome back', reentry: 'once', max_runs_per_contact: 3 }),
  )
})

it('changes of a domain, and of a segment, only what was changed on the page', async () => {
  const domain = await create(service, '/domains', { name: 'acme.example' })
  const page = await open(`/domains/${domain}`)
  const settings = page.getByRole('region', { name: 'Settings' })
  await settings.getByLabel('Track opens').check()
  await settings.getByLabel('Tracking subdomain').fill('links')
  await change(`/domains/${domain}`, { capabilities: { receiving: 'enabled' } })
  await settings.getByRole('button', { name: 'Save' }).click()
  await until(async () =>
    expect(await read(`/domains/${domain}`)).toMatchObject({
      open_tracking: true,
      capabilities: { sending: 'enabled', receiving: 'enabled' },
    }),
  )
  // What is stored is shown again where no one has typed.
  await expect.poll(() => settings.getByLabel('Receive emails to the domain').isChecked()).toBe(true)

  const filter = { field: 'email', operator: 'ends_with', value: '@acme.example' }
  const segment = await create(service, '/segments', { name: 'Customers' })
  const editing = await open(`/segments/${segment}/edit`)
  await editing.getByLabel('Name').fill('Customers of ours')
  await change(`/segments/${segment}`, { filter })
  await editing.getByRole('button', { name: 'Save' }).click()
  await editing.getByRole('heading', { level: 1, name: 'Customers of ours' }).waitFor()
  expect(await read(`/segments/${segment}`)).toMatchObject({ name: 'Customers of ours', filter })
})

it('keeps a dialog open while what it sends is on its way, so that it is not sent twice', async () => {
  const page = await open('/topics')
  await page.getByRole('button', { name: 'Create a topic' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill('News')
  const sent = await hold(page, ({ pathname }, method) => pathname === '/topics' && method === 'POST')
  await dialog.getByRole('button', { name: 'Create a topic' }).click()
  await sent.asked()
  expect(await dialog.getByRole('button', { name: 'Cancel' }).isDisabled()).toBe(true)
  await page.keyboard.press('Escape')
  await dialog.getByLabel('Name').waitFor()
  sent.release()
  await page.getByRole('heading', { level: 1, name: 'News' }).waitFor()
  expect((await read('/topics')).data).toHaveLength(1)
})

it('lets no one choose rows of a filter that was left', async () => {
  for (const email of ['one@example.net', 'two@example.net']) await create(service, '/suppressions', { email })
  const page = await open('/suppressions')
  await page.getByRole('link', { name: 'one@example.net' }).waitFor()
  const found = await hold(page, ({ pathname, searchParams }) => pathname === '/suppressions' && searchParams.get('search') === 'two')
  await page.getByLabel('Part of the address').fill('two')
  await found.asked()
  await page.locator('[inert]').getByRole('link', { name: 'one@example.net', includeHidden: true }).waitFor()
  found.release()
  await page.getByRole('link', { name: 'one@example.net', includeHidden: true }).waitFor({ state: 'detached' })
  await page.getByRole('checkbox', { name: 'Choose all rows that are shown' }).check()
  await page
    .getByRole('button', { name: /^Remove/ })
    .first()
    .waitFor()
})

it('begins with what is stored whenever the name of a broadcast is changed', async () => {
  const id = await createBroadcast(service, { segment_id: await create(service, '/segments', { name: 'Named' }), name: 'First' })
  const page = await open(`/broadcasts/${id}`)
  const dialog = page.getByRole('dialog')
  await chooseAct(page, 'Rename')
  await dialog.getByLabel('Name').fill('Second')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('heading', { level: 1, name: 'Second' }).waitFor()
  await dialog.waitFor({ state: 'detached' })
  await chooseAct(page, 'Rename')
  await expect.poll(() => dialog.getByLabel('Name').inputValue()).toBe('Second')
})

it('shows no logo whose upload ended after its dialog was closed', async () => {
  const page = await open('/settings')
  const changes: string[] = []
  page.on('request', (request) => request.method() === 'PATCH' && changes.push(request.url()))
  const stored = await hold(page, ({ pathname }, method) => pathname === '/images' && method === 'POST')
  await page.getByRole('button', { name: 'Choose' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.locator('input[type=file]').setInputFiles({ name: 'logo.png', mimeType: 'image/png', buffer: png({ width: 8, height: 8 }) })
  await stored.asked()
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  stored.release()
  await page.getByText(/is stored/).waitFor()
  expect(changes).toEqual([])
  expect(await read('/team')).toMatchObject({ logo_id: null })
})

it('says what a column of an import holds also by properties that are read later than another column was chosen', async () => {
  await create(service, '/contact-properties', { key: 'shoe_size', type: 'string' })
  const page = await open('/imports')
  const properties = await hold(page, ({ pathname }) => pathname === '/contact-properties')
  await page.getByRole('link', { name: 'Import a file' }).first().click()
  await properties.asked()
  const file = { name: 'people.csv', mimeType: 'text/csv', buffer: Buffer.from('E-mail,Nick,Shoe size\nada@example.com,Ada,38\n') }
  await page.locator('input[type="file"]').setInputFiles(file)
  await page.getByRole('combobox', { name: 'Nick' }).click()
  await page.getByRole('option', { name: 'First name' }).click()
  properties.release()
  await expect.poll(() => page.getByRole('combobox', { name: 'Shoe size' }).inputValue()).toBe('shoe_size')
  expect(await page.getByRole('combobox', { name: 'Nick' }).inputValue()).toBe('First name')
})
