// The images of a team in the console: stored by a drop or a choice, shown with where they stand, chosen, deleted, and taken down by an operator.
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { ensureOperators } from '../../../src/modules/accounts/people/people.service.ts'
import { png, storeImage } from '../../support/builders/images.ts'
import { createTemplate } from '../../support/builders/templates.ts'
import { signIn } from '../../support/clients/console.ts'
import { signInPerson } from '../../support/clients/people.ts'
import { shared, startTestService } from '../../support/servers/service.ts'
import { browserOfWorker, closePages, leave } from '../browser.ts'
import { chooseAct, openApp } from './app.ts'
import { faultsOf } from './look.ts'

let browser: Browser
const service = shared(() => startTestService({ environment: { OPERATORS: 'olga@people.example', DELIVERY: 'capture' } }))
beforeAll(async () => {
  browser = await browserOfWorker()
  await ensureOperators(service.service.context)
})
afterAll(() => closePages(browser))

const images = async () => ((await service.call('GET', '/images')).body as { data: { id: string; name: string; url: string }[] }).data

it('stores an image, refuses what is none, shows where it stands, and deletes it', async () => {
  const { page, refused, strayRequests } = await openApp(browser, { origin: service.url, cookie: await signIn(service), path: '/images' })
  await page.getByText('There is no image yet.').waitFor()
  const file = page.locator('input[type="file"]')
  await file.setInputFiles({ name: 'summer.png', mimeType: 'image/png', buffer: png({ width: 200, height: 80 }) })
  await page.getByText('“summer” is stored').waitFor()
  await page.getByText('200 × 80').waitFor()
  expect(await faultsOf(page, 'images')).toEqual([])
  await file.setInputFiles({ name: 'words.txt', mimeType: 'text/plain', buffer: Buffer.from('words') })
  await page.getByText('Only one PNG, JPEG, GIF or WebP of at most 10 MB can be uploaded at a time.').waitFor()
  await file.setInputFiles({ name: 'trick.png', mimeType: 'image/png', buffer: Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>') })
  await page.getByText(/an SVG is not accepted/).waitFor()
  const [stored] = await images()
  if (!stored) throw new Error('The image was not stored')
  await service.call('PATCH', '/team', { body: { logo_id: stored.id } })
  await createTemplate(service, { html: `<img src="${stored.url}" alt="Summer">` })

  // Its name leads there too.
  await page
    .getByRole('listitem')
    .filter({ has: page.getByRole('link', { name: 'summer' }) })
    .getByRole('presentation')
    .click()
  await page.getByRole('heading', { level: 1, name: 'summer' }).waitFor()
  await page.getByText('No broadcast that was sent shows it.').waitFor()
  await page.getByText('1 template has it.').waitFor()
  await page.getByText('It is the logo of the team.').waitFor()
  expect(await faultsOf(page, 'image')).toEqual([])
  await chooseAct(page, 'Delete the image')
  const dialog = page.getByRole('dialog', { name: 'Delete the image' })
  await dialog.getByText('1 template has it.').waitFor()
  await dialog.getByText('It is the logo of the team, which then has none.').waitFor()
  await dialog.getByRole('button', { name: 'Delete the image' }).click()
  await page.getByText('There is no image yet.').waitFor()
  expect(await images()).toEqual([])
  expect(strayRequests).toEqual([])
  expect(refused).toEqual([])
  await leave(page)
})

it('is taken down by an operator, and the team reads why', async () => {
  const { id, url } = await storeImage(service, png(), { name: 'Bank' })
  const { cookie } = await signInPerson(service, 'olga')
  const { page, refused } = await openApp(browser, { origin: service.url, cookie, path: '/teams' })
  await page.getByRole('button', { name: 'Take an image down' }).click()
  const dialog = page.getByRole('dialog', { name: 'Take an image down' })
  await dialog.getByLabel('Address of the image').fill(`${url}x`)
  await dialog.getByLabel('Why').fill('It shows the login page of a bank.')
  await dialog.getByRole('button', { name: 'Take it down' }).click()
  await dialog
    .getByRole('alert')
    .getByText(/not found/i)
    .waitFor()
  await dialog.getByLabel('Address of the image').fill(url)
  expect(await faultsOf(page, 'image-takedown')).toEqual([])
  await dialog.getByRole('button', { name: 'Take it down' }).click()
  await page.getByText(/^The image of .+ is taken down$/).waitFor()
  expect(refused).toEqual([])
  await leave(page)

  const team = await openApp(browser, { origin: service.url, cookie: await signIn(service), path: `/images/${id}` })
  await team.page.getByRole('alert').getByText('It shows the login page of a bank.').waitFor()
  await leave(team.page)
})
