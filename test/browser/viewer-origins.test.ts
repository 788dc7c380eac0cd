// Opens both viewers of the document by other addresses than PUBLIC_URL, as someone does who maps a port or opens a tunnel.
import { connect, createServer, type Server, type Socket } from 'node:net'
import type { Browser, Response } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { shared, startTestService } from '../support/servers/service.ts'
import { browserOfWorker, closePages, leave, openWatched } from './browser.ts'

let browser: Browser
let mapped: Server
const sockets = new Set<Socket>()

const service = shared(() => startTestService({ environment: { PUBLIC_URL: 'https://mail.example.com' } }))
beforeAll(async () => {
  browser = await browserOfWorker()
  mapped = createServer((near) => {
    const far = connect(Number(new URL(service.url).port), '127.0.0.1')
    for (const socket of [near, far]) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        near.destroy()
        far.destroy()
        sockets.delete(socket)
      })
    }
    near.pipe(far).pipe(near)
  })
  await new Promise<void>((resolve) => mapped.listen(0, '127.0.0.1', resolve))
})
afterAll(async () => {
  await closePages(browser)
  for (const socket of sockets) socket.destroy()
  await new Promise((resolve) => mapped.close(resolve))
})

const ORIGINS: [string, () => string][] = [
  ['127.0.0.1', () => service.url],
  ['localhost', () => service.url.replace('127.0.0.1', 'localhost')],
  ['a mapped port', () => `http://127.0.0.1:${(mapped.address() as { port: number }).port}`],
]

const isListOfTopics = (response: Response): boolean => new URL(response.url()).pathname === '/topics'

// No error on the console: none of the policy of the page, and none of a call to another origin.
describe.each(ORIGINS)('opened by %s', (_name, originOf) => {
  it('/docs draws the document and calls an operation with a key', async () => {
    const origin = originOf()
    const { page, errors, strayRequests } = await openWatched(browser, { origin })
    await page.goto(`${origin}/docs`)
    await page.locator('.opblock').first().waitFor()
    await page.getByRole('button', { name: 'Authorize' }).first().click()
    await page.locator('#auth-bearer-value').fill(service.token)
    const buttons = page.locator('.auth-btn-wrapper').first()
    await buttons.getByRole('button', { name: 'Apply credentials' }).click()
    await buttons.getByRole('button', { name: 'Close' }).click()
    await page.locator('.operations-index a[href="#/Topics/topics.list"]').click()
    const block = page.locator('.opblock.is-open')
    const execute = block.getByRole('button', { name: 'Execute' })
    const [answered] = await Promise.all([page.waitForResponse(isListOfTopics), execute.click()])
    expect(answered.status()).toBe(200)
    await block.locator('.live-responses-table').getByText('"has_more": false').waitFor()
    expect({ errors, strayRequests }).toEqual({ errors: [], strayRequests: [] })
    await page.evaluate('sessionStorage.clear()')
    await leave(page)
  })

  it('/reference draws the document and calls an operation with a key', async () => {
    const origin = originOf()
    const { page, errors, strayRequests } = await openWatched(browser, { origin })
    await page.goto(`${origin}/reference#tag/topics/GET/topics`)
    const key = page.getByLabel('Bearer Token').first()
    await key.waitFor()
    // Only until the viewer has drawn.
    await page.locator('.operations-index').waitFor({ state: 'hidden' })
    await key.fill(service.token)

    await page.getByRole('button', { name: /Test Request.*get \/topics\)/ }).click()
    const send = page.getByRole('button', { name: /^Send/ }).first()
    const [answered] = await Promise.all([page.waitForResponse(isListOfTopics), send.click()])
    expect(answered.status()).toBe(200)
    await page.getByText('"has_more"').first().waitFor()
    expect({ errors, strayRequests }).toEqual({ errors: [], strayRequests: [] })
    await leave(page)
  })
})
