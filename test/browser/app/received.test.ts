// Received mail in the console: reading it, and answering in its thread.
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { RECEIVED_MESSAGE, receiveEmail } from '../../support/builders/received-emails.ts'
import { signIn } from '../../support/clients/console.ts'
import { shared, startTestService } from '../../support/servers/service.ts'
import { violationsOn } from '../axe.ts'
import { browserOfWorker, closePages, screenshot } from '../browser.ts'
import { chooseAct, openApp } from './app.ts'
import { faultsOf } from './look.ts'

let browser: Browser
const service = shared(() => startTestService())
beforeAll(async () => {
  browser = await browserOfWorker()
})
afterAll(() => closePages(browser))

it('shows a message in its frame with its own images, and sends a reply in its thread', async () => {
  await receiveEmail(service, { content: RECEIVED_MESSAGE.replace('Subject:', 'References: <zero@example.org>\r\nSubject:') })
  const { page, refused } = await openApp(browser, { origin: service.url, cookie: await signIn(service), path: '/received' })
  await page.getByRole('cell', { name: 'Grüße' }).waitFor()
  expect(await violationsOn(page)).toEqual([])
  await screenshot(page, 'app-received')
  await page.getByRole('link', { name: 'Grüße' }).click()
  const frame = page.frameLocator('iframe[title="Message"]')
  await frame.getByText('Hello').waitFor()
  expect(await frame.locator('img').getAttribute('src')).not.toContain('cid:')
  await page.getByRole('link', { name: 'invoice.pdf' }).waitFor()
  expect(await faultsOf(page, 'received-email')).toEqual([])

  await page.getByRole('button', { name: 'Reply' }).click()
  const dialog = page.getByRole('dialog')
  await expect.poll(() => dialog.getByLabel('From').inputValue()).toBe('support@example.com')
  expect(await dialog.getByRole('textbox', { name: 'To', exact: true }).inputValue()).toBe('answers@example.org')
  await dialog.getByRole('textbox', { name: 'Message' }).fill('Thank you.')
  expect(await violationsOn(page)).toEqual([])
  await screenshot(page, 'app-received-reply')
  await dialog.getByRole('button', { name: 'Send the reply' }).click()
  await page.getByRole('heading', { level: 1, name: 'Re: Grüße' }).waitFor()
  const [sent] = await service.database.execute<{ headers: Record<string, string>; text: string }>(
    `select headers, text from emails where subject = 'Re: Grüße'`,
  )
  expect(sent?.headers).toEqual({ 'In-Reply-To': '<one@example.org>', References: '<zero@example.org> <one@example.org>' })
  expect(sent?.text).toContain('> Hello')
  expect(refused).toEqual([])
})

it('finds a message by its sender, and deletes it for the whole team, after a question', async () => {
  const content = 'From: lost@found.example\r\nSubject: Lost\r\n\r\nHi'
  const id = await receiveEmail(service, { content })
  await receiveEmail(service, { content: content.replace('lost@', 'other@').replace('Lost', 'Other') })
  const { page } = await openApp(browser, { origin: service.url, cookie: await signIn(service), path: '/received' })
  await page.getByRole('link', { name: 'Other' }).waitFor()
  await page.getByLabel('Address of the sender').fill('lost@found.example')
  await page.getByRole('link', { name: 'Other' }).waitFor({ state: 'detached' })
  await page.getByRole('link', { name: 'Lost' }).click()
  await chooseAct(page, 'Delete')
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await page.getByText('The email was deleted').waitFor()
  expect((await service.call('GET', `/emails/receiving/${id}`)).status).toBe(404)
})
