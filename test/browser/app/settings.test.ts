// How a team shows itself, in the console: its name, its color and its logo, with a page as those who get its mail see it.
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createReceivingDomain } from '../../support/builders/domains.ts'
import { png } from '../../support/builders/images.ts'
import { signIn } from '../../support/clients/console.ts'
import { shared, startTestService } from '../../support/servers/service.ts'
import { browserOfWorker, closePages, leave } from '../browser.ts'
import { openApp } from './app.ts'
import { faultsOf } from './look.ts'

let browser: Browser
const service = shared(() => startTestService())
beforeAll(async () => {
  browser = await browserOfWorker()
})
afterAll(() => closePages(browser))

const team = async () => (await service.call('GET', '/team')).body as { logo_id: string | null }

it('gives the team a name, a color and a logo, and shows a page with them', async () => {
  await createReceivingDomain(service, service.teamId, 'acme.example')
  const { page, refused, strayRequests } = await openApp(browser, { origin: service.url, cookie: await signIn(service), path: '/settings' })
  await page.getByText('@acme.example').waitFor()
  await page.getByLabel('Name').fill('Analytical Engines')
  await page.getByLabel('Color').fill('#ffdd00')
  const preview = page.getByRole('group', { name: 'A page of your team' })
  await preview.getByText('Analytical Engines').waitFor()
  // The choice of colors lies over the button.
  await page.getByLabel('Color').press('Enter')
  await page.getByText('The settings are saved').waitFor()
  await page.getByLabel('Name').focus()
  expect(await team()).toMatchObject({ name: 'Analytical Engines', color: '#ffdd00' })

  await page.getByRole('button', { name: 'Choose a logo' }).click()
  const picker = page.getByRole('dialog', { name: 'Choose an image' })
  const file = picker.locator('input[type="file"]')
  await file.setInputFiles({ name: 'logo.png', mimeType: 'image/png', buffer: png({ width: 200, height: 40 }) })
  await page.getByText('The logo is shown from now on').waitFor()
  await preview.locator('img').waitFor()
  expect((await team()).logo_id).not.toBeNull()
  expect(await faultsOf(page, 'settings')).toEqual([])

  await page.getByRole('button', { name: 'Choose a logo' }).click()
  await file.setInputFiles({
    name: 'logo.png',
    mimeType: 'image/png',
    buffer: Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"></svg>'),
  })
  await page.getByText(/an SVG is not accepted/).waitFor()
  expect(await faultsOf(page, 'image-picker')).toEqual([])
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Remove the logo' }).click()
  await page.getByText('The logo is no longer shown').waitFor()
  expect((await team()).logo_id).toBeNull()
  // One that is there already.
  await page.getByRole('button', { name: 'Choose a logo' }).click()
  await picker.getByRole('button', { name: 'Use logo' }).click()
  await expect.poll(async () => (await team()).logo_id).not.toBeNull()
  expect(strayRequests).toEqual([])
  expect(refused.length).toBeLessThanOrEqual(1)
  await leave(page)
})
