import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { startHttpSink } from '../support/servers/http-sink.ts'
import { shared, startTestService } from '../support/servers/service.ts'
import { browserOfWorker, closePages, leave, openWatched, screenshot, type Watched } from './browser.ts'

let browser: Browser
const opened: Page[] = []

const service = shared(() => startTestService())
/** A web server of a stranger, which must not learn what is read. */
const stranger = shared(() =>
  startHttpSink({
    '/more': ({ headers }, response) => response.end(`The referrer is ${headers.referer ?? 'none'}`),
  }),
)
beforeAll(async () => {
  browser = await browserOfWorker()
})
afterEach(async () => {
  for (const page of opened.splice(0)) await leave(page)
})
afterAll(() => closePages(browser))

async function open(width?: number): Promise<Watched> {
  const watched = await openWatched(browser, { origin: service.url, ...(width !== undefined && { width }) })
  opened.push(watched.page)
  return watched
}

/** Sends the email, and returns the address of its page on this service. */
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

const TICKET =
  '<svg xmlns="http://www.w3.org/2000/svg" width="60" height="60"><rect width="60" height="60" fill="teal"/><circle cx="30" cy="30" r="20" fill="gold"/></svg>'

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
    const { page, errors, strayRequests } = await open(width)

    await page.goto(url)

    expect(await page.locator('pre').textContent()).toBe(text)
    expect(await page.evaluate(overflow)).toBe(0)
    expect(await page.locator('h1').textContent()).toBe(LONG_WORD)
    expect(await page.content()).not.toContain('delivered+hidden')
    expect({ errors, strayRequests }).toEqual({ errors: [], strayRequests: [] })
    await screenshot(page, `share-text-on-${device.replace('a ', '')}`)
  })

  it.each(WIDTHS)('shows HTML on $device without running or fetching anything of it', async ({ device, width }) => {
    const hostile = `<html><head><base href="${stranger.url}/"><meta http-equiv="refresh" content="0;url=${stranger.url}/refresh">
      <link rel="stylesheet" href="${stranger.url}/style.css"><style>@import url(${stranger.url}/import.css); p { color: rgb(1, 2, 3); background: url(${stranger.url}/b.png) }</style></head>
      <body onload="top.document.title = 'owned'"><h2>Your receipt</h2><p>Thank you for your order.</p><table width="900"><tr><td>A wide table</td></tr></table>
      <img src="${stranger.url}/pixel.png" onerror="top.document.title = 'owned'">
      <script>top.document.title = 'owned'; fetch('${stranger.url}/fetch')</script><iframe src="${stranger.url}/frame"></iframe>
      <form action="${stranger.url}/form"><button>Submit</button></form>
      <a id="script" href="javascript:opener.document.title='owned'">Run</a></body></html>`
    const url = await share({ subject: 'Your "receipt" <b>', html: hostile })
    const { page, errors } = await open(width)

    await page.goto(url)
    const frame = page.frameLocator('iframe')
    await frame.locator('form button').click()
    await frame.locator('#script').click()
    await expect.poll(() => errors.join()).toContain('Running the JavaScript URL violates')

    expect(await frame.locator('h2').textContent()).toBe('Your receipt')
    expect(await page.frames()[1]?.evaluate("getComputedStyle(document.querySelector('p')).color")).toBe('rgb(1, 2, 3)')
    expect(await page.title()).toBe('Your "receipt" <b>')
    expect(await page.evaluate(overflow)).toBe(0)
    expect(
      page
        .context()
        .pages()
        .map((open) => open.url()),
    ).toEqual([url])
    expect(stranger.requests).toEqual([])
    expect(await page.locator('.note').textContent()).toContain('Images from other servers are not loaded')
    await screenshot(page, `share-html-on-${device.replace('a ', '')}`)
  })

  it.each(WIDTHS)('shows the inline images of the email on $device', async ({ device, width }) => {
    const url = await share({
      subject: 'Your ticket',
      html: '<h2>See you there</h2><img id="ticket" src="cid:ticket" width="120" height="120"><p>Bring this picture.</p>',
      attachments: [{ filename: 'ticket.svg', content: Buffer.from(TICKET).toString('base64'), content_id: 'ticket' }],
    })
    const { page, errors, strayRequests } = await open(width)

    await page.goto(url)

    await expect.poll(() => page.frames()[1]?.evaluate("document.querySelector('#ticket').naturalWidth")).toBe(60)
    expect({ errors, strayRequests }).toEqual({ errors: [], strayRequests: [] })
    expect(await page.locator('.note').count()).toBe(0)
    await screenshot(page, `share-inline-image-on-${device.replace('a ', '')}`)
  })

  it.each(WIDTHS)('is as high as its email on $device, and writes its date in the zone of the reader', async ({ width }) => {
    const words = 'Words that are wrapped in a narrow frame. '.repeat(120)
    const high = await share({ subject: 'High', html: `<!doctype html><style>p { margin: 0 }</style><p>${words}</p>` })
    const low = await share({ subject: 'Low', html: '<p>Hi</p>' })
    const { page, errors } = await open(width)
    const heightOf = async () => (await page.locator('iframe').boundingBox())?.height ?? 0

    await page.goto(high)
    await expect.poll(() => page.frames()[1]?.evaluate('document.documentElement.scrollHeight <= innerHeight')).toBe(true)
    await page.goto(low)
    await expect.poll(heightOf).toBeLessThan(200)

    const time = page.locator('time')
    expect(await time.textContent()).not.toContain('UTC')
    expect(await time.getAttribute('title')).toBe(
      await time.evaluate(
        "new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'long' }).format(new Date(document.querySelector('time').dateTime))",
      ),
    )
    expect(errors).toEqual([])
  })

  it('opens a link of the email in a tab of its own, which does not learn where it came from', async () => {
    const url = await share({
      html: `<meta name="referrer" content="unsafe-url"><p>Read <a href="${stranger.url}/more" target="named" rel="opener" referrerpolicy="unsafe-url">more</a></p>`,
    })
    const { page, errors } = await open()
    await page.goto(url)

    const popup = page.waitForEvent('popup')
    await page.frameLocator('iframe').getByText('more').click()
    const tab = await popup

    await tab.getByText('The referrer is none').waitFor()
    expect(await tab.evaluate('window.opener')).toBeNull()
    expect(page.url()).toBe(url)
    expect(errors).toEqual([])
  })

  it('says that an email has no content', async () => {
    const { page } = await open()
    await page.goto(await share({ text: '' }))
    expect(await page.locator('main').textContent()).toBe('This email has no content.')
  })
})

it.each(WIDTHS)('a link that was changed gives a page that says so, readable on $device', async ({ device, width }) => {
  const { page, strayRequests } = await open(width)

  const response = await page.goto(`${await share({ text: 'x' })}x`)

  expect(response?.status()).toBe(403)
  expect(await page.locator('h1').textContent()).toBe('This link does not work')
  expect(await page.locator('p').textContent()).toBe('This link is not complete, or was changed. Ask for a new one.')
  expect(await page.evaluate(overflow)).toBe(0)
  expect(strayRequests).toEqual([])
  await screenshot(page, `share-error-on-${device.replace('a ', '')}`)
})
