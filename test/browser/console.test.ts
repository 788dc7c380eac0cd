import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createFirstOwnerLink } from '../../src/modules/accounts/people/people.service.ts'
import { send } from '../support/builders/emails.ts'
import { signIn } from '../support/clients/console.ts'
import { until } from '../support/clocks/until.ts'
import { file, startHttpSink } from '../support/servers/http-sink.ts'
import { keepInstallationMails } from '../support/servers/mailed-links.ts'
import { shared, startTestService } from '../support/servers/service.ts'
import { browserOfWorker, closePages, keepCookie, leave, openSignedIn, openWatched, screenshot, type Watched } from './browser.ts'

let team: { id: string }
let token: string
let browser: Browser
const opened: Page[] = []

const service = shared(() => startTestService({ environment: { ROLES: 'api,worker', DELIVERY: 'capture' } }))
/** A web server of a stranger, which must not learn what is read. */
const stranger = shared(() => startHttpSink({ '/pixel.png': file(PIXEL, { 'content-type': 'image/png' }) }))
beforeAll(async () => {
  browser = await browserOfWorker()
})
// A team of its own for each test, so that its list is empty.
beforeEach(async () => {
  team = await service.service.context.repositories.teams.create('Readers')
  token = await service.createKey(team.id)
  stranger.requests.length = 0
})
afterEach(async () => {
  for (const page of opened.splice(0)) await leave(page)
})
afterAll(() => closePages(browser))

const PIXEL = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64')
const sendOurs = (email: Record<string, unknown>) => send(service, email, { token })

const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'

/** Evaluates an expression in the frame of an email. */
const inFrame = (page: Page, expression: string) => page.frame({ url: /\/html(\?|$)/ })?.evaluate(expression)

async function open(path: string, width?: number): Promise<Watched> {
  const watched = await openWatched(browser, { origin: service.url, ...(width !== undefined && { width }) })
  opened.push(watched.page)
  await watched.page.goto(`${service.url}${path}`)
  return watched
}

async function signedIn(width?: number): Promise<Watched> {
  const watched = await openSignedIn(browser, { origin: service.url, cookie: await signIn(service, token), path: '/console/emails', width })
  opened.push(watched.page)
  return watched
}

describe('signing in', () => {
  it('takes an address by keyboard alone, and signing out asks for it again', async () => {
    const { page, errors, strayRequests } = await open('/console/emails')
    expect(new URL(page.url()).pathname).toBe('/console/sign-in')

    // The field has the focus by itself.
    await page.locator('#email:focus').waitFor()
    const mails = keepInstallationMails(service.service.context)
    const { persons } = service.service.context.repositories
    const ada = await persons.ensureAcrossTeams('ada@people.example', 'Ada')
    await persons.addMember(team.id, ada.id, 'owner')
    await page.keyboard.type('ada@people.example')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Check your email' }).waitFor()
    await page.goto(`${service.url}${new URL((await mails.next()).secret).pathname}`)
    await page.getByRole('button', { name: 'Sign in' }).press('Enter')
    await page.getByRole('heading', { name: 'Emails', exact: true }).waitFor()
    expect(new URL(page.url()).pathname).toBe('/console/emails')

    await page.getByRole('button', { name: 'Sign out' }).press('Enter')
    await page.getByLabel('Your email address').waitFor()
    await page.goto(`${service.url}/console/emails`)
    expect(new URL(page.url()).pathname).toBe('/console/sign-in')
    expect({ errors, strayRequests }).toEqual({ errors: [], strayRequests: [] })
  })

  it('by the link of the first start leads to the console, once', async () => {
    const fresh = await service.service.context.repositories.teams.create('Fresh')
    const link = new URL(await createFirstOwnerLink(service.service.context, fresh.id, 60_000)).pathname

    const { page } = await open(link)
    await page.getByLabel('Your email address').fill('first@people.example')
    await page.getByLabel('Your name').fill('First')
    await page.getByRole('button', { name: 'Open the console' }).click()
    await page.getByRole('heading', { name: 'Overview' }).waitFor()

    const { page: again } = await open(link)
    await again.getByText('This link was used already').waitFor()
  })

  it('is asked for again as soon as the session is ended, on a page that is open', async () => {
    const { page } = await signedIn()
    await service.database.execute('delete from sessions')
    await page.getByLabel('Your email address').waitFor()
  })
})

