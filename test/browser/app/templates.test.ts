// A template in the console: written, published, changed, and brought back.
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { publishedTemplate } from '../../support/builders/templates.ts'
import { signIn } from '../../support/clients/console.ts'
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

it('is written with its variables, tried with values, and published', async () => {
  const { page, refused, strayRequests } = await open('/templates')
  await page.getByRole('link', { name: 'New template' }).click()
  await page.getByRole('textbox', { name: 'Name' }).fill('Order confirmation')
  await page.getByRole('textbox', { name: 'Subject' }).fill('{{{PRODUCT}}} is on its way')
  await page.getByRole('tab', { name: 'Own HTML' }).click()
  await page
    .getByRole('textbox', { name: 'Own HTML' })
    .fill('<h1>Thank you</h1><p>{{{PRODUCT}}} comes on {{{DAY|Monday}}}, {{{contact.first_name|you}}}.</p>')
  await page.getByRole('button', { name: 'Add those of the content: PRODUCT, DAY' }).click()
  await page.getByRole('textbox', { name: 'Fallback' }).nth(1).fill('Tuesday')
  await page.frameLocator('iframe').getByText('{{{PRODUCT}}} comes on').waitFor()
  expect(await faultsOf(page, 'template-new')).toEqual([])
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('heading', { level: 1, name: 'Order confirmation' }).waitFor()
  await page.getByText('An email would still need:').waitFor()
  await page.getByRole('textbox', { name: 'PRODUCT' }).fill('The lamp')
  await page.getByRole('cell', { name: 'The lamp is on its way' }).waitFor()
  await page.frameLocator('iframe').getByText('The lamp comes on Monday, you.').waitFor()
  expect(await faultsOf(page, 'template')).toEqual([])
  await page.getByRole('button', { name: 'Publish' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Publish' }).click()
  await page.getByText('It cannot be sent before it is published.').waitFor({ state: 'detached' })
  await page.getByRole('link', { name: '← Templates' }).click()
  await page
    .getByRole('row', { name: /Order confirmation/ })
    .getByText('Published')
    .waitFor()
  expect(await faultsOf(page, 'templates')).toEqual([])
  expect({ refused, strayRequests }).toEqual({ refused: [], strayRequests: [] })
})

it('brings an older version back, and deletes the template only after a question', async () => {
  const id = await publishedTemplate(service, { name: 'Welcome', html: '<p>The old words</p>', variables: [], subject: 'Hello' })
  await service.call('PATCH', `/templates/${id}`, { body: { html: '<p>The new words</p>' } })
  const { page } = await open(`/templates/${id}`)
  await page.frameLocator('iframe').getByText('The new words').waitFor()
  await page.getByRole('button', { name: 'Restore' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Restore' }).click()
  await page.frameLocator('iframe').getByText('The old words').waitFor()
  expect(Object((await service.call('GET', `/templates/${id}`)).body).html).toBe('<p>The old words</p>')
  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('heading', { level: 1, name: 'Templates' }).waitFor()
  expect((await service.call('GET', `/templates/${id}`)).status).toBe(404)
})
