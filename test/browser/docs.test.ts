import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestService, type TestService } from '../support/service.ts'
import { launchBrowser, openWatched, screenshot } from './browser.ts'

let service: TestService
let browser: Browser

beforeAll(async () => {
  service = await startTestService()
  browser = await launchBrowser()
})
afterAll(async () => {
  await browser.close()
  await service.close()
})

type Document = { paths: Record<string, Record<string, { operationId: string; summary: string; tags: [string] }>> }

async function authorise(page: Page, token: string): Promise<void> {
  await page.getByRole('button', { name: 'Authorize' }).first().click()
  await page.locator('.auth-container input').fill(token)
  await page.locator('.auth-btn-wrapper').getByRole('button', { name: 'Apply credentials' }).click()
  await page.locator('.auth-btn-wrapper').getByRole('button', { name: 'Close' }).click()
}

async function open(page: Page, operationId: string): Promise<Locator> {
  const block = page.locator(`.opblock:has(a[href$="/${operationId}"])`)
  await block.locator('.opblock-summary-control').click()
  return block
}

/** Presses Execute; answers the status and body that the page shows. */
async function execute(block: Locator): Promise<{ status: string; body: unknown }> {
  await block.getByRole('button', { name: 'Execute' }).click()
  const answer = block.locator('.live-responses-table .response')
  const [status, body] = await Promise.all([
    answer.locator('.response-col_status').textContent(),
    answer.locator('.highlight-code code').first().textContent(),
  ])
  return { status: status?.trim() ?? '', body: JSON.parse(body ?? '') }
}

const tryOut = async (page: Page, operationId: string) => execute(await open(page, operationId))

describe('/docs', () => {
  it('shows every operation, and runs them with the key and the example that it proposes', { timeout: 60_000 }, async () => {
    const { body } = await service.call('GET', '/openapi.json', { token: null })
    const operations = Object.values((body as Document).paths).flatMap((item) => Object.values(item))
    const { page, errors, strayRequests } = await openWatched(browser, { origin: service.url })

    await page.goto(`${service.url}/docs`)
    await page.locator('.opblock').first().waitFor()
    expect(await page.locator('.opblock-summary-description').allInnerTexts()).toEqual(operations.map(({ summary }) => summary))
    await screenshot(page, 'docs')

    await authorise(page, service.token)
    const listed = await tryOut(page, 'api-keys.list')
    expect(listed.status).toBe('200')
    expect(listed.body).toEqual((await service.call('GET', '/api-keys')).body)

    const sent = await tryOut(page, 'emails.send')
    expect(sent).toEqual({ status: '200', body: { id: expect.stringMatching(/^[0-9a-f-]{36}$/) } })
    const { id } = sent.body as { id: string }
    expect(await service.call('GET', `/emails/${id}`)).toMatchObject({ status: 200, body: { id, to: ['delivered@simulator.test'] } })
    await screenshot(page, 'docs-sent')

    expect({ errors, strayRequests }).toEqual({ errors: [], strayRequests: [] })
  })

  it('imports a plain file by a form in which nothing else was touched', { timeout: 60_000 }, async () => {
    const { page, errors } = await openWatched(browser, { origin: service.url })
    await page.goto(`${service.url}/docs`)
    await authorise(page, service.token)
    const block = await open(page, 'contacts.imports.create')
    const file = { name: 'contacts.csv', mimeType: 'text/csv', buffer: Buffer.from('email,first_name\nada@example.com,Ada\n') }
    await block.locator('input[type=file]').setInputFiles(file)

    expect(await execute(block)).toMatchObject({ status: '201', body: { object: 'contact_import' } })
    expect(errors).toEqual([])
  })

  it('shows the error of a call without a key', { timeout: 60_000 }, async () => {
    const { page, strayRequests } = await openWatched(browser, { origin: service.url })
    await page.goto(`${service.url}/docs`)

    const refused = await tryOut(page, 'logs.list')

    expect(refused).toMatchObject({ status: expect.stringContaining('401'), body: { statusCode: 401, name: 'missing_api_key' } })
    expect(strayRequests).toEqual([])
  })
})
