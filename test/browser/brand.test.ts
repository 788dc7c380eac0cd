// The pages that those who get its mail see, with the color of the team: whatever color that is, everything on them can be read.
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { png, storeImage } from '../support/builders/images.ts'
import { createContact, createPublicTopic, linkTo } from '../support/builders/topics.ts'
import { signIn } from '../support/clients/console.ts'
import { authorizeQuery, pkce, registerClient } from '../support/clients/oauth-client.ts'
import { shared, startTestService } from '../support/servers/service.ts'
import { violationsOn } from './axe.ts'
import { browserOfWorker, closePages, keepCookie, leave, openWatched, screenshot } from './browser.ts'
import { faintTexts } from './contrast.ts'

let browser: Browser
const service = shared(() => startTestService())
beforeAll(async () => {
  browser = await browserOfWorker()
})
afterAll(() => closePages(browser))

/** The first one is hard to read on white, the second one everywhere, and the last one is that of the sheet. */
const COLORS = ['#ffff00', '#767676', '#ffffff']
const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'

const REDIRECT = 'http://127.0.0.1/callback'

/** A page for each color, because a shared one is kept for a moment. */
async function pathsOf(color: string): Promise<string[]> {
  const unsubscribing = await linkTo(service, await createContact(service, `ada-${color.slice(1)}@example.com`))
  const body = { from: 'Acme <hello@example.com>', to: 'delivered@simulator.test', subject: 'Hello', text: 'Hello Ada.' }
  const { id } = (await service.call('POST', '/emails', { body })).body as { id: string }
  const { url } = (await service.call('POST', `/emails/${id}/share`, { body: {} })).body as { url: string }
  const { client_id: clientId = '' } = await registerClient(service, { client_name: 'Editor', redirect_uris: [REDIRECT] })
  const asking = `/oauth/authorize?${authorizeQuery(clientId, pkce().challenge, { redirect_uri: REDIRECT })}`
  return [unsubscribing, new URL(url).pathname, asking]
}

const LOOKS = [
  { colorScheme: 'light', width: 1280 },
  { colorScheme: 'dark', width: 320 },
] as const

async function expectReadable(page: Page, color: string, name: string): Promise<void> {
  for (const { colorScheme, width } of LOOKS) {
    await page.emulateMedia({ colorScheme })
    await page.setViewportSize({ width, height: 800 })
    const found = { faint: await page.evaluate(faintTexts), overflow: await page.evaluate(overflow) }
    expect({ color, name, ...found }).toEqual({ color, name, faint: [], overflow: 0 })
    await screenshot(page, `brand-${name}-${color.slice(1)}-${colorScheme}`)
  }
}

it('can be read in every color, by day and by night, on a phone and on a desktop', { timeout: 240_000 }, async () => {
  await createPublicTopic(service, { name: 'Product news', description: 'What is new, once a month.' })
  const { page, errors } = await openWatched(browser, { origin: service.url })
  await keepCookie(page.context(), { origin: service.url, cookie: await signIn(service) })
  const logo = await storeImage(service, png({ width: 400, height: 80 }))
  for (const color of COLORS) {
    await service.call('PATCH', '/team', { body: { name: 'Analytical Engines of Great Britain', color, logo_id: logo.id } })
    for (const [index, path] of (await pathsOf(color)).entries()) {
      const name = ['unsubscribe', 'share', 'consent'][index] ?? ''
      await page.goto(`${service.url}${path}`)
      expect(await page.locator('.brand, .brand-mark').count()).toBe(1)
      // It is loaded, though the page may load nothing else.
      expect(await page.evaluate(`document.querySelector('.brand-logo').naturalWidth`)).toBe(400)
      await expectReadable(page, color, name)
      // No script runs on the page of unsubscribing, not even that of axe.
      if (color === '#ffff00' && name !== 'unsubscribe') expect(await violationsOn(page)).toEqual([])
    }
  }
  expect(errors).toEqual([])
  await leave(page)
})
