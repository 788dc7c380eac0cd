// What people do now and then with what belongs to programs and to themselves: webhooks, sessions and teams.
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createTopic } from '../../support/builders/topics.ts'
import { createWebhook, readWebhook } from '../../support/builders/webhooks.ts'
import { signIn } from '../../support/clients/console.ts'
import { signInPerson } from '../../support/clients/people.ts'
import { shared, startTestService } from '../../support/servers/service.ts'
import { startWebhookSink } from '../../support/servers/webhook-sink.ts'
import { browserOfWorker, closePages, leave } from '../browser.ts'
import { chooseAct, openApp } from './app.ts'

let browser: Browser
const sink = shared(() => startWebhookSink())
const service = shared(() => startTestService({ environment: { ROLES: 'api,worker' } }))
beforeAll(async () => {
  browser = await browserOfWorker()
})
afterAll(() => closePages(browser))

it('replays one event, changes what a webhook is told, rotates its secret, disables it, and deletes it', async () => {
  const { id, secret } = await createWebhook(service, { endpoint: `${sink.url}/hook`, events: ['topic.created'] })
  sink.expectSecret('/hook', secret)
  await createTopic(service, { name: 'News' })
  const { page } = await openApp(browser, { origin: service.url, cookie: await signIn(service), path: `/webhooks/${id}` })
  const dialog = page.getByRole('dialog')
  const region = page.getByRole('region', { name: 'Signing secret' })
  await page
    .getByRole('row', { name: /topic.created Accepted/ })
    .getByRole('link')
    .click()
  await page.getByRole('button', { name: 'Replay' }).click()
  await page.getByText('The event is sent again').waitFor()
  await page.getByRole('table', { name: 'Attempts' }).getByText('Accepted').nth(1).waitFor()
  await page.getByRole('link', { name: `← ${sink.url}/hook` }).click()

  await region.getByRole('button', { name: 'Show the secret' }).click()
  await region.getByText(secret).waitFor()
  await region.getByRole('button', { name: 'Rotate the secret' }).click()
  await dialog.getByRole('button', { name: 'Rotate the secret' }).click()
  const fresh = page.getByRole('dialog', { name: 'Signing secret' })
  expect(await fresh.getByText(/^whsec_/).textContent()).not.toBe(secret)
  await fresh.getByRole('button', { name: 'I have copied it' }).click()

  await page.getByRole('button', { name: 'Settings' }).click()
  await dialog.getByLabel('All of Domains').check()
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByText('The settings were saved').waitFor()
  expect(Object(await readWebhook(service, id)).events).toContain('domain.created')
  await page.getByRole('button', { name: 'Disable' }).click()
  await dialog.getByRole('button', { name: 'Disable' }).click()
  await page.getByText(/disabled it: \d+ \w+, \d\d:\d\d\. Nothing is sent/).waitFor()
  await chooseAct(page, 'Delete the webhook')
  await dialog.getByRole('button', { name: 'Delete the webhook' }).click()
  await page.getByRole('heading', { level: 1, name: 'Webhooks' }).waitFor()
  expect((await service.call('GET', `/webhooks/${id}`)).status).toBe(404)
  await leave(page)
})

it('opens another team, ends a session elsewhere, and signs out', async () => {
  const roles = { [service.teamId]: 'owner', [service.other.teamId]: 'viewer' } as const
  const elsewhere = await signInPerson(service, 'ada', { roles, browser: 'Safari/18 Mac' })
  const { cookie } = await signInPerson(service, 'ada', { roles })
  const { page } = await openApp(browser, { origin: service.url, cookie, path: '/account' })
  await page
    .getByRole('row', { name: /Safari/ })
    .getByRole('button', { name: /^End/ })
    .click()
  await page.getByText('The session has ended').waitFor()
  const gone = await service.call('GET', '/me', { token: null, headers: { cookie: elsewhere.cookie, 'posthaste-console': '1' } })
  expect(gone.status).toBe(401)
  const open = page.getByRole('region', { name: 'Your teams' }).getByRole('button', { name: /^Open / })
  const other = (await open.getAttribute('aria-label'))?.replace('Open ', '') ?? ''
  await page.route('**/me/team', (route) => route.abort())
  await page.getByRole('button', { name: 'Your account' }).click()
  await page.getByRole('menuitem', { name: other }).click()
  await page.getByText('The service did not answer.').waitFor()
  await page.unroute('**/me/team')
  await open.click()
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
  await page.getByRole('navigation').getByRole('link', { name: 'API keys' }).waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Your account' }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  await leave(page)
})
