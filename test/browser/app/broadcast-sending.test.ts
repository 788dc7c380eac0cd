// Sending a broadcast in the console: who gets it, what is wrong with it, when, how fast, and how far it is.
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { addManyMembers, addMembers, createBroadcast, readBroadcast } from '../../support/builders/broadcasts.ts'
import { addTopic, optOut } from '../../support/builders/contacts.ts'
import { signIn } from '../../support/clients/console.ts'
import { until } from '../../support/clocks/until.ts'
import { create } from '../../support/records/record-builder.ts'
import { shared, startTestService } from '../../support/servers/service.ts'
import { browserOfWorker, closePages, keepCookie } from '../browser.ts'
import { openApp } from './app.ts'
import { faultsOf } from './look.ts'

const HTML = '<p>Hello</p><p><a href="{{{UNSUBSCRIBE_URL}}}">Unsubscribe</a></p>'
/** At the rate of its test, enough for two minutes. */
const MANY = 240

let browser: Browser
const service = shared(() => startTestService({ environment: { ROLES: 'api,worker' } }))
beforeAll(async () => {
  browser = await browserOfWorker()
})
afterAll(() => closePages(browser))

const segmentCalled = (name: string): Promise<string> => create(service, '/segments', { name })

const open = async (path: string) => openApp(browser, { origin: service.url, cookie: await signIn(service), path, width: 1440 })

/** The page for someone whose clock is in this zone. */
async function openIn(timezoneId: string, path: string): Promise<{ page: Page; context: BrowserContext }> {
  const context = await browser.newContext({ timezoneId, reducedMotion: 'reduce', viewport: { width: 1440, height: 900 } })
  await keepCookie(context, { origin: service.url, cookie: await signIn(service) })
  const page = await context.newPage()
  await page.goto(`${service.url}/console${path}`)
  return { page, context }
}

const region = (page: Page, name: string) => page.getByRole('region', { name, exact: true })

async function chooseZone(page: Page, typed: string, name: string): Promise<void> {
  const field = page.getByRole('combobox', { name: 'Time zone' })
  await field.click()
  await field.fill(typed)
  await page.getByRole('option', { name, exact: true }).click()
}

/** What the clocks of a zone show. */
const shownIn = (timeZone: string, at: unknown): string =>
  new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'short' }).format(
    new Date(String(at).replace(' ', 'T').replace(/\+00$/, 'Z')),
  )

const DAY_MS = 24 * 60 * 60 * 1_000

