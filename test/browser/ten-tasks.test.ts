// What a new user does first, by clicking as a person would: nothing is opened by its address but the page to sign in. The clicks are counted, so that
// no way becomes longer unnoticed.
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { addMembers, createBroadcast, emailsOf, readBroadcast } from '../support/builders/broadcasts.ts'
import { addSegment, readContact } from '../support/builders/contacts.ts'
import { publishRecords } from '../support/builders/domains.ts'
import { send } from '../support/builders/emails.ts'
import { signIn } from '../support/clients/console.ts'
import { registerClient, tokensFor } from '../support/clients/oauth-client.ts'
import { until } from '../support/clocks/until.ts'
import { startDnsServer } from '../support/servers/dns-server.ts'
import { shared, startTestService, type TestService } from '../support/servers/service.ts'
import { startWebhookSink } from '../support/servers/webhook-sink.ts'
import { browserOfWorker, closePages, keepCookie, leave, openWatched, screenshot } from './browser.ts'

let browser: Browser
/** The service as the team of the test uses it, which has nothing yet. */
let service: TestService
const opened: Page[] = []

const dns = shared(() => startDnsServer({}))
const hooks = shared(() => startWebhookSink())
const installation = shared(() => startTestService({ environment: { ROLES: 'api,worker', DNS_SERVERS: dns.address } }))
beforeAll(async () => {
  browser = await browserOfWorker()
})
beforeEach(async () => {
  const { id: teamId } = await installation.service.context.repositories.teams.create('Beginners')
  const token = await installation.createKey(teamId)
  service = { ...installation, teamId, token, call: (method, path, options) => installation.call(method, path, { token, ...options }) }
})
afterEach(async () => {
  for (const page of opened.splice(0)) await leave(page)
})
afterAll(() => closePages(browser))

type Published = Parameters<typeof publishRecords>[1]
type Role = 'link' | 'button'

/** Someone who has just signed in, and sees the overview. */
async function newUser() {
  const { page, errors, strayRequests } = await openWatched(browser, { origin: service.url, width: 1440 })
  opened.push(page)
  await keepCookie(page.context(), { origin: service.url, cookie: await signIn(service) })
  await page.goto(`${service.url}/console`)
  await page.getByRole('heading', { name: 'Overview', exact: true }).waitFor()
  const main = page.getByRole('main')
  let clicks = 0
  return {
    page,
    main,
    clicks: () => clicks,
    async section(name: string) {
      clicks += 1
      await page.getByRole('navigation', { name: 'Sections' }).getByRole('link', { name, exact: true }).click()
    },
    async click(role: Role, name: string | RegExp) {
      clicks += 1
      await main.getByRole(role, { name, exact: true }).first().click()
    },
    /** Opens what a page holds back until it is asked for. */
    async open(summary: string) {
      clicks += 1
      await main.locator('summary').filter({ hasText: summary }).click()
    },
    fill: (label: string, text: string) => main.getByLabel(label, { exact: true }).fill(text),
    sees: (text: string | RegExp) => main.getByText(text).first().waitFor(),
    async ends(task: string) {
      await screenshot(page, `task-${task}`)
      expect({ errors, strayRequests }).toEqual({ errors: [], strayRequests: [] })
    },
  }
}

const idIn = (page: Page): string => new URL(page.url()).pathname.split('/')[3] ?? ''

it('sends a first email', async () => {
  const user = await newUser()
  await user.click('button', 'Send it now')
  await user.sees('The email was accepted.')
  await user.page.locator('#standing').getByText('delivered', { exact: true }).waitFor()
  const { body } = await service.call('GET', `/emails/${idIn(user.page)}`)
  expect(body).toMatchObject({ to: ['delivered@simulator.test'], subject: 'Hello', last_event: 'delivered' })
  expect(user.clicks()).toBe(1)
  await user.ends('first-email')
})

it('finds why an email bounced', async () => {
  const id = await send(service, { subject: 'Your invoice', to: 'bounced@simulator.test' }, { token: service.token })
  await until(async () => expect((await service.call('GET', `/emails/${id}`)).body).toMatchObject({ last_event: 'bounced' }))
  const user = await newUser()
  await user.click('link', 'Bounced')
  await user.click('link', /^Your invoice/)
  const standing = user.page.locator('#standing')
  await standing.getByText('bounced', { exact: true }).first().waitFor()
  const { body } = await service.call('GET', `/emails/${id}`)
  const attempts = await service.database.execute('select code, text from attempts where team_id = $1', [service.teamId])
  expect({ body, attempts }).toMatchObject({
    body: { last_event: 'bounced' },
    attempts: [{ code: 550, text: 'User unknown. (Simulated.)' }],
  })
  expect(await standing.locator('dt:text-is("Reason") + dd').textContent()).toMatch(/bounced@simulator\.test.*550.*User unknown/)
  expect(user.clicks()).toBe(2)
  await user.ends('bounce')
})

