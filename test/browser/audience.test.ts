import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createContact, readContact } from '../support/builders/contacts.ts'
import { send } from '../support/builders/emails.ts'
import { signIn } from '../support/clients/console.ts'
import { shared, startTestService } from '../support/servers/service.ts'
import { browserOfWorker, closePages, leave, openSignedIn, screenshot, type Watched } from './browser.ts'
import { faintTexts } from './contrast.ts'

let browser: Browser
let cookie: string
const service = shared(() => startTestService({ environment: { ROLES: 'api,worker' } }))
beforeAll(async () => {
  browser = await browserOfWorker()
  cookie = await signIn(service)
})
afterAll(() => closePages(browser))

const open = (path: string, width?: number, as = cookie): Promise<Watched> =>
  openSignedIn(browser, { origin: service.url, cookie: as, path, width })

const FILE = {
  name: 'people.csv',
  mimeType: 'text/csv',
  buffer: Buffer.from('E-mail,First name,City\nada@example.com,Ada,London\nbob@example.com,Bob,Paris\nnobody,No,Where\n'),
}

it('imports people, builds a segment, finds a person in it, and erases that person', async () => {
  const { page, errors, strayRequests } = await open('/console/imports')
  await page.getByLabel('CSV file').setInputFiles(FILE)
  await page.getByRole('button', { name: 'Upload the file' }).click()
  await page.getByLabel('City').selectOption('A new property: text')
  await page.getByRole('button', { name: 'Import the contacts' }).click()
  await page.locator('#standing').getByText('completed').waitFor({ timeout: 20_000 })
  await page.getByText('Line 4').waitFor()

  await page.goto(`${service.url}/console/segments/new`)
  await page.getByLabel('Name', { exact: true }).fill('Londoners')
  await page.getByLabel('What the new rule tests').selectOption('city')
  await page.getByRole('button', { name: 'Add a rule' }).click()
  await page.getByLabel('Value of city').fill('london')
  // The form is counted by Enter, and not sent.
  await page.getByLabel('Value of city').press('Enter')
  await page.getByText('1 contact', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Save the segment' }).click()
  await page.getByText('The segment was created.').waitFor()

  await page.getByRole('link', { name: 'ada@example.com' }).click()
  await page.getByRole('link', { name: 'Erase' }).click()
  await page.getByLabel('Type the address to confirm').fill('bob@example.com')
  await page.getByRole('button', { name: 'Erase this person' }).click()
  await page.getByText('is not the address of this contact').waitFor()
  await page.getByLabel('Type the address to confirm').fill('ada@example.com')
  await page.getByRole('button', { name: 'Erase this person' }).click()
  await page.getByText('The person was erased.').waitFor()
  expect((await service.call('GET', '/contacts/ada@example.com')).status).toBe(404)
  expect(await readContact(service, 'bob@example.com')).toMatchObject({ properties: { city: { value: 'Paris' } } })
  // The refused address has the status of its answer.
  expect({ errors: errors.filter((error) => !error.includes('422')), strayRequests }).toEqual({ errors: [], strayRequests: [] })
  await leave(page)
})

const LONG = 'a-long-name-without-spaces'.repeat(3)

/** A team with much of everything. Returns the addresses of its pages. */
async function overfull(): Promise<string[]> {
  const idOf = async (path: string, body: object) => ((await service.call('POST', path, { body })).body as { id: string }).id
  await service.call('POST', '/contact-properties', { body: { key: LONG.slice(0, 50).replaceAll('-', '_'), type: 'string' } })
  const topic = await idOf('/topics', { name: LONG.slice(0, 50), description: LONG, default_subscription: 'opt_out' })
  await idOf('/topics', { name: '\u202eWeekly <b>news</b> 🎉', default_subscription: 'opt_in', visibility: 'public' })
  const listed = await idOf('/segments', { name: `${LONG} 🎉` })
  const leaf = { field: 'email', operator: 'contains', value: LONG }
  const found = await idOf('/segments', {
    name: 'Found',
    filter: { any: [leaf, { all: [{ topic, subscription: 'opt_in' }, { not: { any: [leaf, { segment: listed, member: true }] } }] }] },
  })
  const email = `${LONG.slice(0, 60)}@${LONG.slice(0, 60)}.example.com`
  const contact = await createContact(service, {
    ...{ email, first_name: LONG, last_name: '\u202eReversed', unsubscribed: true, segments: [listed] },
    properties: { [LONG.slice(0, 50).replaceAll('-', '_')]: LONG.repeat(4) },
  })
  for (let number = 0; number < 33; number += 1) await send(service, { subject: `${number} ${LONG}`, to: email })
  const scheduled = await send(service, { subject: LONG, to: email, scheduled_at: 'in 2 hours' })
  const [done] = await service.database.execute<{ id: string }>('select id from contact_imports')
  return [
    ...['/console/contacts', `/console/contacts/${contact}`, `/console/contacts/${contact}/edit`, `/console/contacts/${contact}/erase`],
    ...[
      '/console/segments',
      `/console/segments/${found}`,
      `/console/segments/${found}/edit`,
      `/console/segments/${listed}/delete`,
      '/console/topics',
    ],
    ...[
      `/console/topics/${topic}`,
      '/console/imports',
      `/console/imports/${done?.id}`,
      '/console/emails?to=a@example.com',
      `/console/emails/${scheduled}`,
    ],
  ]
}

const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'

async function check(page: Page, at: object): Promise<void> {
  expect({ ...at, overflow: await page.evaluate(overflow), faint: await page.evaluate(faintTexts) }).toEqual({
    ...at,
    overflow: 0,
    faint: [],
  })
}

const nameIn = (path: string): string =>
  path
    .replace('/console/', '')
    .replace(/[0-9a-f-]{36}/, 'one')
    .replaceAll(/[^a-z]+/g, '-')

it('is never wider than the screen, with much and with nothing, and has a contrast of 4.5 at least', { timeout: 120_000 }, async () => {
  const paths = await overfull()
  const team = await service.service.context.repositories.teams.create('Empty')
  const empty = await signIn(service, await service.createKey(team.id))
  const sizes = process.env.SCREENSHOTS ? ([390, 768, 1440] as const) : ([390, 1440] as const)
  for (const width of sizes)
    for (const colorScheme of process.env.SCREENSHOTS ? (['light', 'dark'] as const) : ([width === 390 ? 'dark' : 'light'] as const))
      for (const [state, as, shown] of [
        ['full', cookie, paths],
        ['empty', empty, ['/console/contacts', '/console/segments', '/console/segments/new', '/console/topics', '/console/imports']],
      ] as const) {
        const { page } = await open('/console/contacts', width, as)
        await page.emulateMedia({ colorScheme })
        for (const path of shown) {
          await page.goto(`${service.url}${path}`)
          for (const summary of await page.locator('main details:not([open]) > summary').all()) await summary.click()
          await check(page, { path, width, colorScheme })
          await screenshot(page, `audience-${state}-${nameIn(path)}-${width}-${colorScheme}`)
        }
        await leave(page)
      }
})
