// The numbers of a team in the console.
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { signIn } from '../../support/clients/console.ts'
import { shared, startTestService } from '../../support/servers/service.ts'
import { browserOfWorker, closePages } from '../browser.ts'
import { openApp } from './app.ts'
import { faultsOf } from './look.ts'

const DAYS = 40

let browser: Browser
const service = shared(() => startTestService())
beforeAll(async () => {
  await service.database.execute(
    `insert into email_counts (team_id, bucket, domain, broadcast_id, received, sent, delivered, bounced_permanent, complained, opened, unique_opened, unique_clicked)
     select $1, email_count_bucket(now() - hours * interval '1 hour'), domain, '00000000-0000-0000-0000-000000000000',
       sent, sent, sent - sent / 40, sent / 40, sent / 300, sent / 2, sent / 3, sent / 11
     from generate_series(0, $2 * 24) as hours, (values ('acme.example', 900), ('news.acme.example', 140)) as d(domain, size),
       lateral (select (size * (1.2 + sin(hours / 3.8)) * (1 + (hours % 7) / 9.0))::int as sent) as s`,
    [service.teamId, DAYS],
  )
  browser = await browserOfWorker()
})
afterAll(() => closePages(browser))

const open = async (path: string, width = 1440) => openApp(browser, { origin: service.url, cookie: await signIn(service), path, width })

it('shows how complaints stand to what mailbox providers allow, by the days that are chosen, with the numbers', async () => {
  const { page, refused, strayRequests } = await open('/metrics?zone=UTC')
  const numbers = page.getByRole('region', { name: 'Numbers: Complaint rate' })
  await numbers.getByRole('row').nth(7).waitFor()
  await page.getByText('0.3 %: never reach').waitFor()
  expect(await numbers.getByRole('columnheader').first().textContent()).toBe('Day (UTC)')
  expect(await faultsOf(page, 'metrics')).toEqual([])
  await page.getByRole('combobox', { name: 'Time', exact: true }).click()
  await page.getByRole('option', { name: 'Last 90 days' }).click()
  await page.getByRole('combobox', { name: 'By', exact: true }).click()
  await page.getByRole('option', { name: 'Month' }).click()
  await numbers.getByRole('columnheader', { name: 'Month (UTC)' }).waitFor()
  expect(page.url()).toContain('by=monthly')
  await page.getByRole('table', { name: 'By domain' }).getByText('news.acme.example').waitFor()
  expect({ refused, strayRequests }).toEqual({ refused: [], strayRequests: [] })
})