it('is scheduled from Berlin for tomorrow at nine in New York, and gets another time', async () => {
  const segmentId = await segmentCalled('New Yorkers')
  await addMembers(service, segmentId, { 'delivered+ny@simulator.test': {} })
  const id = await createBroadcast(service, { segment_id: segmentId, name: 'For New York', html: HTML })
  const { page, context } = await openIn('Europe/Berlin', `/broadcasts/${id}`)
  await page.getByRole('link', { name: 'Send …' }).click()
  await page.getByText('At a time').click()
  await page.getByText('This is your own time zone.').waitFor()
  await chooseZone(page, 'new york', 'America/New York')
  await page.getByRole('button', { name: /^Day and time/ }).click()
  await page.getByRole('button', { name: 'Tomorrow at 09:00' }).click()
  expect(await faultsOf(page, 'broadcast-picker')).toEqual([])
  await page.getByRole('button', { name: 'Use this time' }).click()
  await page
    .getByRole('status')
    .getByText(/09:00 GMT-[45] in New York/)
    .waitFor()
  await page.getByText(/For you, in Berlin, that is .* at 15:00/).waitFor()
  expect(await faultsOf(page, 'broadcast-when')).toEqual([])
  await page.getByRole('button', { name: 'Schedule it' }).click()
  // As it was chosen, wherever one looks, and what it is here.
  const asChosen = /\w+,? \d+ \w+,? (?:at )?09:00 in New York \(15:00 here\)/
  await page.getByText('It is sent on').getByText(asChosen).waitFor()
  await region(page, 'Details').getByText(asChosen).waitFor()
  const { scheduled_at, timezone } = await readBroadcast(service, id)
  expect(timezone).toBe('America/New_York')
  const [tomorrow] = shownIn('America/New_York', new Date(Date.now() + DAY_MS).toISOString()).split(' ')
  expect(shownIn('America/New_York', scheduled_at)).toBe(`${tomorrow} 09:00`)
  expect(await faultsOf(page, 'broadcast-scheduled')).toEqual([])

  await page.getByRole('link', { name: 'Broadcasts', exact: true }).first().click()
  await page.getByRole('row', { name: 'For New York' }).getByText(asChosen).waitFor()
  expect(await faultsOf(page, 'broadcasts-scheduled')).toEqual([])
  await page.getByRole('link', { name: 'For New York' }).click()

  await page.getByRole('link', { name: 'Reschedule …' }).click()
  // What was chosen, where it was chosen.
  await page
    .getByRole('status')
    .getByText(/at 09:00 .* in New York/)
    .waitFor()
  await chooseZone(page, 'kolkata', 'Asia/Kolkata')
  await page.getByRole('button', { name: 'Change the time' }).click()
  await page.getByText('It is sent on').getByText('09:00 in Kolkata').waitFor()
  expect(await readBroadcast(service, id)).toMatchObject({ status: 'scheduled', timezone: 'Asia/Kolkata' })
  expect(shownIn('Asia/Kolkata', (await readBroadcast(service, id)).scheduled_at)).toContain(' 09:00')
  await page.getByRole('button', { name: 'Unschedule' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Unschedule' }).click()
  await page.getByRole('link', { name: 'Send …' }).waitFor()
  expect(await readBroadcast(service, id)).toMatchObject({ status: 'draft', scheduled_at: null })
  await page.getByRole('link', { name: 'Send …' }).click()
  await page
    .getByRole('status')
    .getByText(/at 09:00 .* in Kolkata/)
    .waitFor()
  await page.getByRole('button', { name: 'Schedule it' }).waitFor()
  await context.close()
})

it('says who gets it and who does not, and sends to as many', async () => {
  const segmentId = await segmentCalled('Everyone here')
  const topicId = await addTopic(service)
  const fields: Record<string, Record<string, unknown>> = {
    'delivered+1@simulator.test': {},
    'delivered+2@simulator.test': {},
    'delivered+3@simulator.test': {},
    'gone@example.org': { unsubscribed: true },
    'elsewhere@example.org': { topics: optOut(topicId) },
    'elsewhere2@example.org': { topics: optOut(topicId) },
    'stopped@example.org': {},
  }
  await addMembers(service, segmentId, fields)
  await service.call('POST', '/suppressions', { body: { email: 'stopped@example.org' } })
  const id = await createBroadcast(service, { segment_id: segmentId, topic_id: topicId, name: 'Counted', html: HTML })
  const { page, refused, strayRequests } = await open(`/broadcasts/${id}/send`)
  const who = region(page, 'Who gets it')
  await who.getByText('3 contacts get it, of the segment Everyone here, about Topic').waitFor()
  await who.getByText('4 contacts of the segment do not:').waitFor()
  await who.getByRole('link', { name: '1 unsubscribed' }).waitFor()
  await who.getByText(/2 are not subscribed to Topic .*, 1 is on the suppression list\./).waitFor()
  await region(page, 'Before you send it').getByText('1 warning').waitFor()
  expect(await faultsOf(page, 'broadcast-send')).toEqual([])
  // The wrong segment is changed where it is seen.
  const segment = page.getByRole('combobox', { name: 'Segment that gets it' })
  await addMembers(service, await segmentCalled('Someone'), { 'delivered+one-more@simulator.test': {} })
  await segment.click()
  await page.getByRole('option', { name: 'Someone' }).click()
  await who.getByText('1 contact gets it, of the segment Someone, about Topic').waitFor()
  await segment.click()
  await page.getByRole('option', { name: 'Everyone here' }).click()
  await who.getByText('3 contacts get it').waitFor()
  await page.getByRole('button', { name: 'Send it now' }).click()
  await until(async () => expect(await readBroadcast(service, id)).toMatchObject({ status: 'sent' }))
  expect(await readBroadcast(service, id)).toMatchObject({ counts: { sent: 3, suppressed: 1, recipients: 4 } })
  await region(page, 'What became of it').getByText('Delivered', { exact: true }).waitFor()
  expect({ refused, strayRequests }).toEqual({ refused: [], strayRequests: [] })
})

it('is sent only as it was looked at, also by who has a colleague', async () => {
  const segmentId = await segmentCalled('Ours')
  await segmentCalled('Theirs')
  await addMembers(service, segmentId, { 'delivered+ours@simulator.test': {} })
  const id = await createBroadcast(service, { segment_id: segmentId, name: 'Two hands', html: HTML })
  const { page } = await open(`/broadcasts/${id}/send`)
  // The page hears of no change, as it does when one comes a moment before.
  await page.route('**/live?*', (route) => route.abort())
  await page.reload()
  await region(page, 'Before you send it').getByText('1 warning').waitFor()
  await page.getByText('At a time').click()
  await service.call('PATCH', `/broadcasts/${id}`, { body: { subject: 'Theirs' } })
  await page.getByRole('button', { name: 'Schedule it' }).click()
  const question = page.getByRole('dialog', { name: 'Someone else has changed it' })
  await question.getByText(/This broadcast was changed meanwhile by .+ before you send it\./).waitFor()
  expect(await readBroadcast(service, id)).toMatchObject({ status: 'draft', subject: 'Theirs' })
  expect(await faultsOf(page, 'broadcast-changed-meanwhile')).toEqual([])
  await question.getByRole('button', { name: 'Stay here' }).click()
  await question.waitFor({ state: 'detached' })
  await service.call('PATCH', `/broadcasts/${id}`, { body: { subject: 'Theirs again' } })
  await page.getByRole('combobox', { name: 'Segment that gets it' }).click()
  await page.getByRole('option', { name: 'Theirs' }).click()
  await question.getByRole('button', { name: 'Show theirs' }).click()
  await region(page, 'Message').getByText('Theirs again').waitFor()
  await page.getByRole('link', { name: 'Send …' }).click()
  await page.getByText('At a time').click()
  await page.getByRole('button', { name: 'Schedule it' }).click()
  await page.getByText('It is sent on').waitFor()
})

it('says while a draft is written that its checks are of what was saved', async () => {
  const segmentId = await segmentCalled('Checked')
  await addMembers(service, segmentId, { 'delivered+checked@simulator.test': {} })
  const html = `${HTML}<a href="#">Shop</a>`
  const id = await createBroadcast(service, { segment_id: segmentId, name: 'Checked', html, send: true, scheduled_at: 'in 1 hour' })
  const { page } = await open(`/broadcasts/${id}/edit`)
  const checks = region(page, 'Checks')
  await checks.getByText('2 warnings').waitFor()
  await page.getByRole('textbox', { name: 'Subject' }).fill('Changed')
  await checks.getByText('This is out of date').waitFor()
  expect(await faultsOf(page, 'broadcast-checks-outdated')).toEqual([])
  // A draft is saved by itself, and checked then.
  await service.call('POST', `/broadcasts/${id}/cancel`)
  await page.goto(`${service.url}/console/broadcasts/${id}/edit`)
  await checks.getByText('2 warnings').waitFor()
  const editor = page.getByRole('textbox', { name: 'Own HTML' })
  await editor.fill(HTML)
  await checks.getByText('This is out of date').waitFor()
  await checks.getByText('1 warning', { exact: true }).waitFor()
  await checks.getByText('This is out of date').waitFor({ state: 'detached' })
})

it('asks for the number of more than a thousand, as it was counted', async () => {
  const segmentId = await segmentCalled('Many')
  await addManyMembers(service, segmentId, 1_234)
  await service.database.execute(
    'update contacts set unsubscribed = true where id in (select contact_id from contact_segments where segment_id = $1 order by contact_id limit 34)',
    [segmentId],
  )
  const id = await createBroadcast(service, { segment_id: segmentId, name: 'To many', html: HTML })
  const { page } = await open(`/broadcasts/${id}/send`)
  await page.getByText('At a time').click()
  await page.getByLabel('Type 1,200 to confirm').fill('1234')
  await page.getByRole('switch', { name: 'Spread it over time' }).click({ force: true })
  await page.getByRole('textbox', { name: 'Recipients an hour' }).fill('400')
  await page.getByText('It takes about 3 hours.').waitFor()
  await page.getByRole('button', { name: 'Schedule it' }).click()
  await page.getByText('Type 1,200 to confirm').last().waitFor()
  expect(await readBroadcast(service, id)).toMatchObject({ status: 'draft' })
  await page.getByLabel('Type 1,200 to confirm').fill('1,200')
  await page.getByRole('button', { name: 'Schedule it' }).click()
  await page.getByText('It is sent on').waitFor()
  expect(await readBroadcast(service, id)).toMatchObject({ status: 'scheduled', rate_per_hour: 400 })
})

it('is not sent with an error, and says where it is mended', async () => {
  const segmentId = await segmentCalled('One')
  await addMembers(service, segmentId, { 'delivered+one@simulator.test': {} })
  const html = `${HTML}<a href="shop.example.com">Shop</a><img src="http://cdn.example.com/a.webp">`
  const id = await createBroadcast(service, { segment_id: segmentId, name: 'With faults', html })
  const { page } = await open(`/broadcasts/${id}/send`)
  const checks = region(page, 'Before you send it')
  await checks.getByText('1 error', { exact: true }).waitFor()
  await checks.getByRole('listitem').first().getByRole('img', { name: 'Error' }).waitFor()
  await checks.getByRole('listitem').first().getByText('shop.example.com').waitFor()
  await checks.getByText('A WebP image is not shown by Outlook for Windows').waitFor()
  expect(await page.getByRole('button', { name: 'Send it now' }).isDisabled()).toBe(true)
  expect(await faultsOf(page, 'broadcast-checks')).toEqual([])
  await checks.getByRole('link', { name: 'Change it' }).first().click()
  await page.getByRole('textbox', { name: 'Subject' }).waitFor()
  // Mended elsewhere meanwhile: warnings alone can be passed.
  await service.call('PATCH', `/broadcasts/${id}`, { body: { html: `${HTML}<a href="http://shop.example.com/">Shop</a>` } })
  await page.goto(`${service.url}/console/broadcasts/${id}/send`)
  await region(page, 'Before you send it').getByText('http://shop.example.com/').waitFor()
  await page.getByRole('button', { name: 'Send it now' }).click()
  await until(async () => expect(await readBroadcast(service, id)).toMatchObject({ status: 'sent' }))
})

it('shows how far it is, and can be paused and resumed', async () => {
  const segmentId = await segmentCalled('Slowly')
  const people = Array.from({ length: MANY }, (_, index) => [`delivered+s${index}@simulator.test`, {}])
  await addMembers(service, segmentId, Object.fromEntries(people))
  // Two a second, so that there is time to look.
  const id = await createBroadcast(service, { segment_id: segmentId, name: 'Slowly', html: HTML, rate_per_hour: 7_200, send: true })
  const { page, refused } = await open(`/broadcasts/${id}`)
  const progress = region(page, 'How far it is')
  await progress.getByText(`of ${MANY} sent`).waitFor()
  await progress.getByText(/^\d+ a minute$|^[\d,]+ an hour$/).waitFor()
  await progress.getByText('at most 7,200 an hour').waitFor()
  expect(await faultsOf(page, 'broadcast-progress')).toEqual([])
  await page.getByRole('button', { name: 'Pause' }).click()
  await progress.getByText('wait until you resume it').waitFor()
  // What is beginning when it is paused still counts.
  await until(async () => {
    const { counts } = (await readBroadcast(service, id)) as { counts: { sent: number } }
    await progress.getByText(`${counts.sent} of ${MANY} sent`).waitFor({ timeout: 2_000 })
  })
  expect(await faultsOf(page, 'broadcast-paused')).toEqual([])
  await service.call('PATCH', `/broadcasts/${id}`, { body: { name: 'Slowly, once more' } })
  await page.getByRole('button', { name: 'Resume' }).click()
  await progress.getByText('Time left').waitFor()
  // The rest needs no time to be looked at.
  await service.database.execute('update broadcasts set rate_per_hour = null where id = $1', [id])
  await until(async () => expect(await readBroadcast(service, id)).toMatchObject({ status: 'sent', counts: { sent: MANY } }))
  await progress.waitFor({ state: 'detached' })
  expect(refused).toEqual([])
})