it.each([390, 1280])('leads to every section by lists that are labeled, %i px wide', async (width) => {
  const { page } = await signedIn(width)
  if (width === 390) await page.getByText('Menu', { exact: true }).click()
  const sections = page.getByRole('navigation', { name: 'Sections' })
  const namesIn = (list: string) => sections.getByRole('list', { name: list, exact: true }).getByRole('link').allTextContents()
  expect({ Mail: await namesIn('Mail'), Audience: await namesIn('Audience'), Developers: await namesIn('Developers') }).toEqual({
    Mail: ['Emails', 'Received', 'Broadcasts', 'Automations', 'Templates', 'Domains', 'Suppressions', 'Metrics'],
    Audience: ['Contacts', 'Segments', 'Topics', 'Properties', 'Imports'],
    Developers: ['API keys', 'Logs', 'Events', 'Webhooks', 'Grants', 'API documentation'],
  })
  for (const name of ['Overview', 'Sessions']) await sections.getByRole('link', { name, exact: true }).waitFor()
  expect(await page.evaluate(overflow)).toBe(0)
  // All of them are on the screen at once, which is 800 px high.
  const last = await sections.getByRole('link', { name: 'Sessions', exact: true }).boundingBox()
  expect((last?.y ?? 0) + (last?.height ?? 0)).toBeLessThanOrEqual(800)
})

describe('the list', () => {
  it('shows mail as it arrives and as its state changes, without reloading', async () => {
    const { page, errors } = await signedIn()
    await page.evaluate('window.isSamePage = true')
    await page.getByText('No mail yet').waitFor()

    await sendOurs({ subject: 'First', to: 'bounced@simulator.test' })
    await page.locator('.emails li', { hasText: 'First' }).getByText('bounced', { exact: true }).waitFor()
    await sendOurs({ subject: 'Second', scheduled_at: 'in 1 hour' })
    await page.locator('.emails li.fresh', { hasText: 'Second' }).waitFor()

    expect(await page.locator('.emails .subject').allTextContents()).toEqual(['Second', 'First'])
    expect(await page.locator('.emails li.fresh').count()).toBe(2)
    expect(await page.getByRole('status').textContent()).toBe('2 new emails')
    expect(await page.evaluate('window.isSamePage')).toBe(true)
    expect(errors).toEqual([])
  })

  it('keeps the focus where it is when mail arrives', async () => {
    await sendOurs({ subject: 'First' })
    const { page } = await signedIn()
    const first = page.getByRole('link', { name: 'First' })
    await first.focus()
    await sendOurs({ subject: 'Second' })
    await page.getByRole('link', { name: 'Second' }).waitFor()
    expect(await page.evaluate('document.activeElement.textContent')).toContain('First')
  })

  it('keeps a recipient whose tries someone has opened open, with the focus, when something happens', async () => {
    const to = Array.from({ length: 6 }, (_, index) => `delivered+${index}@simulator.test`)
    const id = await sendOurs({ subject: 'Opened', to })
    const { page } = await signedIn()
    await expect.poll(async () => (await service.call('GET', `/emails/${id}`, { token })).body).toMatchObject({ last_event: 'delivered' })
    await page.goto(`${service.url}/console/emails/${id}`)
    const tries = page.getByRole('row', { name: 'delivered+3@simulator.test' }).locator('details')
    await tries.locator('summary').press('Enter')
    await service.database.execute("update recipients set state = 'complained' where email_id = $1 and address = $2", [id, to[0]])
    await page.locator('#standing').getByText('1 of 6 complained').waitFor()
    expect(await tries.getAttribute('open')).toBe('')
    expect(await page.evaluate("document.activeElement.closest('tr').textContent")).toContain('delivered+3@simulator.test')
  })

  it('finds mail by a word and a state, by keyboard alone', async () => {
    await sendOurs({ subject: 'Wanted', to: 'bounced@simulator.test' })
    await sendOurs({ subject: 'Wanted as well' })
    await sendOurs({ subject: 'Other' })
    const { page } = await signedIn()
    await page.locator('.emails li', { hasText: 'bounced' }).waitFor()
    await page.getByRole('searchbox').focus()
    await page.keyboard.type('wanted')
    await page.keyboard.press('Enter')
    await page.waitForURL(/q=wanted/)
    expect(await page.locator('.emails .subject').allTextContents()).toEqual(['Wanted as well', 'Wanted'])
    await page.getByLabel('State').selectOption('bounced')
    await page.getByRole('button', { name: 'Search' }).press('Enter')
    await page.waitForURL(/state=bounced/)
    expect(await page.locator('.emails .subject').allTextContents()).toEqual(['Wanted'])
    expect(await page.getByRole('searchbox').inputValue()).toBe('wanted')
  })

  it('tells times in the zone of the reader, to the second to those who point at them', async () => {
    const id = await sendOurs({ subject: 'Long ago' })
    await service.database.execute("update emails set created_at = '2001-02-03T04:05:06Z' where id = $1", [id])
    const context = await browser.newContext({ timezoneId: 'America/New_York', locale: 'en-GB' })
    const page = await context.newPage()
    opened.push(page)
    await keepCookie(context, { origin: service.url, cookie: await signIn(service, token) })
    await page.goto(`${service.url}/console/emails`)
    const time = page.locator('.emails time')
    await time.waitFor()
    expect([await time.textContent(), await time.getAttribute('title')]).toEqual([
      '2 Feb 2001, 23:05',
      expect.stringMatching(/^Friday,? 2 February 2001 at 23:05:06 GMT-5$/),
    ])
  })

  it('works by reloading where scripts are switched off', async () => {
    const context = await browser.newContext({ javaScriptEnabled: false })
    const page = await context.newPage()
    opened.push(page)
    await keepCookie(context, { origin: service.url, cookie: await signIn(service, token) })
    await page.goto(`${service.url}/console`)
    await page.getByRole('navigation', { name: 'Sections' }).getByRole('link', { name: 'Emails', exact: true }).click()
    await page.getByText('No mail yet').waitFor()
    await sendOurs({ subject: 'Hello', html: '<p>Content</p>' })
    await page.reload()
    await page.getByRole('link', { name: 'Hello' }).click()
    await page.frameLocator('iframe').getByText('Content').waitFor()
    expect(await page.locator('time').first().textContent()).toMatch(/^\d{1,2} [A-Z][a-z]{2,3}(?: \d{4})?, \d\d:\d\d UTC$/)
  })
})

