// The numbers of a team in the console.
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { send } from '../../support/builders/emails.ts'
import { signIn } from '../../support/clients/console.ts'
import { create } from '../../support/records/record-builder.ts'
import { shared, startTestService } from '../../support/servers/service.ts'
import { browserOfWorker, closePages } from '../browser.ts'
import { openApp } from './app.ts'
import { faultsOf } from './look.ts'

const DAYS = 40
const DAY_MS = 24 * 60 * 60 * 1_000

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
  for (const to of ['ada@gmail.com', 'bob@gmail.com', 'carol@example.org'])
    await send(service, { to: [to], tags: [{ name: 'campaign', value: 'november' }] })
  await service.database.execute("update recipients set state = case when address like 'ada@%' then 'complained' else 'delivered' end")
  browser = await browserOfWorker()
})
afterAll(() => closePages(browser))

const open = async (path: string, width = 1440) => openApp(browser, { origin: service.url, cookie: await signIn(service), path, width })

it('shows how complaints stand to what mailbox providers allow, by the days that are chosen, with the numbers', async () => {
  const { page, refused, strayRequests } = await open('/metrics?zone=UTC')
  await page.getByRole('button', { name: 'Show the numbers: Complaint rate', exact: true }).click()
  const numbers = page.getByRole('region', { name: 'Numbers: Complaint rate' })
  await numbers.getByRole('row').nth(7).waitFor()
  await page.getByRole('img', { name: 'Complaint rate: Rate' }).getByText('0.3 %: never reach').waitFor()
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

it('compares providers and tags, with the numbers that the API has for the same time', async () => {
  const { page, refused } = await open('/metrics?zone=America/New_York')
  const providers = page.getByRole('table', { name: 'By mailbox provider' })
  await providers.getByText('Gmail').waitFor()
  const { body } = await service.call(
    'GET',
    `/emails/metrics/breakdown?by=provider&start_date=${new Date(Date.now() - 6 * DAY_MS).toISOString()}`,
  )
  const { data } = body as { data: { name: string; sent: number; complaint_rate: number }[] }
  expect(data).toMatchObject([
    { name: 'gmail', sent: 2, complaint_rate: 50 },
    { name: 'other', sent: 1 },
  ])
  expect(await providers.getByRole('row').nth(1).getByRole('cell').allTextContents()).toEqual([
    'Gmail',
    '2',
    '100 %',
    '0 %',
    '0 %',
    '0 %',
    '50 %',
  ])
  await page.getByRole('button', { name: 'Show the numbers: Complaint rate: by mailbox provider' }).click()
  const chart = page.getByRole('region', { name: 'Numbers: Complaint rate: by mailbox provider' })
  await chart.getByText('Gmail').waitFor()
  expect(await chart.getByRole('row').allTextContents()).toEqual(['ProviderComplaint rate', 'Others0 %', 'Gmail50 %'])
  await page.getByRole('table', { name: 'By tag' }).getByText('campaign: november').waitFor()
  await page.getByText('8 %: bulk mail is paused').waitFor()
  expect(await faultsOf(page, 'metrics-providers')).toEqual([])
  expect(refused).toEqual([])
})

it('shows how the audience grows as the API counts it', async () => {
  for (const name of ['ada', 'bob']) await service.call('POST', '/contacts', { body: { email: `${name}@example.com` } })
  const { page } = await open('/contacts')
  // One line above the list, until it is opened.
  await page.getByText('2 added, 0 unsubscribed').waitFor()
  await page.getByRole('button', { name: 'Show: Growth in the last 30 days' }).click()
  await page.getByRole('button', { name: 'Show the numbers: Growth in the last 30 days' }).click()
  const numbers = page.getByRole('region', { name: 'Numbers: Growth in the last 30 days' })
  await numbers.getByRole('row').nth(30).waitFor()
  const { body } = await service.call('GET', '/contacts/metrics')
  const { data } = body as { data: { added: number; unsubscribed: number }[] }
  expect(data.at(-1)).toMatchObject({ added: 2, unsubscribed: 0 })
  const shown = await Promise.all((await numbers.getByRole('row').all()).slice(1).map((row) => row.getByRole('cell').allTextContents()))
  expect(shown.map(([, added, unsubscribed]) => [added, unsubscribed])).toEqual(
    data.toReversed().map(({ added, unsubscribed }) => [String(added), String(unsubscribed)]),
  )
  expect(await faultsOf(page, 'contacts-growth')).toEqual([])
})

it('says of a domain whose opens and clicks are not tracked that they are not, and of the others how many there were', async () => {
  await service.database.execute(
    `insert into email_counts (team_id, bucket, domain, broadcast_id, received, sent, delivered)
     values ($1, email_count_bucket(now() - interval '1 hour'), 'quiet.example', '00000000-0000-0000-0000-000000000000', 7, 7, 7)`,
    [service.teamId],
  )
  const id = await create(service, '/domains', { name: 'quiet.example' })
  const { page, refused } = await open('/metrics?zone=UTC')
  const domains = page.getByRole('table', { name: 'By domain' })
  const quiet = domains.getByRole('row', { name: /^quiet\.example/ })
  await expect.poll(() => quiet.getByRole('cell', { name: 'Not tracked' }).count()).toBe(2)
  const loud = domains.getByRole('row', { name: /^acme\.example/ })
  await expect.poll(() => loud.getByRole('cell', { name: 'Not tracked' }).count()).toBe(0)
  // Together, what was counted was tracked.
  expect(await page.getByText('Opens and clicks are not tracked').count()).toBe(0)

  await page.goto(`${service.url}/console/metrics?zone=UTC&domain=${id}`)
  await page.getByText('Opens and clicks are not tracked').waitFor()
  const tile = page.locator('dl > *').filter({ has: page.getByText('Opened', { exact: true }) })
  await expect.poll(() => tile.locator('dd').allTextContents()).toEqual(['–', 'Not tracked'])
  expect(await faultsOf(page, 'metrics-untracked')).toEqual([])
  expect(refused).toEqual([])
})
