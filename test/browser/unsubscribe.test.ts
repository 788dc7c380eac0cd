import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createContact, createPublicTopic, isUnsubscribed, linkTo, subscriptions } from '../support/builders/topics.ts'
import { until } from '../support/clocks/until.ts'
import { shared, startTestService } from '../support/servers/service.ts'
import { browserOfWorker, closePages, screenshot } from './browser.ts'

let browser: Browser
let contact: string
let people = 0
/** Keyed by what they cannot change later. Opening one costs more than most tests of it. */
const pages = new Map<string, Page>()
/** What a page should not have: errors on the console, requests to elsewhere. */
const complaints: string[] = []

const service = shared(() => startTestService())
beforeAll(async () => {
  browser = await browserOfWorker()
})
beforeEach(async () => {
  people += 1
  await service.database.execute('delete from topics')
  contact = await createContact(service, `anna${people}@example.com`)
})
afterEach(() => {
  expect(complaints.splice(0)).toEqual([])
})
afterAll(() => closePages(browser))

/** Scripts are off for the page, but the test can still query it. */
async function open(
  path: string,
  { viewport = { width: 1280, height: 800 }, colorScheme = 'light', forcedColors = 'none', ...options }: BrowserContextOptions = {},
): Promise<Page> {
  const page = await pageWith({ locale: 'en-US', ...options })
  if (viewport) await page.setViewportSize(viewport)
  await page.emulateMedia({ colorScheme, forcedColors })
  await page.goto(`${service.url}${path}`)
  return page
}

async function pageWith(options: BrowserContextOptions): Promise<Page> {
  const key = JSON.stringify(options)
  const known = pages.get(key)
  if (known) return known
  const context = await browser.newContext({ javaScriptEnabled: false, ...options })
  const page = await context.newPage()
  pages.set(key, page)
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text())
  })
  page.on('request', (request) => {
    if (!request.url().startsWith(`${service.url}/unsubscribe/`) && !request.url().startsWith('data:')) complaints.push(request.url())
  })
  return page
}

const overflow = (page: Page) => page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')

const stateOf = async () => ({ unsubscribed: await isUnsubscribed(service, contact), topics: await subscriptions(service, contact) })

async function createTopics(): Promise<void> {
  await createPublicTopic(service, { name: 'Product news', description: 'What is new, once a month.' })
  await createPublicTopic(service, { name: 'Offers', default_subscription: 'opt_out' })
}

describe('without scripts', () => {
  it('is worked by keyboard alone: switches, save, leave, come back', async () => {
    await createTopics()
    const page = await open(await linkTo(service, contact))
    const press = async (...keys: string[]) => {
      for (const key of keys) await page.keyboard.press(key)
    }

    // Offers on, Product news off, Save.
    await press('Tab', 'Space', 'Tab', 'Space', 'Tab', 'Enter')
    await page.getByRole('status').getByText('Your choice has been saved.').waitFor()
    expect(await stateOf()).toEqual({ unsubscribed: false, topics: { Offers: 'opt_in', 'Product news': 'opt_out' } })
    expect(await page.getByRole('switch', { name: 'Offers' }).isChecked()).toBe(true)

    await press('Tab', 'Tab', 'Tab', 'Tab', 'Enter')
    await page.getByRole('heading', { name: 'You are unsubscribed' }).waitFor()
    expect((await stateOf()).unsubscribed).toBe(true)

    await press('Tab', 'Enter')
    await page.getByRole('switch', { name: 'Product news' }).waitFor()
    expect(await stateOf()).toEqual({ unsubscribed: false, topics: { Offers: 'opt_in', 'Product news': 'opt_out' } })
  })

  it('lets who switched off a private topic by a slip of the finger switch it on again', async () => {
    await createTopics()
    await createPublicTopic(service, { name: 'For members', description: 'Only for you.', visibility: 'private' })
    for (const width of [1280, 320]) {
      const page = await open(await linkTo(service, contact), { viewport: { width, height: 700 } })
      const member = page.getByRole('switch', { name: 'For members' })
      const save = () => Promise.all([page.waitForEvent('load'), page.getByRole('button', { name: 'Save' }).click()])
      await member.click()
      await save()
      expect(await member.isChecked()).toBe(false)
      expect(await overflow(page)).toBe(0)
      await screenshot(page, `unsubscribe-private-off-at-${width}`)
      expect((await stateOf()).topics).toMatchObject({ 'For members': 'opt_out' })

      await member.click()
      await save()
      expect(await member.isChecked()).toBe(true)
      expect((await stateOf()).topics).toMatchObject({ 'For members': 'opt_in' })
    }
  })

  it('saves by Enter on a switch, and does nothing again when the page is reloaded', async () => {
    await createTopics()
    const page = await open(await linkTo(service, contact))
    await page.getByText('Product news').click()
    await page.getByRole('switch', { name: 'Product news' }).press('Enter')
    await page.getByRole('status').waitFor()
    const before = await service.database.execute('select id from notifications order by id')
    await page.reload()
    expect(await page.getByRole('switch', { name: 'Product news' }).isChecked()).toBe(false)
    expect(await service.database.execute('select id from notifications order by id')).toEqual(before)
  })

  it('takes a double click for one, also where the next page has its button at the same place', async () => {
    const page = await open(await linkTo(service, contact))
    await page.getByRole('button', { name: 'Unsubscribe from everything' }).dblclick()
    await page.getByRole('heading', { name: 'You are unsubscribed' }).waitFor()
    expect((await stateOf()).unsubscribed).toBe(true)

    const clicksAt = (ms: number) =>
      page.evaluate(
        `document.getAnimations()[0].pause(), document.getAnimations()[0].currentTime = ${ms}, getComputedStyle(document.querySelector('button')).pointerEvents`,
      )
    // A look that is late finds no animation.
    await until(async () => {
      await page.goto(page.url())
      expect([await clicksAt(0), await clicksAt(999)]).toEqual(['none', 'none'])
    })
    await page.goto(page.url())
    await page.getByRole('button', { name: 'Subscribe again' }).click()
    await page.getByRole('heading', { name: 'Your email preferences' }).waitFor()
  })

  it('lets who left one topic by a click choose the rest', async () => {
    const news = await createPublicTopic(service, { name: 'News' })
    const path = await linkTo(service, contact, news)
    await fetch(`${service.url}${path}`, { method: 'POST', body: new URLSearchParams({ 'List-Unsubscribe': 'One-Click' }) })
    const page = await open(path)
    expect(await page.getByRole('switch', { name: 'News' }).isChecked()).toBe(false)
  })
})