describe('an email', () => {
  it('runs nothing and fetches nothing of other servers, and shows its inline images', async () => {
    const hostile = `<!doctype html><html><head><base href="${stranger.url}/"><meta http-equiv="refresh" content="0;url=${stranger.url}/refresh">
      <link rel="stylesheet" href="${stranger.url}/style.css"><link rel="prefetch" href="${stranger.url}/prefetch"><link rel="preconnect" href="${stranger.url}">
      <style>@import url(${stranger.url}/import.css); @font-face { font-family: f; src: url(${stranger.url}/font) } p { font-family: f; color: rgb(1, 2, 3); background: url(${stranger.url}/b.png) }</style></head>
      <body onload="top.document.title = 'owned'" background="${stranger.url}/background.png"><p id="hi">Hello</p><img id="inline" src="cid:logo">
      <img src="${stranger.url}/pixel.png" onerror="top.document.title = 'owned'"><img srcset="${stranger.url}/set.png 2x"><video poster="${stranger.url}/poster.png" src="${stranger.url}/video"></video>
      <svg><image href="${stranger.url}/svg.png"/><script>top.document.title = 'owned'</script></svg><object data="${stranger.url}/object"></object><embed src="${stranger.url}/embed">
      <script>top.document.title = 'owned'; fetch('${stranger.url}/fetch')</script><script src="${stranger.url}/script.js"></script><iframe src="${stranger.url}/frame"></iframe>
      <form action="${stranger.url}/form"><button>Submit</button></form>
      <a id="script" href="javascript:top.document.title='owned'">Run</a></body></html>`
    const id = await sendOurs({
      subject: 'Hostile',
      html: hostile,
      attachments: [{ filename: 'logo.png', content: PIXEL.toString('base64'), content_id: 'logo' }],
    })
    const { page, errors } = await signedIn()
    await page.goto(`${service.url}/console/emails/${id}`)
    const frame = page.frameLocator('iframe[title="Content of the email"]')
    await frame.locator('#hi').waitFor()
    await until(async () => expect(await inFrame(page, "document.querySelector('#inline').naturalWidth")).toBe(1))
    await frame.getByRole('button').click()
    await frame.locator('#script').click()
    await expect.poll(() => errors.join()).toContain('Running the JavaScript URL violates')

    expect(await inFrame(page, "getComputedStyle(document.querySelector('#hi')).color")).toBe('rgb(1, 2, 3)')
    expect(await page.title()).toBe('Hostile · Posthaste')
    expect(new URL(page.url()).pathname).toBe(`/console/emails/${id}`)
    expect(stranger.requests).toEqual([])
  })

  it('runs no script of an email even where one is left in it', async () => {
    const id = await sendOurs({ subject: 'Left in', html: '<p>Hi</p>' })
    const { page, errors } = await signedIn()
    const hostile = `<p id="hi" onclick="run()">Hi</p><script>function run() { parent.postMessage({ contentHeight: 5000 }, '*'); top.document.title = 'owned' } run()</script>
      <img src="x" onerror="run()"><svg onload="run()"></svg><script src="${stranger.url}/script.js"></script><a href="javascript:run()">Run</a>`
    await page.route(`**/console/emails/${id}/html`, async (route) => route.fulfill({ response: await route.fetch(), body: hostile }))
    await page.goto(`${service.url}/console/emails/${id}`)
    const frame = page.frameLocator('iframe')
    await frame.locator('#hi').click()
    await frame.getByText('Run').click()
    await expect.poll(() => errors.join()).toContain('Running the JavaScript URL violates')
    expect(await page.title()).toBe('Left in · Posthaste')
    expect(await inFrame(page, 'typeof run')).toBe('undefined')
    expect(stranger.requests).toEqual([])
  })

  it('is shown as high as it is, in the width of a desktop and of a phone', async () => {
    const words = 'Words that are wrapped in a narrow frame. '.repeat(60)
    const id = await sendOurs({
      subject: 'High',
      html: `<!doctype html><body style="margin: 0; min-height: 100vh"><style>p { margin: 0 }</style><p>${words}</p><p>${words}</p></body>`,
    })
    const low = await sendOurs({ subject: 'Low', html: '<p>Hi</p>' })
    const { page, errors } = await signedIn()
    const frame = page.locator('iframe')
    const shown = async () => ({
      width: await frame.evaluate('document.querySelector("iframe").clientWidth'),
      isWhole: await inFrame(page, 'document.documentElement.scrollHeight <= innerHeight'),
    })
    const heightOf = async () => (await frame.boundingBox())?.height ?? 0
    await page.goto(`${service.url}/console/emails/${id}`)
    await expect.poll(shown).toEqual({ width: expect.any(Number), isWhole: true })
    const asDesktop = await heightOf()

    await page.getByRole('radio', { name: 'Phone' }).check()
    await expect.poll(shown).toEqual({ width: 388, isWhole: true })
    await expect.poll(heightOf).toBeGreaterThan(asDesktop * 1.5)
    await page.getByRole('radio', { name: 'Desktop' }).check()
    await expect.poll(heightOf).toBe(asDesktop)

    await page.goto(`${service.url}/console/emails/${low}`)
    await expect.poll(heightOf).toBeLessThan(200)
    expect(errors).toEqual([])
  })

  it('is shown as high as it is when it loads late', async () => {
    const id = await sendOurs({ subject: 'Late', html: '<p>Hi</p>' })
    const { page, errors } = await signedIn()
    const heightOf = async () => (await page.locator('iframe').boundingBox())?.height ?? 0
    const { promise: isWanted, resolve: load } = Promise.withResolvers<void>()
    await page.route('**/html', async (route) => {
      await isWanted
      await route.continue()
    })

    await page.goto(`${service.url}/console/emails/${id}`, { waitUntil: 'commit' })
    // It is low while the email is waited for, and then as high as one that cannot be measured.
    await expect.poll(heightOf).toBeLessThan(200)
    await expect.poll(heightOf).toBeGreaterThan(300)
    load()

    await expect.poll(heightOf).toBeLessThan(200)
    expect(errors).toEqual([])
  })

  it('can be shown in the width of a desktop on a phone', async () => {
    const id = await sendOurs({ subject: 'Wide', html: '<p>Hi</p>' })
    const { page } = await signedIn(390)
    await page.goto(`${service.url}/console/emails/${id}`)
    const widthOf = async () => (await page.locator('iframe').boundingBox())?.width ?? 0
    expect(await page.getByRole('radio', { name: 'Phone' }).isChecked()).toBe(true)
    expect(await widthOf()).toBeLessThan(390)
    await page.getByRole('radio', { name: 'Desktop' }).check()
    await expect.poll(widthOf).toBe(960)
    expect(await page.evaluate(overflow)).toBe(0)
  })

  it('loads remote images after asking, and nothing else', async () => {
    await sendOurs({
      subject: 'Pictures',
      html: `<img id="remote" src="${stranger.url}/pixel.png"><script src="${stranger.url}/script.js"></script><link rel="stylesheet" href="${stranger.url}/style.css">`,
    })
    const { page } = await signedIn()
    await page.getByRole('link', { name: 'Pictures' }).click()
    const image = page.frameLocator('iframe').locator('#remote')
    await image.waitFor({ state: 'attached' })
    expect(stranger.requests).toEqual([])

    await page.getByRole('link', { name: 'Load remote images' }).click()
    await page.getByText('Do not load them').waitFor()
    await until(async () => expect(await inFrame(page, "document.querySelector('#remote').naturalWidth")).toBe(1))
    expect(stranger.requests).toEqual(['GET /pixel.png'])
  })

  it.each(['', 'target="_top"', 'target="_self"', 'target="named" rel="opener" referrerpolicy="unsafe-url"'])(
    'opens its links %s in a tab of its own that knows nothing of the console',
    async (attributes) => {
      await sendOurs({ subject: 'Links', html: `<a ${attributes} href="${stranger.url}/pixel.png">Confirm</a>` })
      const { page } = await signedIn()
      await page.getByRole('link', { name: 'Links' }).click()
      const popup = page.waitForEvent('popup')
      await page.frameLocator('iframe').getByText('Confirm').click()
      const tab = await popup
      await tab.waitForURL(`${stranger.url}/pixel.png`)
      expect(await tab.evaluate('[window.opener, document.referrer]')).toEqual([null, ''])
      await tab.close()
    },
  )

  it('shows what becomes of it without reloading', async () => {
    const id = await sendOurs({ subject: 'Later', scheduled_at: 'in 1 hour' })
    const { page } = await signedIn()
    await page.getByRole('link', { name: 'Later' }).click()
    await page.getByText('Timeline').waitFor()
    await service.call('POST', `/emails/${id}/cancel`, { token })
    await page.getByRole('row').filter({ hasText: 'canceled' }).filter({ hasText: 'Not tried.' }).waitFor()
    await page.getByRole('listitem').filter({ hasText: 'canceled' }).waitFor()
    expect(await page.locator('#standing .state').textContent()).toBe('canceled')
  })
})