it('adds a domain', async () => {
  const user = await newUser()
  await user.click('link', 'Add a domain')
  await user.fill('Domain', 'new.beginners.example')
  await user.click('button', 'Add the domain')
  await user.sees('Publish the records below with the provider of your DNS.')
  const { body } = await service.call('GET', `/domains/${idIn(user.page)}`)
  expect(body).toMatchObject({ name: 'new.beginners.example', status: 'not_started' })
  expect(user.clicks()).toBe(2)
  await user.ends('domain')
})

it('sees whether a domain is verified', async () => {
  const added = (await service.call('POST', '/domains', { body: { name: 'beginners.example' } })).body as { id: string } & Published
  const user = await newUser()
  await user.click('link', 'Publish its DNS records')
  await user.click('link', 'beginners.example')
  await user.page.locator('#standing').getByText('not started', { exact: true }).waitFor()
  publishRecords(dns, added, { root: 'beginners.example' })
  await user.click('button', 'Verify now')
  await user.page.locator('#standing').getByText('verified', { exact: true }).waitFor()
  expect((await service.call('GET', `/domains/${added.id}`)).body).toMatchObject({ status: 'verified' })
  expect(user.clicks()).toBe(3)
  await user.ends('verified')
})

it('imports people, into a segment that a broadcast can go to', async () => {
  const user = await newUser()
  await user.section('Imports')
  await user.main.getByLabel('CSV file').setInputFiles({
    name: 'people.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from('E-mail,First name\nada@example.com,Ada\nbob@example.com,Bob\n'),
  })
  await user.click('button', 'Upload the file')
  await user.fill('Add the contacts to a segment', 'Customers')
  await user.click('button', 'Import the contacts')
  await user.page.locator('#standing').getByText('completed').waitFor({ timeout: 20_000 })
  await user.page.locator('.counts div', { hasText: 'Created' }).getByText('2', { exact: true }).waitFor()
  await user.click('link', 'See the contacts')
  await user.sees('ada@example.com')
  expect(await readContact(service, 'ada@example.com', { token: service.token })).toMatchObject({ first_name: 'Ada' })
  const { data: segments } = (await service.call('GET', '/segments')).body as { data: { id: string; name: string }[] }
  expect(segments.map(({ name }) => name)).toEqual(['Customers'])
  const members = (await service.call('GET', `/segments/${segments[0]?.id}/contacts`)).body as { data: { email: string }[] }
  expect(members.data.map(({ email }) => email).sort()).toEqual(['ada@example.com', 'bob@example.com'])
  expect(user.clicks()).toBe(4)
  await user.ends('import')
})

/** A segment of the team with people at addresses of the simulator. */
async function segmentOf(...names: string[]): Promise<string> {
  const segmentId = await addSegment(service)
  await addMembers(service, segmentId, Object.fromEntries(names.map((name) => [`${name}@simulator.test`, {}])))
  return segmentId
}

type User = Awaited<ReturnType<typeof newUser>>

/** Writes a broadcast from the overview on, and sends it. */
async function writeAndSend(user: User, fields: Record<string, string> = {}): Promise<string> {
  await user.section('Broadcasts')
  await user.click('link', 'New broadcast')
  for (const [label, text] of Object.entries({
    From: 'Acme <hello@example.com>',
    Subject: 'November news',
    HTML: '<p>Hello</p><p><a href="{{{UNSUBSCRIBE_URL}}}">Unsubscribe</a></p>',
    ...fields,
  }))
    await user.fill(label, text)
  await user.click('button', 'Save the draft')
  await user.open('Send …')
  await user.click('button', 'Send it now')
  await user.sees('The broadcast is being sent.')
  return idIn(user.page)
}

const counted = (page: Page, name: string) => page.locator('.funnel div', { hasText: name }).locator('dd').first()

it('sends a broadcast', async () => {
  await segmentOf('delivered+ada', 'delivered+bob')
  const user = await newUser()
  const id = await writeAndSend(user)
  await expect.poll(() => counted(user.page, 'Delivered').textContent()).toBe('2')
  await user.page.locator('#standing').getByText('sent', { exact: true }).first().waitFor()
  expect(await readBroadcast(service, id)).toMatchObject({ name: 'November news', status: 'sent', counts: { recipients: 2, delivered: 2 } })
  expect(user.clicks()).toBe(5)
  await user.ends('broadcast')
})