it('tells assistive technology what everything is', async () => {
  await createTopics()
  const page = await open(`${await linkTo(service, contact)}?saved=1`)
  expect(await page.locator('body').ariaSnapshot()).toBe(
    `- main:
  - paragraph:
    - text: Mail from
    - strong: Team of the test
  - heading "Your email preferences" [level=1]
  - status: Your choice has been saved.
  - paragraph:
    - text: "Email address:"
    - strong: a***@example.com
  - group "What would you like to receive?":
    - text: What would you like to receive?
    - list:
      - listitem:
        - switch "Offers"
        - text: Offers
      - listitem:
        - switch "Product news" [checked]
        - text: Product news
        - paragraph: What is new, once a month.
  - button "Save"
  - region "No more mail at all?":
    - heading "No more mail at all?" [level=2]
    - paragraph: Messages about something that you did yourself, such as a receipt or a new password, can still reach you.
    - button "Unsubscribe from everything"`,
  )
  expect(await page.title()).toBe('Your choice has been saved. Your email preferences')
  const description = await page.getByRole('switch', { name: 'Product news' }).getAttribute('aria-describedby')
  expect(await page.locator(`[id="${description}"]`).textContent()).toBe('What is new, once a month.')
})

describe.each([
  {
    language: 'en',
    locale: 'en-GB',
    save: 'Save',
    leave: 'Unsubscribe from everything',
    left: 'You are unsubscribed',
    back: 'Subscribe again',
  },
  { language: 'de', locale: 'de-DE', save: 'Speichern', leave: 'Von allem abmelden', left: 'Sie sind abgemeldet', back: 'Wieder anmelden' },
  {
    language: 'fr',
    locale: 'fr-FR',
    save: 'Enregistrer',
    leave: 'Se désabonner de tout',
    left: 'Votre désabonnement est enregistré',
    back: 'Se réabonner',
  },
  {
    language: 'es',
    locale: 'es-MX',
    save: 'Guardar',
    leave: 'Darse de baja de todo',
    left: 'Su baja se ha registrado',
    back: 'Volver a suscribirse',
  },
])('in $language', ({ language, locale, save, leave, left, back }) => {
  it.each([
    { device: 'desktop', width: 1280, colorScheme: 'light' as const },
    { device: 'phone', width: 390, colorScheme: 'dark' as const },
    { device: 'small-phone', width: 320, colorScheme: 'light' as const },
  ])('fits on a $device', async ({ device, width, colorScheme }) => {
    await createTopics()
    await createPublicTopic(service, { name: 'Donaudampfschifffahrtsgesellschaftskapitän', description: 'x'.repeat(200) })
    await createPublicTopic(service, { name: 'نشرة الأخبار', description: 'كل ما هو جديد' })
    const path = await linkTo(service, contact)
    const page = await open(path, { locale, colorScheme, viewport: { width, height: 700 } })

    expect(await page.locator('html').getAttribute('lang')).toBe(language)
    expect(await overflow(page)).toBe(0)
    await page.getByRole('button', { name: save }).click()
    await page.getByRole('status').waitFor()
    expect(await overflow(page)).toBe(0)
    await screenshot(page, `unsubscribe-${language}-on-${device}`)

    await page.getByRole('button', { name: leave }).click()
    await page.getByRole('heading', { name: left }).waitFor()
    await page.getByRole('button', { name: back }).waitFor()
    expect(await overflow(page)).toBe(0)
    await screenshot(page, `unsubscribe-left-${language}-on-${device}`)
  })
})

