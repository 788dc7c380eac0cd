// Files of contacts in the console: which rows were refused, why and with what values, and an import that is canceled.
import { readFile } from 'node:fs/promises'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { sendImport, startImporting } from '../../support/builders/contact-imports.ts'
import { signIn } from '../../support/clients/console.ts'
import { shared, startTestService } from '../../support/servers/service.ts'
import { browserOfWorker, closePages, leave } from '../browser.ts'
import { openApp } from './app.ts'
import { faultsOf } from './look.ts'

let browser: Browser
// Its worker begins when a test says so.
const service = shared(() => startTestService({ environment: { ROLES: 'api' } }))
beforeAll(async () => {
  browser = await browserOfWorker()
})
afterAll(() => closePages(browser))

const open = async (path: string) => openApp(browser, { origin: service.url, cookie: await signIn(service), path, width: 1440 })

const THREE_BAD_ROWS = `E-mail,Name,Age
ada@example.com,Ada,36
not an address,Bob,41
carol@example.com,Carol,old
dan@example.com
grace@example.com,Grace,50
`

it('brings in a file with three bad rows, and shows which, why and what they said, also as a file', async () => {
  await service.call('POST', '/contact-properties', { body: { key: 'age', type: 'number' } })
  const { page, refused } = await open('/imports/new')
  await page.locator('input[type="file"]').setInputFiles({ name: 'people.csv', mimeType: 'text/csv', buffer: Buffer.from(THREE_BAD_ROWS) })
  await expect.poll(() => page.getByRole('combobox', { name: 'Age' }).inputValue()).toBe('age')
  await page.getByRole('button', { name: 'Import the contacts' }).click()
  await page.getByRole('heading', { level: 1, name: 'people.csv' }).waitFor()
  const worker = startImporting(service)
  const rows = page.getByRole('table', { name: 'Refused rows' })
  await rows.getByRole('row', { name: /^3 .*must be.*not an address.*Bob/ }).waitFor()
  await rows.getByRole('row', { name: /^4 .*number.*carol@example.com.*old/ }).waitFor()
  await rows.getByRole('row', { name: /^5 .*1 column.*dan@example.com/ }).waitFor()
  await worker.stop()
  expect(await faultsOf(page, 'import-refused')).toEqual([])
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name: 'Download them as CSV' }).click()])
  const text = await readFile(await download.path(), 'utf8')
  expect(text.split('\r\n').slice(0, 2)).toEqual([
    'line,reason,E-mail,Name,Age',
    '3,The column `E-mail` must be an address such as `name@example.com`.,not an address,Bob,41',
  ])
  expect((await service.call('GET', '/contacts')).body).toMatchObject({
    data: [{ email: 'grace@example.com' }, { email: 'ada@example.com' }],
  })
  expect(refused).toEqual([])
  await leave(page)
})

it('says at its field what is refused of a file', async () => {
  const { page } = await open('/imports/new')
  const file = page.locator('input[type="file"]')
  const csv = (text: string) => ({ name: 'people.csv', mimeType: 'text/csv', buffer: Buffer.from(text) })
  await file.setInputFiles(csv('Name,Age\nAda,36\n'))
  await page.getByRole('button', { name: 'Import the contacts' }).click()
  const chosen = page.getByRole('button', { name: 'CSV file' })
  await expect.poll(() => chosen.getAttribute('aria-invalid')).toBe('true')
  await page.getByText('must have a header line with a column').waitFor()
  await file.setInputFiles(csv('E-mail,Name\nada@example.com,Ada\n'))
  await page.getByText('must have a header line with a column').waitFor({ state: 'detached' })
  const name = page.getByRole('textbox', { name: /segment/ })
  await name.fill('x'.repeat(300))
  await page.getByRole('button', { name: 'Import the contacts' }).click()
  await expect.poll(() => name.getAttribute('aria-invalid')).toBe('true')
  expect(await faultsOf(page, 'import-refusal')).toEqual([])
  await leave(page)
})

it('cancels an import that runs, and says that what was imported stays', async () => {
  const { body } = await sendImport(service, { file: 'email\nfirst@example.net\nsecond@example.net\n' })
  const { id } = body as { id: string }
  // The state after the first batch.
  await service.database.execute("update contact_imports set status = 'in_progress', total = 1, created = 1 where id = $1", [id])
  const { page, refused } = await open(`/imports/${id}`)
  await page.getByRole('heading', { level: 1, name: /^Import of/ }).waitFor()
  await page.getByRole('progressbar').waitFor()
  expect(await faultsOf(page, 'import-running')).toEqual([])
  await page.getByRole('button', { name: 'Cancel the import' }).click()
  const dialog = page.getByRole('dialog', { name: 'Cancel the import' })
  await dialog.getByText('Contacts who were imported already stay').waitFor()
  await dialog.getByRole('button', { name: 'Cancel the import' }).click()
  await page.getByText('The rows that are counted were imported and stay').waitFor()
  await page.getByText('Canceled', { exact: true }).waitFor()
  expect(await page.getByRole('button', { name: 'Cancel the import' }).count()).toBe(0)
  expect(await service.call('GET', `/contacts/imports/${id}`)).toMatchObject({ body: { status: 'canceled', counts: { total: 1 } } })
  await page.getByRole('link', { name: '← Imports' }).click()
  await page.getByRole('row', { name: /^\(no name\) .*Canceled 1 1/ }).waitFor()
  await page.getByRole('row', { name: /^people\.csv .*Completed 5 2/ }).waitFor()
  expect(await faultsOf(page, 'imports')).toEqual([])
  expect(refused).toEqual([])
  await leave(page)
  // An import that has ended is not read.
  const worker = startImporting(service)
  await worker.stop()
  expect((await service.call('GET', '/contacts/second@example.net')).status).toBe(404)
})
