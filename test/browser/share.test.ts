import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestService, type TestService } from '../support/service.ts'
import { launchBrowser, openWatched, screenshot } from './browser.ts'

let service: TestService
let browser: Browser

beforeAll(async () => {
  service = await startTestService()
  browser = await launchBrowser()
})
afterAll(async () => {
  await browser.close()
  await service.close()
})

/** Sends the email and answers the address of its page on this service. */
async function share(email: object): Promise<string> {
  const sent = await service.call('POST', '/emails', {
    body: { from: 'Acme <hello@example.com>', to: 'delivered@simulator.test', subject: 'Hello', ...email },
  })
  const { id } = sent.body as { id: string }
  const shared = await service.call('POST', `/emails/${id}/share`, { body: {} })
  return `${service.url}${new URL((shared.body as { url: string }).url).pathname}`
}

const WIDTHS = [
  { device: 'a desktop', width: 1280 },
  { device: 'a phone', width: 360 },
]

const LONG_WORD = 'Donaudampfschifffahrtsgesellschaft'.repeat(20)

const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'

describe('the page of a shared email', () => {
  it.each(WIDTHS)('fits on $device, with a text of one long word and many recipients', async ({ device, width }) => {
    const to = Array.from({ length: 40 }, (_, index) => `delivered+${'x'.repeat(40)}${index}@simulator.test`)
    const text = `Dear Anna,\n\n  indented, with <tags> & "quotes"\n${LONG_WORD}\n\nGoodbye.`
    const url = await share({
      to,
      cc: ['Ærøskøbing <delivered+cc@simulator.test>'],
      bcc: ['delivered+hidden@simulator.test'],
      subject: LONG_WORD,
      text,
    })
    const { page, errors, strayRequests } = await openWatched(browser, { origin: service.url, width })

    await page.goto(url)

    expect(await page.locator('pre').innerText()).toBe(text)
    expect(await page.evaluate(overflow)).toBe(0)
    expect(await page.locator('h1').innerText()).toBe(LONG_WORD)
    expect(await page.content()).not.toContain('delivered+hidden')
    expect({ errors, strayRequests }).toEqual({ errors: [], strayRequests: [] })
    await screenshot(page, `share-text-on-${device.replace('a ', '')}`)
  })

  it.each(WIDTHS)('shows HTML on $device without running or fetching anything of it', async ({ device, width }) => {
    const hostile = `<html><head><base href="https://evil.invalid/"><meta http-equiv="refresh" content="0;url=https://evil.invalid/refresh">
      <link rel="stylesheet" href="https://evil.invalid/style.css"><style>@import url(https://evil.invalid/import.css); p { color: rgb(1, 2, 3); background: url(https://evil.invalid/b.png) }</style></head>
      <body onload="top.document.title = 'owned'"><h2>Your receipt</h2><p>Thank you for your order.</p><table width="900"><tr><td>A wide table</td></tr></table>
      <img src="https://evil.invalid/pixel.png" onerror="top.document.title = 'owned'"><img src="${service.url}/health/live">
      <script>top.document.title = 'owned'; fetch('https://evil.invalid/fetch')</script><iframe src="https://evil.invalid/frame"></iframe>
      <form action="https://evil.invalid/form"><button>Submit</button></form>
      <a id="script" href="javascript:opener.document.title='owned'">Run</a></body></html>`
    const url = await share({ subject: 'Your "receipt" <b>', html: hostile })
    const { page, strayRequests } = await openWatched(browser, { origin: service.url, width })
    const own: string[] = []
    page.on('request', (request) => own.push(request.url()))

    await page.goto(url)
    const frame = page.frameLocator('iframe')
    await frame.locator('form button').click()
    const popup = page.waitForEvent('popup')
    await frame.locator('#script').click()
    await (await popup).close()

    expect(await frame.locator('h2').innerText()).toBe('Your receipt')
    expect(await frame.locator('p').evaluate('(element) => getComputedStyle(element).color')).toBe('rgb(1, 2, 3)')
    expect(await page.title()).toBe('Your "receipt" <b>')
    expect(await page.evaluate(overflow)).toBe(0)
    expect(page.url()).toBe(url)
    // The browser tells of a request before its policy refuses it; nothing may have been answered or left for another reason.
    expect(strayRequests).toEqual([])
    expect(own).toEqual([url])
    expect(await page.locator('.note').innerText()).toContain('Pictures from other servers are not shown')
    await screenshot(page, `share-html-on-${device.replace('a ', '')}`)
  })

  it('opens a link of the email in a tab of its own, which does not learn where it came from', async () => {
    const target = `${service.url}/health/live`
    const url = await share({ html: `<p>Read <a href="${target}">more</a></p>` })
    const { page, errors } = await openWatched(browser, { origin: service.url })
    await page.goto(url)

    const popup = page.waitForEvent('popup')
    const requested = page.context().waitForEvent('request', (request) => request.url() === target)
    await page.frameLocator('iframe').getByText('more').click()
    const tab = await popup

    const { referer } = await (await requested).allHeaders()
    expect({ referer, hasOpener: await tab.evaluate('window.opener !== null') }).toEqual({ referer: undefined, hasOpener: false })
    expect(page.url()).toBe(url)
    expect(errors).toEqual([])
  })

  it('says that an email has no content', async () => {
    const { page } = await openWatched(browser, { origin: service.url })
    await page.goto(await share({ text: '' }))
    expect(await page.locator('main').innerText()).toBe('This email has no content.')
  })
})

it.each(WIDTHS)('a link that was changed gives a page that says so, readable on $device', async ({ device, width }) => {
  const { page, strayRequests } = await openWatched(browser, { origin: service.url, width })

  const response = await page.goto(`${await share({ text: 'x' })}x`)

  expect(response?.status()).toBe(403)
  expect(await page.locator('main').innerText()).toBe(
    'This link does not work\n\nThis link has expired or is not complete. Ask for a new one.',
  )
  expect(await page.evaluate(overflow)).toBe(0)
  expect(strayRequests).toEqual([])
  await screenshot(page, `share-error-on-${device.replace('a ', '')}`)
})
