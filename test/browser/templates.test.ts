import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { createTemplate, publishedTemplate } from '../support/builders/templates.ts'
import { signIn } from '../support/clients/console.ts'
import { shared, startTestService } from '../support/servers/service.ts'
import { browserOfWorker, closePages, leave, openSignedIn, screenshot, type Watched } from './browser.ts'
import { faintTexts } from './contrast.ts'

const PAGE = '/console/templates'

let browser: Browser
let cookie: string
const service = shared(() => startTestService())
beforeAll(async () => {
  browser = await browserOfWorker()
  cookie = await signIn(service)
})
beforeEach(() => service.database.execute('truncate templates cascade'))
afterAll(() => closePages(browser))

const open = (path: string, width?: number): Promise<Watched> => openSignedIn(browser, { origin: service.url, cookie, path, width })

const patch = (id: string, body: object) => service.call('PATCH', `/templates/${id}`, { body })

const MAIL = `<!doctype html><html><body style="margin:0;background:#eef"><table width="100%"><tr><td align="center">
<table style="max-width:600px;width:100%;background:#fff;font:16px sans-serif"><tr><td style="padding:24px">
<h1 style="color:#224">{{{PRODUCT}}} is on its way</h1><p>Hello {{{contact.first_name|you}}}, thank you for {{{PRODUCT}}}.</p>
<p><a href="https://shop.example.com/orders/{{{ORDER}}}" style="background:#224;color:#fff;padding:12px 20px">Your order {{{ORDER}}}</a></p>
</td></tr></table></td></tr></table></body></html>`

it('is tried with values at two widths, published, restored, duplicated and deleted', async () => {
  await createTemplate(service, { html: MAIL })
  const { page, errors, strayRequests } = await open(PAGE)
  await page.getByRole('link', { name: 'Order confirmation' }).click()
  await page.getByLabel('ORDER', { exact: true }).fill('<i>42</i>')
  await page.getByLabel('PRODUCT', { exact: true }).fill('Analytical Engine')
  await page.keyboard.press('Enter')
  const frame = page.frameLocator('iframe')
  await frame.getByRole('heading', { name: 'Analytical Engine is on its way' }).waitFor()
  await page.getByText('Analytical Engine is on its way', { exact: true }).waitFor()
  const widthOf = async () => (await page.locator('iframe').boundingBox())?.width ?? 0
  expect(await widthOf()).toBeGreaterThan(600)
  await page.getByRole('radio', { name: 'Phone' }).check()
  expect(await widthOf()).toBe(390)

  await page.getByRole('button', { name: 'Publish the newest version' }).click()
  await page.getByText('The newest version is published.').waitFor()
  const id = new URL(page.url()).pathname.split('/')[3] ?? ''
  await patch(id, { subject: 'Second' })
  await page.reload()
  await page.getByRole('button', { name: 'Restore' }).click()
  await page.getByText('The newest version says what the older one said.').waitFor()
  await page.locator('#preview').getByText('your order is on its way', { exact: true }).waitFor()

  await page.getByRole('button', { name: 'Duplicate' }).click()
  await page.getByRole('heading', { name: 'Order confirmation (copy)' }).waitFor()
  await page.getByRole('link', { name: 'Delete' }).click()
  await page.getByRole('button', { name: 'Delete the template' }).click()
  await page.getByText('The template was deleted.').waitFor()
  expect(await page.getByRole('row').count()).toBe(2)
  expect({ errors, strayRequests }).toEqual({ errors: [], strayRequests: [] })
  await leave(page)
})

/** Templates in every state, with long texts. Returns the addresses of their pages. */
async function everyState(): Promise<string[]> {
  await createTemplate(service, { name: 'Welcome' })
  const long = await publishedTemplate(service, {
    name: `A-long-name-without-spaces-${'x'.repeat(70)}`,
    alias: `a-long-alias-${'x'.repeat(80)}`,
    reply_to: ['help@example.com', `${'a'.repeat(60)}@example.com`],
    html: `${MAIL.replace('</h1>', '</h1><img src="https://images.example.com/x.png">')}{{{contact.plan}}}{{{${'LONG_KEY'.repeat(6)}}}}`,
    variables: [
      { key: 'PRODUCT', type: 'string', fallback_value: 'your order' },
      { key: 'IS_GIFT', type: 'boolean', fallback_value: false },
      { key: 'GOODS', type: 'list' },
    ],
  })
  await patch(long, { subject: `A long subject ${'without-an-end'.repeat(20)}` })
  const published = await publishedTemplate(service, { name: 'Order confirmation', alias: 'order-confirmation', html: MAIL })
  const { published_version_id: version } = (await service.call('GET', `/templates/${long}`)).body as { published_version_id: string }
  const paths = ['', `/${published}?v.ORDER=1042`, `/${published}?view=text`, `/${long}`, `/${long}?version=${version}&v.IS_GIFT=maybe`]
  return [...paths, `/${long}/delete`].map((path) => `${PAGE}${path}`)
}

const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'

async function check(page: Page, at: object): Promise<void> {
  expect({ ...at, overflow: await page.evaluate(overflow), faint: await page.evaluate(faintTexts) }).toEqual({
    ...at,
    overflow: 0,
    faint: [],
  })
}

it('is never wider than the screen in any state, and has a contrast of 4.5 at least by day and in the dark', async () => {
  const paths = await everyState()
  for (const [width, colorScheme] of [
    [1280, 'light'],
    [1280, 'dark'],
    [390, 'light'],
    [390, 'dark'],
    [320, 'light'],
  ] as const) {
    const { page } = await open(PAGE, width)
    await page.emulateMedia({ colorScheme })
    for (const path of paths) {
      await page.goto(`${service.url}${path}`)
      if ((await page.locator('iframe').count()) > 0) {
        await page.locator('iframe').scrollIntoViewIfNeeded()
        await page.frameLocator('iframe').getByRole('heading').waitFor()
      }
      await check(page, { path, width })
      await screenshot(page, `templates-${paths.indexOf(path)}-${width}-${colorScheme}`)
    }
    await leave(page)
  }
}, 60_000)
