// What a draft said before: overwritten by a colleague, looked at, and brought back.
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createBroadcast } from '../../support/builders/broadcasts.ts'
import { addSegment } from '../../support/builders/contacts.ts'
import { signIn } from '../../support/clients/console.ts'
import { until } from '../../support/clocks/until.ts'
import { shared, startTestService } from '../../support/servers/service.ts'
import { browserOfWorker, closePages } from '../browser.ts'
import { openApp } from './app.ts'
import { faultsOf } from './look.ts'

let browser: Browser
const service = shared(() => startTestService())
beforeAll(async () => {
  browser = await browserOfWorker()
})
afterAll(() => closePages(browser))

const open = async (path: string, width = 1440) => openApp(browser, { origin: service.url, cookie: await signIn(service), path, width })
const read = async (id: string) => Object((await service.call('GET', `/broadcasts/${id}`)).body)
const draft = async () =>
  createBroadcast(service, {
    name: 'November news',
    segment_id: await addSegment(service),
    subject: 'News',
    html: '<p>As it was <a href="{{{UNSUBSCRIBE_URL}}}">Unsubscribe</a></p>',
  })

it('is written, overwritten by a colleague, and brought back', async () => {
  const id = await draft()
  const { page, refused, strayRequests } = await open(`/broadcasts/${id}/edit`)
  await page.getByRole('textbox', { name: 'Own HTML' }).fill('<p>Written with care <a href="{{{UNSUBSCRIBE_URL}}}">Unsubscribe</a></p>')
  await page.getByText(/^Saved at/).waitFor()
  await until(async () => expect((await read(id)).html).toContain('Written with care'))
  const { token } = (await service.call('POST', '/api-keys', { body: { name: 'A hasty program' } })).body as { token: string }
  await service.call('PATCH', `/broadcasts/${id}`, { body: { html: '<p>Overwritten</p>', subject: 'Oops' }, token })
  await page.getByRole('link', { name: '← November news' }).click()
  await page.frameLocator('iframe').getByText('Overwritten').waitFor()
  const rows = page.getByRole('table', { name: 'Versions' }).getByRole('row')
  await rows.filter({ hasText: 'Oops' }).getByText('A hasty program').waitFor()
  const mine = rows.filter({ hasText: '@' }).first()
  await mine.getByRole('button', { name: 'Show' }).click()
  await page.getByText('This is an older version.').waitFor()
  await page.frameLocator('iframe').getByText('Written with care').waitFor()
  expect(await faultsOf(page, 'broadcast-versions')).toEqual([])
  await page.getByRole('button', { name: 'Show the newest' }).click()
  await page.frameLocator('iframe').getByText('Overwritten').waitFor()
  await mine.getByRole('button', { name: 'Restore' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Restore' }).click()
  await page.frameLocator('iframe').getByText('Written with care').waitFor()
  await rows.filter({ hasText: 'Newest' }).getByText('Restored from').waitFor()
  expect(await read(id)).toMatchObject({ subject: 'News', html: expect.stringContaining('Written with care') })
  // Nothing of what was overwritten is lost either.
  await rows.filter({ hasText: 'Oops' }).getByRole('button', { name: 'Restore' }).waitFor()
  expect({ refused, strayRequests }).toEqual({ refused: [], strayRequests: [] })
})

it('is looked at on a phone, and brought back only before it is sent', async () => {
  const id = await draft()
  await service.call('PATCH', `/broadcasts/${id}`, { body: { subject: 'Other news' } })
  await service.database.execute("update broadcasts set status = 'sent' where id = $1", [id])
  const { page, refused } = await open(`/broadcasts/${id}`, 390)
  const versions = page.getByRole('table', { name: 'Versions' })
  await versions.getByRole('button', { name: 'Show' }).click()
  await page.getByText('This is an older version.').waitFor()
  await page.getByRole('cell', { name: 'News', exact: true }).waitFor()
  expect(await versions.getByRole('button', { name: 'Restore' }).count()).toBe(0)
  expect(await faultsOf(page, 'broadcast-versions-phone')).toEqual([])
  expect(refused).toEqual([])
})
