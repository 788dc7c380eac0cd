import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { signIn } from '../support/clients/console.ts'
import { createMovingClock } from '../support/clocks/clocks.ts'
import { shared, startTestService } from '../support/servers/service.ts'
import { browserOfWorker, closePages, keepCookie, leave, openWatched, screenshot } from './browser.ts'
import { faintTexts } from './contrast.ts'

const DAYS = 40

let browser: Browser

const clock = createMovingClock()
const service = shared(() => startTestService({ clock }))
beforeAll(async () => {
  await service.database.execute(
    `insert into email_counts (team_id, bucket, domain, broadcast_id, received, sent, delivered, bounced_permanent, complained, opened, unique_opened, unique_clicked)
     select $1, email_count_bucket($2::timestamptz - hours * interval '1 hour'), domain, '00000000-0000-0000-0000-000000000000',
       sent, sent, sent - sent / 40, sent / 40, sent / 300, sent / 2, sent / 3, sent / 11
     from generate_series(0, $3 * 24) as hours, (values ('acme.example', 900), ('a-rather-long-name-of-a-domain.news.acme.example', 140)) as d(domain, size),
       lateral (select (size * (1.2 + sin(hours / 3.8)) * (1 + (hours % 7) / 9.0))::int as sent) as s`,
    [service.teamId, clock.now(), DAYS],
  )
  browser = await browserOfWorker()
})
afterAll(() => closePages(browser))

const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'

it.each([
  [1280, 'light', 'week'],
  [1280, 'dark', 'month'],
  [390, 'light', 'day'],
  [390, 'dark', 'year'],
] as const)('shows charts that fit %s pixels, readable in %s colors, of a %s', async (width, colorScheme, span) => {
  const { page, errors, strayRequests } = await openWatched(browser, { origin: service.url, width })
  await page.emulateMedia({ colorScheme })
  await keepCookie(page.context(), { origin: service.url, cookie: await signIn(service) })
  await page.goto(`${service.url}/console/metrics`)
  await page.getByLabel('Time', { exact: true }).selectOption(span)
  await page.getByRole('button', { name: 'Show', exact: true }).click()
  await page.getByRole('img', { name: /^Sending, from / }).waitFor()
  expect(await page.evaluate(overflow)).toBe(0)
  expect(await page.evaluate(faintTexts)).toEqual([])
  await page.getByText('Show the numbers').first().click()
  await page.getByRole('columnheader', { name: 'Delivered' }).first().waitFor()
  expect(await page.evaluate(overflow)).toBe(0)
  await page.getByText('Show the numbers').first().click()
  await screenshot(page, `metrics-${width}-${colorScheme}`)
  expect({ errors, strayRequests }).toEqual({ errors: [], strayRequests: [] })
  await leave(page)
})
