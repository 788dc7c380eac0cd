// A broadcast in the console: written, tested, sent, and looked at.
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { addManyMembers, addMembers, createBroadcast, readBroadcast } from '../../support/builders/broadcasts.ts'
import { createVerifiedDomain } from '../../support/builders/domains.ts'
import { signIn } from '../../support/clients/console.ts'
import { until } from '../../support/clocks/until.ts'
import { create } from '../../support/records/record-builder.ts'
import { shared, startTestService } from '../../support/servers/service.ts'
import { browserOfWorker, closePages } from '../browser.ts'
import { openApp } from './app.ts'
import { faultsOf } from './look.ts'

const HTML =
  '<h1>November</h1><p>Hello {{{contact.first_name|there}}}!</p><p><a href="https://shop.example.com/sale">The sale</a></p><p><a href="{{{UNSUBSCRIBE_URL}}}">Unsubscribe</a></p>'

let browser: Browser
/** Counted once: how many are in a segment may be a minute old. */
let readers: string
let everyone: string
const service = shared(() => startTestService({ environment: { ROLES: 'api,worker' } }))
beforeAll(async () => {
  browser = await browserOfWorker()
  readers = await segmentCalled('Readers')
  await addMembers(service, readers, { 'delivered@simulator.test': { first_name: 'Ada' }, 'bounced@simulator.test': {} })
  everyone = await segmentCalled('Everyone')
  await createVerifiedDomain(service)
  await addManyMembers(service, everyone, 1_234)
})
afterAll(() => closePages(browser))

const segmentCalled = (name: string): Promise<string> => create(service, '/segments', { name })

const open = async (path: string, width = 1440) => openApp(browser, { origin: service.url, cookie: await signIn(service), path, width })

it('is begun from the page of its segment', async () => {
  const { page, refused } = await open(`/segments/${readers}`)
  await page.getByRole('link', { name: 'Write a broadcast' }).click()
  await page.getByRole('heading', { level: 1, name: 'New broadcast' }).waitFor()
  await expect.poll(() => page.getByRole('combobox', { name: 'Segment' }).inputValue()).toBe('Readers')
  // Nothing was typed yet, so leaving loses nothing.
  await page.getByRole('link', { name: 'Emails', exact: true }).click()
  await page.getByRole('heading', { level: 1, name: 'Emails' }).waitFor()
  expect(refused).toEqual([])
})

it('is written in a form, tried on oneself, and sent to its segment, whose people it shows', async () => {
  const { page, refused, strayRequests } = await open('/broadcasts')
  await page.getByRole('link', { name: 'New broadcast' }).click()
  await page.getByRole('heading', { level: 1, name: 'New broadcast' }).waitFor()
  await page.getByRole('combobox', { name: 'Segment' }).click()
  await page.getByRole('option', { name: 'Readers' }).click()
  // What is begun is completed with a verified domain.
  await page.getByRole('combobox', { name: 'From' }).fill('Acme <hello@')
  await page.getByRole('option', { name: 'Acme <hello@example.com>' }).click()
  await page.getByRole('textbox', { name: 'Subject' }).fill('News of November')
  await page.getByRole('textbox', { name: 'Reply to' }).fill('no address')
  await page.getByRole('tab', { name: 'Own HTML' }).click()
  await page.getByRole('textbox', { name: 'Own HTML' }).fill(HTML)
  await page.getByRole('button', { name: 'Save the draft' }).click()
  await page
    .getByText(/reply_to/)
    .first()
    .waitFor()
  expect(await faultsOf(page, 'broadcast-new')).toEqual([])
  // A click on a link asks before what was typed is lost.
  await page.getByRole('link', { name: 'Emails', exact: true }).click()
  await page.getByRole('button', { name: 'Stay' }).click()
  await page.getByRole('textbox', { name: 'Reply to' }).fill('')
  await page.getByRole('button', { name: 'Save the draft' }).click()
  await page.getByRole('heading', { level: 1, name: 'News of November' }).waitFor()
  expect(await faultsOf(page, 'broadcast-draft')).toEqual([])

  await page.getByRole('button', { name: 'Send a test' }).click()
  await page.getByRole('dialog').getByRole('textbox', { name: 'To' }).fill('me@simulator.test')
  await page.getByRole('dialog').getByRole('button', { name: 'Send a test' }).click()
  await page.getByText('The test was sent').waitFor()
  const draft = page.url()
  // The next one begins with the sender that was used last, and is left without a question.
  await page.getByRole('link', { name: 'Broadcasts', exact: true }).first().click()
  await page.getByRole('link', { name: 'New broadcast' }).click()
  const sender = page.getByRole('combobox', { name: 'From' })
  await until(async () => expect(await sender.inputValue()).toBe('Acme <hello@example.com>'))
  await page.getByRole('link', { name: 'Templates', exact: true }).click()
  await page.getByRole('link', { name: 'New template' }).click()
  await until(async () => expect(await sender.inputValue()).toBe('Acme <hello@example.com>'))
  await page.goto(draft)
  await page.getByRole('link', { name: 'Send …' }).click()
  await page.getByRole('region', { name: 'Who gets it' }).getByText('2 contacts get it, of the segment Readers.').waitFor()
  await page.getByRole('button', { name: 'Send it now' }).click()
  await page.getByRole('region', { name: 'What became of it' }).getByRole('link', { name: '1', exact: true }).first().waitFor()
  const bounced = page.getByRole('region', { name: 'What became of it' }).locator('dt', { hasText: 'Bounced' })
  await until(async () => expect(await bounced.count()).toBe(1))
  await bounced.locator('xpath=following-sibling::dd').getByRole('link', { name: '1' }).click()
  await page.getByRole('cell', { name: 'bounced@simulator.test' }).waitFor()
  await page.getByRole('cell', { name: 'Permanent' }).waitFor()
  expect(await faultsOf(page, 'broadcast-recipients')).toEqual([])
  expect({ refused, strayRequests }).toEqual({ refused: [], strayRequests: [] })
})

