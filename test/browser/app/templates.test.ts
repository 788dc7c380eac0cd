// A template in the console: written, published, changed, and brought back.
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createTemplate, publishedTemplate } from '../../support/builders/templates.ts'
import { signIn } from '../../support/clients/console.ts'
import { shared, startTestService } from '../../support/servers/service.ts'
import { browserOfWorker, closePages } from '../browser.ts'
import { chooseAct, openApp } from './app.ts'
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
  await createTemplate(service, { name: 'Confirmation', html: '<p>Hello</p>' })
  await page.getByRole('textbox', { name: 'Name' }).fill('Confirmation')
  await page.getByText('Another template has this name already.').waitFor()
  await page.getByRole('textbox', { name: 'Name' }).fill('Order confirmation')
  await page.getByText('Another template has this name already.').waitFor({ state: 'detached' })
  await page.getByRole('textbox', { name: 'Subject' }).fill('{{{PRODUCT}}} is on its way')
  await page.getByRole('tab', { name: 'Own HTML' }).click()
  await page
    .getByRole('textbox', { name: 'Own HTML' })
    .fill('<h1>Thank you</h1><p>{{{PRODUCT}}} comes on {{{DAY|Monday}}}, {{{contact.first_name|you}}}.</p>')
  await page.getByRole('button', { name: 'Add those of the content: PRODUCT, DAY' }).click()
  await page.getByRole('textbox', { name: 'Fallback' }).nth(1).fill('Tuesday')
  await page.frameLocator('iframe').getByText('{{{PRODUCT}}} comes on').waitFor()
  expect(await faultsOf(page, 'template-new')).toEqual([])
  const from = page.getByRole('combobox', { name: 'From' })
  await from.fill('no address')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect.poll(() => from.getAttribute('aria-invalid')).toBe('true')
  await expect.poll(() => from.and(page.locator(':focus')).count()).toBe(1)
  await from.fill('')
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
  const { page } = await open('/templates')
  const row = page.getByRole('row', { name: /Welcome/ })
  await row.getByText('Newer draft').waitFor()
  await row.getByRole('link').click()
  await page.frameLocator('iframe').getByText('The new words').waitFor()
  await service.call('PATCH', `/templates/${id}`, { body: { subject: 'Good day' } })
  // Who publishes their own change publishes those of others with it.
  await page.getByRole('button', { name: 'Publish' }).click()
  const question = page.getByRole('dialog', { name: 'Publish' })
  await question.getByText('everything that was saved in 2 versions').waitFor()
  await expect.poll(() => question.getByRole('listitem').allTextContents()).toEqual(['Subject', 'Content'])
  await question.getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('button', { name: 'Restore' }).last().click()
  // Most want nothing else: what was published until then is what they take back.
  expect(
    await page
      .getByRole('dialog')
      .getByRole('checkbox', { name: /^Publish it too/ })
      .isChecked(),
  ).toBe(true)
  await page.getByRole('dialog').getByRole('button', { name: 'Restore' }).click()
  await page.frameLocator('iframe').getByText('The old words').waitFor()
  const restored = await service.call('GET', `/templates/${id}`)
  expect(restored.body).toMatchObject({ html: '<p>The old words</p>', has_unpublished_versions: false })
  await chooseAct(page, 'Delete')
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('heading', { level: 1, name: 'Templates' }).waitFor()
  expect((await service.call('GET', `/templates/${id}`)).status).toBe(404)
})