describe.each([{ colorScheme: 'light' as const }, { colorScheme: 'dark' as const }])('in the $colorScheme', ({ colorScheme }) => {
  it('has a contrast of 4.5 in every text and of 3 in every switch', async () => {
    await createTopics()
    const page = await open(`${await linkTo(service, contact)}?saved=1`, { colorScheme })
    const texts = await page.evaluate<Contrast[]>(`(${contrasts})('h1, legend, h2, p, label, button, strong', 'color')`)
    const switches = await page.evaluate<Contrast[]>(`(${contrasts})('[role=switch]', 'backgroundColor')`)
    expect(texts.length).toBeGreaterThan(10)
    expect(texts.filter(({ ratio }) => ratio < 4.5)).toEqual([])
    expect(switches.length).toBe(2)
    expect(switches.filter(({ ratio }) => ratio < 3)).toEqual([])
  })
})

it('fits when everything is twice as large', async () => {
  await createTopics()
  // A zoom of 200 % halves the pixels of CSS that a window of 640 has.
  const page = await open(await linkTo(service, contact), { viewport: { width: 320, height: 400 }, deviceScaleFactor: 2 })
  expect(await overflow(page)).toBe(0)
  for (const name of ['Save', 'Unsubscribe from everything']) {
    const box = await page.getByRole('button', { name }).boundingBox()
    expect(box?.height).toBeGreaterThanOrEqual(44)
  }
})

it('shows where the focus is, and what is switched on in colors that the reader forces', async () => {
  await createTopics()
  const page = await open(await linkTo(service, contact), { forcedColors: 'active' })
  expect(await page.evaluate("getComputedStyle(document.querySelector('[role=switch]')).appearance")).toBe('auto')
  for (let stop = 0; stop < 4; stop += 1) {
    await page.keyboard.press('Tab')
    expect(await page.evaluate('getComputedStyle(document.activeElement).outlineStyle')).toBe('solid')
  }
  await screenshot(page, 'unsubscribe-forced-colors')
})

it.each([
  { how: 'not complete', status: 403, broken: (path: string) => path.slice(0, -1) },
  { how: 'no text', status: 403, broken: () => '/unsubscribe/%00%ff' },
  { how: 'much too long', status: 431, broken: (path: string) => path + 'x'.repeat(30_000) },
  { how: 'without its end', status: 404, broken: () => '/unsubscribe/' },
])('says politely that a link is $how', async ({ how, status, broken }) => {
  const path = await linkTo(service, contact)
  for (const width of [1280, 320]) {
    const page = await open(path, { viewport: { width, height: 700 } })
    const response = await page.goto(`${service.url}${broken(path)}`)
    expect(response?.status()).toBe(status)
    // The browser reports the status of the page itself.
    expect(complaints.splice(0).join()).toContain(String(status))
    await page.getByRole('heading', { name: 'This link does not work' }).waitFor()
    expect(await overflow(page)).toBe(0)
    await screenshot(page, `unsubscribe-link-${how.replaceAll(' ', '-')}-at-${width}`)
  }
})

it.each([1280, 320])('lets an address without a contact leave a topic, everything, and come back at a width of %i', async (width) => {
  await createTopics()
  const path = await linkTo(service, contact)
  await service.call('DELETE', `/contacts/${contact}`)
  const page = await open(path, { viewport: { width, height: 700 } })
  await page.getByRole('heading', { name: 'Your email preferences' }).waitFor()
  await page.getByText('Product news').click()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('status').getByText('Your choice has been saved.').waitFor()
  expect(await page.getByRole('switch').count()).toBe(1)
  expect(await page.getByRole('switch', { name: 'Product news' }).isChecked()).toBe(false)
  expect(await overflow(page)).toBe(0)
  await screenshot(page, `unsubscribe-without-contact-at-${width}`)

  await page.getByRole('button', { name: 'Unsubscribe from everything' }).click()
  await page.getByRole('heading', { name: 'You are unsubscribed' }).waitFor()
  expect(await overflow(page)).toBe(0)
  await screenshot(page, `unsubscribe-left-without-contact-at-${width}`)
  await page.getByRole('button', { name: 'Subscribe again' }).click()
  await page.getByRole('heading', { name: 'Your email preferences' }).waitFor()
  expect(await page.getByRole('switch', { name: 'Product news' }).isChecked()).toBe(false)
})

type Contrast = { text: string; ratio: number }

/** Runs in the page: the contrast (WCAG 2.2, relative luminance) of a color of each element against its background. */
const contrasts = `(selector, property) => {
  const parse = (color) => (color.match(/[\\d.]+/g) ?? []).map(Number)
  const luminance = (color) => {
    const [r, g, b] = parse(color).map((value) => { const part = value / 255; return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4 })
    return 0.2126 * r + 0.7152 * g + 0.0722 * b
  }
  const isClear = (color) => parse(color)[3] === 0
  const behind = (element) => { const color = getComputedStyle(element).backgroundColor; return isClear(color) ? behind(element.parentElement) : color }
  return [...document.querySelectorAll(selector)].map((element) => {
    const [a, b] = [getComputedStyle(element)[property], behind(property === 'color' ? element : element.parentElement)].map(luminance)
    return { text: element.textContent || element.id, ratio: (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05) }
  })
}`