it('stops a broadcast', async () => {
  await segmentOf('delivered+ada', 'delivered+bob', 'delivered+cy')
  const user = await newUser()
  const id = await writeAndSend(user, { 'Recipients an hour': '1' })
  await expect.poll(() => counted(user.page, 'Delivered').textContent()).toBe('1')
  const before = user.clicks()
  await user.click('button', 'Pause')
  await user.page.locator('#standing').getByText('paused', { exact: true }).first().waitFor()
  expect(await readBroadcast(service, id)).toMatchObject({ status: 'paused', rate_per_hour: 1, counts: { delivered: 1 } })
  await user.open('Cancel …')
  await user.click('button', 'Cancel the broadcast')
  await user.page.locator('#standing').getByText('canceled', { exact: true }).first().waitFor()
  await until(async () => expect(await readBroadcast(service, id)).toMatchObject({ status: 'canceled', counts: { delivered: 1, sent: 1 } }))
  expect((await emailsOf(service, id)).filter(({ lastEvent }) => lastEvent === 'delivered')).toHaveLength(1)
  expect(user.clicks() - before).toBe(3)
  await user.ends('stopped')
})

it('finds who clicked', async () => {
  const segmentId = await segmentOf('delivered+ada', 'clicked+bob')
  const id = await createBroadcast(
    service,
    { segment_id: segmentId, name: 'November news', html: '<p><a href="https://shop.example.com/">Shop</a></p>', send: true },
    { token: service.token },
  )
  await until(async () => expect(await readBroadcast(service, id)).toMatchObject({ counts: { delivered: 2, clicked: 1 } }))
  const user = await newUser()
  await user.section('Broadcasts')
  await user.click('link', 'November news')
  await user.click('link', 'Clicked')
  const recipients = user.main.locator('tbody tr')
  expect(await recipients.locator('th').allTextContents()).toEqual(['clicked+bob@simulator.test'])
  await user.click('link', 'clicked+bob@simulator.test')
  await user.page.locator('#standing').getByText('clicked', { exact: true }).waitFor()
  expect((await service.call('GET', `/broadcasts/${id}/recipients?type=clicked`)).body).toMatchObject({
    data: [{ email: 'clicked+bob@simulator.test' }],
  })
  expect(user.clicks()).toBe(4)
  await user.ends('clicked')
})

it('replays what a webhook was not told', async () => {
  hooks.answer('/down', (_request, response) => response.writeHead(500).end('broken'))
  const { body } = await service.call('POST', '/webhooks', { body: { endpoint: `${hooks.url}/down`, events: ['contact.created'] } })
  const { id } = body as { id: string }
  await service.call('POST', '/contacts', { body: { email: 'ada@example.com' } })
  await until(() => expect(hooks.hooks.filter(({ path }) => path === '/down')).toHaveLength(1))
  await until(async () =>
    expect((await service.call('GET', `/webhooks/${id}/events`)).body).toMatchObject({ data: [{ status: 'pending' }] }),
  )
  hooks.answer('/down', (_request, response) => response.end('ok'))
  const user = await newUser()
  await user.section('Webhooks')
  await user.click('link', `${hooks.url}/down`)
  await user.click('link', 'contact.created')
  await user.sees('broken')
  await user.click('button', 'Replay')
  await user.page.locator('#standing').getByText('accepted', { exact: true }).waitFor()
  expect((await service.call('GET', `/webhooks/${id}/events`)).body).toMatchObject({ data: [{ status: 'success' }] })
  // On a busy machine a retry has come before.
  expect(hooks.hooks.filter(({ path }) => path === '/down').length).toBeGreaterThan(1)
  expect(user.clicks()).toBe(4)
  await user.ends('webhook')
})

it('ends a grant', async () => {
  const { client_id: clientId = '' } = await registerClient(service, { client_name: 'Newsletter editor' })
  const { access_token: token } = await tokensFor(service, { clientId, scope: 'domains:read' })
  expect((await service.call('GET', '/domains', { token })).status).toBe(200)
  const user = await newUser()
  await user.section('Grants')
  await user.sees('Newsletter editor')
  await user.open('End …')
  await user.click('button', 'End the access of Newsletter editor now')
  await user.sees('The access has ended.')
  expect((await service.call('GET', '/domains', { token })).status).toBe(401)
  expect((await service.call('GET', '/oauth/grants')).body).toMatchObject({ data: [{ revoked_reason: 'revoked_from_console' }] })
  expect(user.clicks()).toBe(3)
  await user.ends('grant')
})
