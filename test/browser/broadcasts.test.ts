import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { addMembers, createBroadcast, doDue } from '../support/builders/broadcasts.ts'
import { addSegment } from '../support/builders/contacts.ts'
import { signIn } from '../support/clients/console.ts'
import { shared, startTestService } from '../support/servers/service.ts'
import { browserOfWorker, closePages, leave, openSignedIn, screenshot, type Watched } from './browser.ts'
import { faintTexts } from './contrast.ts'

const PAGE = '/console/broadcasts'
const LONG = 'a-long-name-without-spaces'.repeat(2)

let browser: Browser
let cookie: string
let segmentId: string
const service = shared(() => startTestService())
beforeAll(async () => {
  browser = await browserOfWorker()
  cookie = await signIn(service)
  segmentId = await addSegment(service)
  await addMembers(service, segmentId, { 'ada@example.org': { first_name: 'Ada' } })
})
afterAll(() => closePages(browser))

const open = (path: string, width?: number): Promise<Watched> => openSignedIn(browser, { origin: service.url, cookie, path, width })

const create = (fields: Record<string, unknown> = {}) =>
  createBroadcast(service, {
    segment_id: segmentId,
    name: 'November news',
    subject: 'News for {{{FIRST_NAME|you}}}',
    preview_text: 'What happened in November',
    html: '<h1>November</h1><p>Hello {{{FIRST_NAME|there}}}!</p><p><a href="{{{UNSUBSCRIBE_URL}}}">Unsubscribe</a></p>',
    ...fields,
  })

it('is previewed for a contact, sent, and shows its progress without reloading', async () => {
  const id = await create()
  const { page, errors, strayRequests } = await open(PAGE)
  await page.getByRole('link', { name: 'November news' }).click()
  await page.getByLabel('Address or id of a contact').fill('ada@example.org')
  await page.getByRole('button', { name: 'Preview' }).click()
  await page.getByText('News for Ada').waitFor()
  await page.frameLocator('iframe').getByText('Hello Ada!').waitFor()
  await screenshot(page, 'broadcast-draft')
  await page.getByText('Send …').click()
  await page.getByRole('button', { name: 'Send it now' }).click()
  await page.getByText('The broadcast is being sent.').waitFor()
  await page.evaluate('window.isSamePage = true')
  await doDue(service)
  await page.locator('.funnel div', { hasText: 'Recipients' }).getByText('1', { exact: true }).waitFor()
  expect(await page.evaluate('window.isSamePage')).toBe(true)
  expect({ errors, strayRequests }).toEqual({ errors: [], strayRequests: [] })
  await leave(page)
  await service.database.execute('delete from broadcasts where id = $1', [id])
})

it.each([
  ['light', 1280],
  ['light', 390],
  ['dark', 390],
] as const)('is readable in %s colors, %i pixels wide, and is not wider than the screen', async (colorScheme, width) => {
  const id = await create({ name: LONG, html: `<p>{{{contact.unknown}}} ${LONG}</p>` })
  await service.database.execute(`insert into broadcast_clicks (broadcast_id, url_hash, email_id, url, count) values ($1, $1, $1, $2, 3)`, [
    id,
    `https://shop.example.com/${LONG}`,
  ])
  const paths = {
    list: PAGE,
    one: `${PAGE}/${id}`,
    new: `${PAGE}/new`,
    edit: `${PAGE}/${id}/edit`,
    recipients: `${PAGE}/${id}/recipients`,
    links: `${PAGE}/${id}/links`,
  }
  for (const [name, path] of Object.entries(paths)) {
    const { page } = await open(path, width)
    await page.emulateMedia({ colorScheme })
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width)
    expect(await page.evaluate(faintTexts)).toEqual([])
    await screenshot(page, `broadcasts-${name}-${colorScheme}-${width}`)
    await leave(page)
  }
})
