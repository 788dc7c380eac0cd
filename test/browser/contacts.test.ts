import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { send } from '../support/builders/emails.ts'
import { signIn } from '../support/clients/console.ts'
import { file, startHttpSink } from '../support/servers/http-sink.ts'
import { shared, startTestService } from '../support/servers/service.ts'
import { keepCookie } from './browser.ts'
import { CLICKED, OTHERS, openContacts, PICTURES, REFRESH } from './contacts.ts'

const ALL = [...Object.values(PICTURES), ...Object.values(OTHERS), ...Object.values(CLICKED)].join('\n')
const MAIL = `<!doctype html><html><body background="http://body.tracker.test/x">${ALL}<p id="end">The end</p></body></html>`

let share: string

const service = shared(() => startTestService())
/** Shows the same HTML without any precaution. */
const careless = shared(() =>
  startHttpSink({
    '/with-scripts': asPage(MAIL),
    '/without-scripts': asPage(MAIL, { 'content-security-policy': 'sandbox allow-forms' }),
    '/refresh': asPage(REFRESH),
  }),
)
beforeAll(async () => {
  share = await shareOf(MAIL)
})

const asPage = (html: string, headers: Record<string, string> = {}) => file(html, { 'content-type': 'text/html', ...headers })

async function shareOf(html: string): Promise<string> {
  const { body } = await service.call('POST', `/emails/${await send(service, { html })}/share`, { body: {} })
  return service.url + new URL((body as { url: string }).url).pathname
}

/** Hosts that a browser contacts while it does this and then opens another page. */
async function contactsOf(visit: (page: Page) => Promise<void>): Promise<string[]> {
  const { context, close } = await openContacts()
  const page = await context.newPage()
  await visit(page)
  // When this has been answered, the network has seen everything that began before.
  await (await context.newPage()).goto('http://last.tracker.test/')
  return close()
}

const clickAll = async (frame: { locator(selector: string): { click(): Promise<void> } }) => {
  for (const id of Object.keys(CLICKED)) await frame.locator(`#${id}`).click()
}

const enter = async (page: Page): Promise<void> => keepCookie(page.context(), { origin: service.url, cookie: await signIn(service) })

describe('an email that reaches out in every way', () => {
  /** This browser neither looks up a name in advance nor shows an icon in a way that the network's log could show. */
  const UNSEEN = new Set(['dns-prefetch', 'icon', 'manifest', 'svg-use'])

  it('is served without the tags whose contacts could not be seen', async () => {
    const html = await (await fetch(share)).text()
    expect(html).toContain('img.tracker.test')
    // `svg-use` stays: browsers fetch what it names only from their own origin, and a frame has none.
    expect([...UNSEEN].filter((host) => host !== 'svg-use' && html.includes(`${host}.tracker.test`))).toEqual([])
  })

  it('contacts its sender without any precaution', async () => {
    const contacted = await contactsOf(async (page) => {
      await page.goto(`${careless.url}/with-scripts`, { waitUntil: 'networkidle' })
      await page.locator('#ping').click()
      for (const id of ['form', 'formaction']) {
        await page.goto(`${careless.url}/without-scripts`)
        await page.locator(`#${id}`).click()
        await page.waitForURL(`http://${id}.tracker.test/**`)
      }
      await page.goto(`${careless.url}/refresh`)
      await page.waitForURL('http://refresh.tracker.test/x')
    })
    const everything = ['last', 'body', 'refresh', ...[PICTURES, OTHERS, CLICKED].flatMap(Object.keys)]
    expect(contacted).toEqual(everything.filter((host) => !UNSEEN.has(host)).sort())
  })

  it('contacts no one from the page of its share link', async () => {
    const refresh = await shareOf(REFRESH)
    const contacted = await contactsOf(async (page) => {
      await page.goto(share)
      await clickAll(page.frameLocator('iframe'))
      await page.goto(refresh)
    })
    expect(contacted).toEqual(['last'])
  })

  it('contacts no one from the console', async () => {
    const id = await send(service, { html: MAIL })
    const contacted = await contactsOf(async (page) => {
      await enter(page)
      await page.goto(`${service.url}/console/emails/${id}`)
      await clickAll(page.frameLocator('iframe'))
    })
    expect(contacted).toEqual(['last'])
  })

  it('contacts its sender for pictures alone when they were asked for', async () => {
    const id = await send(service, { html: MAIL })
    const contacted = await contactsOf(async (page) => {
      await enter(page)
      await page.goto(`${service.url}/console/emails/${id}?remote=yes`)
      await page.waitForLoadState('networkidle')
      await clickAll(page.frameLocator('iframe'))
    })
    expect(contacted).toEqual(['last', 'body', ...Object.keys(PICTURES)].sort())
  })
})
