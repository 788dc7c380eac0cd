// What arrives of a broadcast, as a mail program on a phone shows it.

import type { Browser } from 'playwright-core'
import PostalMime from 'postal-mime'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { addMembers, createBroadcast, readBroadcast } from '../support/builders/broadcasts.ts'
import { addSegment } from '../support/builders/contacts.ts'
import { until } from '../support/clocks/until.ts'
import { shared, startTestService } from '../support/servers/service.ts'
import { startSmtpSink } from '../support/servers/smtp-sink.ts'
import { browserOfWorker, closePages, leave, openWatched, screenshot } from './browser.ts'

const PHONE_WIDTH = 390
const PREVIEW = 'What happened in November'
const HTML = `<html><head><meta name="viewport" content="width=device-width"></head><body>
<h1>November</h1><p id="greeting" title="For {{{FIRST_NAME|you}}}">Hello {{{FIRST_NAME|there}}}!</p>
<p><a href="https://shop.example.com/november?for={{{FIRST_NAME|you}}}">Offer</a></p>
<p><a href="{{{UNSUBSCRIBE_URL}}}">Unsubscribe</a></p></body></html>`

let browser: Browser
const sink = shared(() => startSmtpSink())
const service = shared(() => startTestService({ environment: { ROLES: 'api,worker', SMTP_RELAY_URL: `smtp://127.0.0.1:${sink.port}` } }))
beforeAll(async () => {
  browser = await browserOfWorker()
})
afterAll(() => closePages(browser))

it('greets by name, shows no markup of a name, and fits on a phone', async () => {
  const name = '"><b>Ada</b> & co'
  const segmentId = await addSegment(service)
  await addMembers(service, segmentId, { 'ada@example.org': { first_name: name } })
  const id = await createBroadcast(service, { segment_id: segmentId, subject: 'News', preview_text: PREVIEW, html: HTML, send: true })
  await until(async () => expect(await readBroadcast(service, id)).toMatchObject({ status: 'sent', counts: { delivered: 1 } }))
  const { html = '' } = await PostalMime.parse(sink.messages[0]?.raw ?? '')

  const { page, errors, strayRequests } = await openWatched(browser, { origin: service.url, width: PHONE_WIDTH })
  await page.setContent(html)
  await screenshot(page, 'broadcast-mail-phone')
  expect(await page.locator('#greeting').textContent()).toBe(`Hello ${name}!`)
  expect(await page.locator('#greeting').getAttribute('title')).toBe(`For ${name}`)
  expect(await page.locator('b').count()).toBe(0)
  expect(await page.getByRole('link', { name: 'Offer' }).getAttribute('href')).toBe(
    `https://shop.example.com/november?for=${encodeURIComponent(name)}`,
  )
  // Mail programs show it in their lists, and not in the message.
  expect(await page.getByText(PREVIEW).isVisible()).toBe(false)
  expect(await page.evaluate('document.body.textContent')).toContain(PREVIEW)
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(PHONE_WIDTH)
  const unsubscribe = await page.getByRole('link', { name: 'Unsubscribe' }).getAttribute('href')
  expect((await fetch(`${service.url}${new URL(unsubscribe ?? '').pathname}`)).status).toBe(200)
  expect({ errors, strayRequests }).toEqual({ errors: [], strayRequests: [] })
  await leave(page)
})