it('asks for the number of many recipients, is sent at a time, and can be unscheduled', async () => {
  const id = await createBroadcast(service, { segment_id: everyone, name: 'To everyone', html: HTML })
  const { page } = await open(`/broadcasts/${id}`)
  await page.getByRole('link', { name: 'Send …' }).click()
  await page.getByText('At a time').click()
  await page.getByRole('button', { name: 'Schedule it' }).click()
  await page.getByLabel('Type 1,234 to confirm').fill('1234')
  expect(await readBroadcast(service, id)).toMatchObject({ status: 'draft' })
  await page.getByRole('button', { name: 'Schedule it' }).click()
  await page.getByText(/It is sent on \w+,? \d+ \w+, \d\d:\d\d .* to the segment Everyone/).waitFor()
  expect(await readBroadcast(service, id)).toMatchObject({ status: 'scheduled' })
  await page.getByRole('button', { name: 'Unschedule' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Unschedule' }).click()
  await page.getByRole('link', { name: 'Send …' }).waitFor()
  expect(await readBroadcast(service, id)).toMatchObject({ status: 'draft', scheduled_at: null })
  await page.getByRole('button', { name: 'More' }).click()
  await page.getByRole('menuitem', { name: 'Duplicate' }).click()
  await page.getByRole('heading', { name: 'To everyone (copy)' }).waitFor()
  await page.getByRole('button', { name: 'More' }).click()
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('heading', { level: 1, name: 'Broadcasts' }).waitFor()
  await page.getByText('To everyone (copy)').waitFor({ state: 'detached' })
})

it('says where opens and clicks are not tracked, in place of zeros', async () => {
  const segmentId = await segmentCalled('Quiet readers')
  await addMembers(service, segmentId, { 'delivered+quiet@simulator.test': {} })
  const id = await createBroadcast(service, { segment_id: segmentId, name: 'A quiet letter', html: HTML, send: true })
  await until(async () => expect(await readBroadcast(service, id)).toMatchObject({ status: 'sent', counts: { delivered: 1 } }))
  const { page, refused } = await open('/broadcasts')
  const row = page.getByRole('row', { name: /A quiet letter/ })
  await expect.poll(() => row.getByRole('cell', { name: 'Not tracked' }).count()).toBe(2)
  expect(await faultsOf(page, 'broadcasts-untracked')).toEqual([])
  await row.getByRole('link').click()
  const funnel = page.getByRole('region', { name: 'What became of it' })
  await funnel.getByText('Opens and clicks are not tracked for example.com.').waitFor()
  const said = (name: string) => funnel.locator('dt', { hasText: name }).locator('xpath=following-sibling::dd').textContent()
  await expect
    .poll(async () => [await said('Delivered'), await said('Opened'), await said('Clicked')])
    .toEqual(['1100 %', 'Not tracked', 'Not tracked'])
  const others = page.getByRole('table', { name: 'By mailbox provider' }).getByRole('row', { name: /Others/ })
  await others.waitFor()
  await expect
    .poll(() => others.getByRole('cell').allTextContents())
    .toEqual(['Others', '1', '100 %', 'Not tracked', 'Not tracked', '0 %', '0 %'])
  expect(await faultsOf(page, 'broadcast-untracked')).toEqual([])
  await page.getByRole('button', { name: 'Make a segment' }).click()
  await page.getByText('so it is known of no one').waitFor()
  await page.getByRole('button', { name: 'Cancel' }).click()
  // From now on it is a number, and none is one.
  await service.database.execute("update domains set open_tracking = true, tracking_host = 'links.example.com' where name = 'example.com'")
  await funnel.getByRole('link', { name: 'Its settings say what is tracked.' }).click()
  await page.getByRole('heading', { level: 1, name: 'example.com' }).waitFor()
  await page.goto(`${service.url}/console/broadcasts`)
  await row.getByRole('cell', { name: '0 %' }).waitFor()
  await expect.poll(() => row.getByRole('cell', { name: 'Not tracked' }).count()).toBe(1)
  await service.database.execute("update domains set open_tracking = false, tracking_host = null where name = 'example.com'")
  expect(refused).toEqual([])
})

it('shows what became of a broadcast, in numbers and by hour', async () => {
  const segmentId = await segmentCalled('Shoppers')
  await addMembers(
    service,
    segmentId,
    Object.fromEntries(
      ['delivered', 'opened', 'opened+2', 'opened+3', 'clicked', 'complained', 'bounced'].map((name) => [`${name}@simulator.test`, {}]),
    ),
  )
  const id = await createBroadcast(service, { segment_id: segmentId, name: 'The sale', html: HTML, send: true })
  await until(async () =>
    expect((await readBroadcast(service, id)).counts).toMatchObject({ delivered: 6, opened: 4, clicked: 1, bounced: 1, complained: 1 }),
  )
  await service.database.execute(
    "insert into broadcast_links (broadcast_id, url_hash, url, clicks, unique_clicks) select $1, md5(url)::uuid, url, 12, 9 from (values ('https://shop.example.com/sale')) as l(url)",
    [id],
  )
  const { page, refused } = await open(`/broadcasts/${id}`)
  await page.getByRole('region', { name: 'Opens and clicks by hour' }).getByRole('img').waitFor()
  await page.frameLocator('iframe').getByText('Hello there!').waitFor()
  // The numbers of the API, on the links of the message and beside them.
  const { body: links } = await service.call('GET', `/broadcasts/${id}/clicked-links`)
  expect(links).toMatchObject({ data: [{ clicks: 12 }, { clicks: 1 }] })
  await page.frameLocator('iframe').getByRole('link', { name: 'The sale' }).getByText('12', { exact: true }).waitFor()
  await page.getByText('12 clicks').waitFor()
  await page.getByRole('table', { name: 'By mailbox provider' }).getByText('Others').waitFor()
  expect(await faultsOf(page, 'broadcast')).toEqual([])
  await page.getByRole('button', { name: 'Make a segment' }).click()
  const dialog = page.getByRole('dialog')
  // Delivered to six, of whom four opened it or followed a link.
  await dialog.getByText('These are 2 recipients.').waitFor()
  await expect.poll(() => dialog.getByLabel('Name').inputValue()).toBe('The sale: did not open it')
  expect(await faultsOf(page, 'broadcast-segment')).toEqual([])
  await dialog.getByRole('button', { name: 'Make the segment' }).click()
  await page.getByRole('status').getByText('Done', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'See it on its page' }).click()
  await page.getByRole('link', { name: 'The sale: did not open it' }).click()
  await page.getByRole('link', { name: 'delivered@simulator.test' }).waitFor()
  await page.getByRole('link', { name: 'complained@simulator.test' }).waitFor()
  expect(await page.getByRole('link', { name: /^opened/ }).count()).toBe(0)
  await page.goto(`${service.url}/console/broadcasts/${id}`)
  await page.getByRole('link', { name: '← Broadcasts' }).click()
  await page
    .getByRole('row', { name: /The sale/ })
    .getByText('7', { exact: true })
    .waitFor()
  expect(await faultsOf(page, 'broadcasts')).toEqual([])
  expect(refused).toEqual([])
})
