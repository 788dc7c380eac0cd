// A link to a page of the console on a site of someone else: the browser leaves the session's cookie out, and yet no one is to sign in a second time.
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { signIn } from '../support/clients/console.ts'
import { file, startHttpSink } from '../support/servers/http-sink.ts'
import { shared, startTestService } from '../support/servers/service.ts'
import { browserOfWorker, closePages, leave, openWatched } from './browser.ts'

let browser: Browser
let page: Page

const service = shared(() => startTestService())
const links = () =>
  `<!doctype html><link rel="icon" href="data:,"><a href="${service.url}/console/contacts?q=ada%40example.com">Contacts</a>
<form method="post" action="${service.url}/console/sign-out"><button>Sign out</button></form>`
/** It answers at another host than the service, as `localhost`. */
const site = shared(() => startHttpSink({ '/links': file(Buffer.from(links()), { 'content-type': 'text/html' }) }))
const siteUrl = () => `http://localhost:${new URL(site.url).port}/links`

beforeAll(async () => {
  browser = await browserOfWorker()
})
afterEach(() => leave(page))
afterAll(() => closePages(browser))

async function openLinks(cookie: string | null): Promise<void> {
  ;({ page } = await openWatched(browser, { origin: service.url }))
  if (cookie !== null) {
    const [name = '', value = ''] = cookie.split('=', 2)
    await page.context().addCookies([{ name, value, url: service.url, httpOnly: true, sameSite: 'Strict' }])
  }
  await page.goto(siteUrl())
}

it('ends signed in, at the page that the link names', async () => {
  await openLinks(await signIn(service))
  const withoutCookie: boolean[] = []
  page.on('request', async (request) => {
    if (request.isNavigationRequest() && request.url().startsWith(service.url))
      withoutCookie.push((await request.allHeaders()).cookie === undefined)
  })
  await page.getByRole('link', { name: 'Contacts' }).click()
  await page.getByRole('heading', { name: 'Contacts', exact: true }).waitFor()
  expect(page.url()).toBe(`${service.url}/console/contacts?q=ada%40example.com`)
  // The page came without the session, as it should; it reads with it what it shows.
  expect(withoutCookie).toEqual([true])
})

it('leads someone who is not signed in to the sign-in page, and then to the page that the link names', async () => {
  await openLinks(null)
  await page.getByRole('link', { name: 'Contacts' }).click()
  await page.waitForURL(/\/console\/sign-in/)
  expect(new URL(page.url()).searchParams.get('next')).toBe('/console/contacts?q=ada%40example.com')
})

it('cannot sign anyone out by a form', async () => {
  const cookie = await signIn(service)
  await openLinks(cookie)
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByText('This form was not sent from a page of ours.').waitFor()
  await page.goto(`${service.url}/console/contacts`)
  await page.getByRole('heading', { name: 'Contacts', exact: true }).waitFor()
})
