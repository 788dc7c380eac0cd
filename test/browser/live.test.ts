// Pages that keep themselves up to date, in a browser: by a stream, and without one.
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createId } from '../../src/lib/ids.ts'
import { createOperatorLink } from '../../src/modules/accounts/sessions/sessions.service.ts'
import { send } from '../support/builders/emails.ts'
import { signIn, visit } from '../support/clients/console.ts'
import { shared, startTestService, type TestService } from '../support/servers/service.ts'
import { browserOfWorker, closePages, leave, openSignedIn } from './browser.ts'

let browser: Browser
beforeAll(async () => {
  browser = await browserOfWorker()
})
const withoutStreams = shared(() => startTestService({ environment: { CONSOLE_STREAMS_MAX: '0' } }))
const service = shared(() => startTestService())
afterAll(() => closePages(browser))

/** The requests for the part of a page, as they are made since it was opened: `stream` or `question`. */
function requestsOf(page: Page, path: string): string[] {
  const requests: string[] = []
  page.on('framenavigated', () => requests.splice(0))
  page.on('request', (request) => {
    if (request.url().endsWith(path)) requests.push(request.resourceType() === 'eventsource' ? 'stream' : 'question')
  })
  return requests
}

const opened = async (of: TestService, path: string, cookie?: string) =>
  openSignedIn(browser, { origin: of.url, cookie: cookie ?? (await signIn(of)), path })

const shows = (page: Page, text: string) => page.getByText(text).first().waitFor({ timeout: 40_000 })

it('shows news by one stream, and asks for nothing more', async () => {
  const { page, errors } = await opened(service, '/console/emails')
  const requests = requestsOf(page, '/lines')
  await page.reload()
  for (const subject of ['First of the stream', 'Second of the stream']) {
    await send(service, { subject })
    await shows(page, subject)
  }
  expect(requests).toEqual(['stream'])
  expect(errors).toEqual([])
  await leave(page)
})

it('closes its stream while no one looks, and has what happened meanwhile when someone does', async () => {
  const { page } = await opened(service, '/console/emails')
  const requests = requestsOf(page, '/lines')
  await page.reload()
  // A page in the background, as browsers tell it.
  const turn = (hidden: boolean) =>
    page.evaluate(
      `Object.defineProperty(document, 'hidden', { value: ${hidden}, configurable: true }); document.dispatchEvent(new Event('visibilitychange'))`,
    )
  await turn(true)
  await send(service, { subject: 'While no one looked' })
  expect(await page.getByText('While no one looked').count()).toBe(0)
  await turn(false)
  await shows(page, 'While no one looked')
  // One until it was hidden, and one since.
  expect(requests).toEqual(['stream', 'stream'])
  await leave(page)
})

it('asks from time to time if the service refuses the stream', async () => {
  const { page } = await opened(withoutStreams, '/console/emails')
  const requests = requestsOf(page, '/lines')
  await send(withoutStreams, { subject: 'Before' })
  await page.reload()
  const began = performance.now()
  await send(withoutStreams, { subject: 'Without a stream' })
  await shows(page, 'Without a stream')
  // Every 10 seconds.
  const questions = requests.filter((request) => request === 'question')
  expect(questions.length).toBeLessThanOrEqual(2 + Math.floor((performance.now() - began) / 10_000))
  expect(requests.length - questions.length).toBe(1)
  await leave(page)
})

it('leads to the sign-in page when the session ends', async () => {
  const cookie = await signIn(service)
  const { page } = await opened(service, '/console/emails', cookie)
  await visit(service, 'POST', '/console/sign-out', { cookie })
  await page.getByLabel('Your email address').waitFor({ timeout: 40_000 })
  await leave(page)
})

it('follows the queue on the page of operators, and keeps the focus on a button', async () => {
  const link = new URL(await createOperatorLink(service.service.context, { forMs: 60_000 })).pathname
  const cookie = (await visit(service, 'POST', link)).cookie?.split(';', 1)[0]
  await queueOne('one.example')
  const { page } = await opened(service, '/console/operation', cookie)
  const button = page.getByRole('button', { name: 'Pause bulk mail to one.example' })
  await button.focus()
  await queueOne('two.example')
  await shows(page, 'two.example')
  expect(await page.evaluate("document.activeElement.getAttribute('aria-label')")).toBe('Pause bulk mail to one.example')
  await leave(page)
})

const queueOne = (destination: string) =>
  service.database.execute(
    `insert into deliveries (id, team_id, class, destination, email_id, due_at, is_ready) values ($1, $2, 'bulk', $3, $1, now(), true)`,
    [createId(), service.teamId, destination],
  )

it('sends a form once, however often its button is pressed before the answer', async () => {
  const { page } = await opened(service, '/console/topics')
  await page.evaluate("for (const details of document.querySelectorAll('details')) details.open = true")
  await page.locator('form[action="/console/topics"] [name=name]').fill('Pressed twice')
  await page.evaluate(
    '{ const button = document.querySelector(\'form[action="/console/topics"] button\'); button.click(); button.click() }',
  )
  await page.waitForURL(/topics\b.*/)
  await page.getByText('Pressed twice').first().waitFor()
  const topics = await service.database.execute("select id from topics where name = 'Pressed twice'")
  expect(topics).toHaveLength(1)
  await leave(page)
})
