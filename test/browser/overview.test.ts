import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createId } from '../../src/lib/ids.ts'
import { createOperatorLink } from '../../src/modules/accounts/sessions/sessions.service.ts'
import { send } from '../support/builders/emails.ts'
import { signIn, visit } from '../support/clients/console.ts'
import { shared, startTestService } from '../support/servers/service.ts'
import { browserOfWorker, closePages, leave, openSignedIn, screenshot, type Watched } from './browser.ts'
import { faintTexts } from './contrast.ts'

const LONG = 'a-long-name-without-spaces'.repeat(20)

let browser: Browser
let cookie: string
let operator: string
const service = shared(() => startTestService())
beforeAll(async () => {
  browser = await browserOfWorker()
  cookie = await signIn(service)
  const link = new URL(await createOperatorLink(service.service.context, { forMs: 60_000 })).pathname
  operator = (await visit(service, 'POST', link)).cookie?.split(';', 1)[0] ?? ''
})
afterAll(() => closePages(browser))

const open = (path: string, width?: number, as = cookie): Promise<Watched> =>
  openSignedIn(browser, { origin: service.url, cookie: as, path, width })

/** At each width and in both colors: nothing is wider than the page, and every text can be read. */
async function look(page: Page, name: string): Promise<void> {
  for (const width of [390, 768, 1440])
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.setViewportSize({ width, height: 800 })
      await page.emulateMedia({ colorScheme })
      expect({ width, overflow: await page.evaluate('document.documentElement.scrollWidth - innerWidth') }).toEqual({ width, overflow: 0 })
      expect(await page.evaluate(faintTexts)).toEqual([])
      await screenshot(page, `${name}-${width}-${colorScheme}`)
    }
}

it('shows a new team its first steps, and ticks one off after the first email', async () => {
  const { page, errors, strayRequests } = await open('/console')
  await page.getByRole('heading', { name: 'First steps' }).waitFor()
  await look(page, 'overview-empty')
  await send(service)
  await page.reload()
  await page.locator('.first .done', { hasText: 'Send a first email' }).waitFor()
  expect({ errors, strayRequests }).toEqual({ errors: [], strayRequests: [] })
  await leave(page)
})

it('shows what happens meanwhile without reloading', async () => {
  const { page } = await open('/console')
  await page.evaluate('window.isSamePage = true')
  await queueOne('live.example')
  await page.locator('#overview').getByText('live.example').waitFor()
  expect(await page.evaluate('window.isSamePage')).toBe(true)
  await leave(page)
})

it('is legible with more than there is room for', async () => {
  await fill()
  const { page } = await open('/console')
  await look(page, 'overview-full')
  await leave(page)
})

it('ends another session by keyboard, and keeps its own', async () => {
  await signIn(service)
  const { page, errors } = await open('/console/sessions')
  await look(page, 'sessions')
  await page
    .getByRole('button', { name: /^End the session/ })
    .first()
    .press('Enter')
  await page.getByText('The session has ended.').waitFor()
  await page.getByText('this one').waitFor()
  expect(errors).toEqual([])
  await leave(page)
})

it('lets an operator pause a lane and resume it', async () => {
  await queueOne('slow.example')
  const { page, errors } = await open('/console/operation', 1280, operator)
  await page.getByRole('button', { name: 'Pause transactional mail to slow.example' }).first().click()
  await page.getByText('Paused. What a worker has taken').waitFor()
  await look(page, 'operation')
  await page.getByRole('button', { name: /^Resume/ }).click()
  await page.getByText('Resumed. Workers take back').waitFor()
  for (const place of ['Health', 'Deliverability', 'Teams', 'Sessions']) {
    await page.setViewportSize({ width: 1280, height: 800 })
    await page.getByRole('link', { name: place, exact: true }).first().click()
    await page.getByRole('heading', { name: place, level: 1 }).waitFor()
    await look(page, `operation-${place.toLowerCase()}`)
  }
  expect(errors).toEqual([])
  await leave(page)
})

const queueOne = (destination: string) =>
  service.database.execute(
    `insert into deliveries (id, team_id, class, destination, email_id, due_at, is_ready) values ($1, $2, 'transactional', $3, $1, now() - interval '1 hour', true)`,
    [createId(), service.teamId, destination],
  )

/** Long names, large numbers, and something wrong of each kind. */
async function fill(): Promise<void> {
  const values = [service.teamId, LONG]
  await service.database.execute(
    `insert into broadcasts (id, team_id, status, name, segment_id, "from", subject, created_at)
     select gen_random_uuid(), $1, 'paused', $2 || n, $1, 'f', 's', now() from generate_series(1, 9) n`,
    values,
  )
  await service.database.execute(
    `insert into webhooks (id, team_id, endpoint, events, status, concurrency, is_ordered, secret, secret_version, failing_since, created_at)
     select gen_random_uuid(), $1, 'https://hooks.example/' || $2, '{contact.created}', 'enabled', 1, false, '', 1, now(), now()`,
    values,
  )
  await service.database.execute(
    `insert into contact_imports (id, team_id, status, size, encoding, delimiter, columns, on_conflict, reason, created_at)
     values (gen_random_uuid(), $1, 'failed', 1, 'utf-8', ',', '{}', 'skip', $2, now())`,
    values,
  )
  await service.database.execute(
    `insert into deliveries (id, team_id, class, destination, email_id, due_at, is_ready)
     select gen_random_uuid(), $1, 'bulk', left($2, 200) || n || '.example', $1, now(), true from generate_series(1, 12) n`,
    values,
  )
  await service.database.execute(
    `insert into email_count_changes (team_id, bucket, domain, broadcast_id, metric, count)
     select $1, now() - d * interval '1 day', 'd', '00000000-0000-0000-0000-000000000000', metric, 123456789 / (d + 1)
     from generate_series(0, 6) d, unnest(array['received', 'delivered', 'bounced_permanent', 'complained']) metric`,
    [service.teamId],
  )
}
