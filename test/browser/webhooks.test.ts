import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { createTopic } from '../support/builders/topics.ts'
import { signIn } from '../support/clients/console.ts'
import { shared, startTestService } from '../support/servers/service.ts'
import { browserOfWorker, closePages, leave, openSignedIn, screenshot, type Watched } from './browser.ts'
import { faintTexts } from './contrast.ts'

const PAGE = '/console/webhooks'
const LONG = `https://a-long-name-of-a-host.example.com/${'a-long-path-without-spaces'.repeat(6)}`

let browser: Browser
let cookie: string
const service = shared(() => startTestService())
beforeAll(async () => {
  browser = await browserOfWorker()
  cookie = await signIn(service)
})
beforeEach(() => service.database.execute('truncate webhooks, webhook_messages, webhook_deliveries, webhook_failures, webhook_attempts'))
afterAll(() => closePages(browser))

const open = (path: string, width?: number): Promise<Watched> => openSignedIn(browser, { origin: service.url, cookie, path, width })

async function create(fields: object = {}): Promise<string> {
  const body = { endpoint: 'https://hooks.example.com/in', events: ['topic.created'], ...fields }
  return ((await service.call('POST', '/webhooks', { body })).body as { id: string }).id
}
const eventOf = async (id: string): Promise<string> =>
  ((await service.call('GET', `/webhooks/${id}/events`)).body as { data: { id: string }[] }).data[0]?.id ?? ''
const set = (id: string, columns: string) => service.database.execute(`update webhooks set ${columns} where id = $1`, [id])

it('is created by keyboard, its secret is copied, and it is deleted after a question', async () => {
  const { page, errors, strayRequests } = await open(PAGE)
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin: service.url })
  await page.getByLabel('Endpoint').fill('https://hooks.example.com/in')
  await page.getByLabel('email.delivered', { exact: true }).press('Space')
  await page.getByLabel('Endpoint').press('Enter')
  await page.getByText('The webhook was created.').waitFor()
  await page.getByRole('button', { name: 'Show the secret' }).press('Enter')
  await page.getByRole('button', { name: 'Copy the signing secret' }).press('Enter')
  await page.getByText('The signing secret was copied.').waitFor()
  const id = new URL(page.url()).pathname.split('/')[3]
  const { signing_secret: secret } = (await service.call('GET', `/webhooks/${id}`)).body as { signing_secret: string }
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(secret)

  await page.getByRole('link', { name: 'Settings' }).click()
  await page.getByRole('link', { name: 'Delete the webhook' }).click()
  await page.getByRole('button', { name: 'Delete the webhook' }).click()
  await page.getByText('The webhook was deleted.').waitFor()
  await page.getByText('No webhooks yet').waitFor()
  expect({ errors, strayRequests }).toEqual({ errors: [], strayRequests: [] })
  await leave(page)
})

it('shows what becomes of an event without reloading', async () => {
  const id = await create()
  await createTopic(service)
  const { page } = await open(`${PAGE}/${id}/events/${await eventOf(id)}`)
  await page.locator('#standing').getByText('waiting').waitFor()
  await page.evaluate('window.isSamePage = true')
  await service.database.execute('delete from webhook_deliveries')
  await page.locator('#standing').getByText('accepted').waitFor()
  expect(await page.evaluate('window.isSamePage')).toBe(true)
  await leave(page)
})

/** Webhooks in every state, with events in most. Returns the addresses of their pages. */
async function everyState(): Promise<string[]> {
  const fed = await create({ endpoint: null, events: ['topic.created', 'topic.updated', 'topic.deleted', 'email.sent'] })
  const failing = await create({ endpoint: LONG, events: ['topic.created', 'contact.topics.updated'], ordered: true })
  await createTopic(service, { name: `Long ${'name'.repeat(10)}` })
  await service.call('POST', `/webhooks/${failing}/test`, { body: { type: 'email.clicked' } })
  await set(failing, "failing_since = '2001-02-03 04:05+00', last_success_at = '2001-02-02+00', last_failure_at = '2001-02-03 04:05+00'")
  await service.call('PATCH', `/webhooks/${await create({ endpoint: 'https://off.example.com' })}`, { body: { status: 'disabled' } })
  const stopped = await create({ endpoint: 'https://stopped.example.com/hook' })
  await createTopic(service, { name: 'Second' })
  await service.call('PATCH', `/webhooks/${stopped}`, { body: { status: 'disabled' } })
  await set(stopped, "disabled_reason = 'Every attempt has failed for 5 days.', last_failure_at = '2001-02-03+00'")
  const event = await eventOf(failing)
  await service.database.execute(
    `insert into webhook_attempts (webhook_id, message_id, id, team_id, started_at, outcome, http_status, response, error, duration_ms)
     select $1, id, (left(id::text, 35) || place)::uuid, $2, created_at, outcome, status, answer, problem, took
     from webhook_messages, (values (1, 'failure', 500, $3, null, 1234), (2, 'failure', null, null, 'The endpoint did not answer within 15 s.', 15000),
       (3, 'success', 200, 'ok', null, 87), (4, 'unknown', null, null, null, null), (5, null, null, null, null, null)) as a (place, outcome, status, answer, problem, took)
     where webhook_id = $1 and type = 'topic.created'`,
    [failing, service.teamId, `<html>${'an-answer-without-spaces'.repeat(40)}`],
  )
  const paths = ['', `/${failing}`, `/${failing}/settings`, `/${failing}/secret`, `/${failing}/events/${event}`, `/${failing}/delete`]
  return [...paths, `/${stopped}`, `/${stopped}/events/${await eventOf(stopped)}`, `/${fed}`].map((path) => `${PAGE}${path}`)
}

const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'

async function check(page: Page, at: object): Promise<void> {
  expect({ ...at, overflow: await page.evaluate(overflow), faint: await page.evaluate(faintTexts) }).toEqual({
    ...at,
    overflow: 0,
    faint: [],
  })
}

it('is never wider than the screen in any state, and has a contrast of 4.5 at least by day and in the dark', async () => {
  const paths = await everyState()
  for (const [width, colorScheme] of [
    [1280, 'light'],
    [390, 'dark'],
    [320, 'light'],
  ] as const) {
    const { page } = await open(PAGE, width)
    await page.emulateMedia({ colorScheme })
    for (const path of paths) {
      await page.goto(`${service.url}${path}`)
      for (const summary of await page.locator('main summary').all()) await summary.click()
      const show = page.getByRole('button', { name: 'Show the secret' })
      if ((await show.count()) > 0) await show.click()
      await check(page, { path, width })
      await screenshot(page, `webhooks-${paths.indexOf(path)}-${width}-${colorScheme}`)
    }
    await page.goto(`${service.url}${PAGE}`)
    await page.locator('#add > summary').click()
    await page.getByLabel('Endpoint').fill('nowhere')
    await page.keyboard.press('Enter')
    await page.getByRole('alert').waitFor()
    await check(page, { width })
    await screenshot(page, `webhooks-refused-${width}-${colorScheme}`)
    await leave(page)
  }
}, 60_000)
