// Webhooks in the console: made, tried, and mended after their endpoint failed.
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createTopic } from '../../support/builders/topics.ts'
import { createWebhook } from '../../support/builders/webhooks.ts'
import { signIn } from '../../support/clients/console.ts'
import { until } from '../../support/clocks/until.ts'
import { shared, startTestService } from '../../support/servers/service.ts'
import { startWebhookSink } from '../../support/servers/webhook-sink.ts'
import { browserOfWorker, closePages, leave } from '../browser.ts'
import { openApp } from './app.ts'
import { faultsOf } from './look.ts'

let browser: Browser
const sink = shared(() => startWebhookSink())
const service = shared(() => startTestService({ environment: { ROLES: 'api,worker' } }))
beforeAll(async () => {
  browser = await browserOfWorker()
})
afterAll(() => closePages(browser))

const open = async (path: string) => openApp(browser, { origin: service.url, cookie: await signIn(service), path })

it('is made for a group of events, shows its secret, and sends a test whose attempt is seen', async () => {
  const { page, refused, strayRequests } = await open('/webhooks')
  await page.getByRole('button', { name: 'Create a webhook' }).click()
  const dialog = page.getByRole('dialog', { name: 'Create a webhook' })
  await dialog.getByLabel('Endpoint').fill('ftp://hooks.example.com')
  await dialog.getByLabel('All of Topics').check()
  // What is refused stands at its field, however far the dialog is scrolled.
  await dialog.getByRole('button', { name: 'Create a webhook' }).click()
  const endpoint = dialog.getByLabel('Endpoint')
  await expect.poll(() => endpoint.and(page.locator(':focus')).count()).toBe(1)
  await expect.poll(() => endpoint.getAttribute('aria-invalid')).toBe('true')
  await dialog.getByText(/must be an https URL.*posthaste webhooks listen/).waitFor()
  expect(await dialog.getByRole('alert').count()).toBe(0)
  expect(await faultsOf(page, 'webhook-refused')).toEqual([])
  await endpoint.fill(`${sink.url}/made`)
  expect(await faultsOf(page, 'webhook-new')).toEqual([])
  await dialog.getByRole('button', { name: 'Create a webhook' }).click()
  const secret = page.getByRole('dialog', { name: 'Signing secret' })
  const text = await secret.getByText(/^whsec_/).textContent()
  sink.expectSecret('/made', text ?? '')
  await secret.getByRole('button', { name: 'I have copied it' }).click()
  await page.getByRole('heading', { level: 1, name: `${sink.url}/made` }).waitFor()

  await page.getByRole('button', { name: 'Send a test' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Send a test' }).click()
  await page.getByRole('heading', { level: 1, name: 'topic.created' }).waitFor()
  await page.getByRole('table', { name: 'Attempts' }).getByText('Accepted').waitFor()
  await page.getByRole('group', { name: 'Payload' }).getByText('"test": true').waitFor()
  expect(sink.hooks.filter(({ path }) => path === '/made').map(({ test }) => test)).toEqual([true])
  expect(await faultsOf(page, 'webhook-event')).toEqual([])
  expect({ refused, strayRequests, faults: sink.faults }).toEqual({ refused: [], strayRequests: [], faults: [] })
  await leave(page)
})

it('leads from an endpoint that failed to all that failed, and sends it again', async () => {
  sink.answer('/broken', (_, response) => response.writeHead(500).end('Out of order'))
  const { id, secret } = await createWebhook(service, { endpoint: `${sink.url}/broken`, events: ['topic.created'] })
  sink.expectSecret('/broken', secret)
  for (const name of ['First', 'Second', 'Third']) await createTopic(service, { name })
  await until(() => expect(sink.hooks.filter(({ path }) => path === '/broken').length).toBeGreaterThanOrEqual(3))
  await service.call('PATCH', `/webhooks/${id}`, { body: { status: 'disabled' } })
  sink.answer('/broken', (_, response) => response.writeHead(200).end())

  const { page } = await open('/webhooks')
  const begun = performance.now()
  await page
    .getByRole('row', { name: /broken Disabled/ })
    .getByRole('link')
    .first()
    .click()
  await page.getByRole('button', { name: 'Enable' }).click()
  await page.getByText('Events that failed can be replayed.').waitFor()
  await page.getByRole('radiogroup').getByText('Failed').click()
  await page
    .getByRole('row', { name: /topic.created Failed/ })
    .nth(2)
    .waitFor()
  await page.getByRole('img', { name: /^Requests: .*/ }).waitFor()
  expect(await faultsOf(page, 'webhook')).toEqual([])
  await page.getByRole('button', { name: 'Replay all that failed' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Replay' }).click()
  await page.getByText('3 events are queued again.').waitFor()
  await page.getByRole('radiogroup').getByText('Accepted').click()
  await page
    .getByRole('row', { name: /topic.created Accepted/ })
    .nth(2)
    .waitFor()
  expect(performance.now() - begun).toBeLessThan(60_000)
  await leave(page)
})