describe.each([
  { device: 'a desktop', width: 1280 },
  { device: 'a phone', width: 390 },
  { device: 'a small phone', width: 320 },
])('on $device', ({ device, width }) => {
  it('no page is wider than the screen', async () => {
    const word = 'Donaudampfschifffahrtsgesellschaft'.repeat(12)
    const cells = Array.from({ length: 30 }, (_, index) => `<td width="150">column ${index}</td>`).join('')
    const id = await sendOurs({
      subject: word,
      to: Array.from({ length: 30 }, (_, index) => `delivered+${'x'.repeat(40)}${index}@simulator.test`),
      html: `<table><tr>${cells}</tr></table><img src="${stranger.url}/x.png">`,
      text: `${word}\n${word}`,
      headers: { 'X-Long': word },
      attachments: [{ filename: `${word.slice(0, 200)}.txt`, content: 'aGk=' }],
    })
    await sendOurs({ subject: 'مرحبا بك في متجرنا 🎁', text: 'مرحبا' })
    const { page } = await signedIn(width)
    const emails = ['?view=text', '?view=headers', '?view=source', ''].map((view) => `/emails/${id}${view}`)
    const paths = ['/emails/none', '/sign-in', '/sign-in/x', '/emails', '/none', ...emails]
    for (const path of paths) {
      await page.goto(`${service.url}/console${path}`)
      expect({ path, overflow: await page.evaluate(overflow) }).toEqual({ path, overflow: 0 })
    }
    await screenshot(page, `console-email-on-${device.replace('a ', '').replace(' ', '-')}`)
  })
})
