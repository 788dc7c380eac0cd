import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { SECTION_GROUPS } from '../../src/modules/console/app/section-links.ts'
import { WEBHOOK_EVENT_TYPES } from '../../src/modules/webhooks/webhooks.schema.ts'
import { signIn } from '../support/clients/console.ts'
import { shared, startTestService } from '../support/servers/service.ts'
import { violationsOn } from './axe.ts'
import { browserOfWorker, closePages, openWatched, screenshot } from './browser.ts'

let browser: Browser

const service = shared(() => startTestService())
beforeAll(async () => {
  browser = await browserOfWorker()
})
afterAll(() => closePages(browser))

type Operation = { operationId: string; summary: string; responses: Record<string, object> }

/** Operations that are measured: Swagger UI takes a second or more to open one. */
const LONGEST = 12

async function documentedOperations(): Promise<Operation[]> {
  const { body } = await service.call('GET', '/openapi.json', { token: null })
  return Object.values((body as { paths: Record<string, Record<string, Operation>> }).paths).flatMap((item) => Object.values(item))
}

/** Waits for what Swagger UI draws only after it has read the document. */
async function openDocs(page: Page): Promise<void> {
  await page.goto(`${service.url}/docs`)
  await page.locator('.opblock').first().waitFor()
}

async function authorize(page: Page, token: string): Promise<void> {
  await page.getByRole('button', { name: 'Authorize' }).first().click()
  // The first of two ways; the other is that of programs.
  await page.locator('#auth-bearer-value').fill(token)
  const buttons = page.locator('.auth-btn-wrapper').first()
  await buttons.getByRole('button', { name: 'Apply credentials' }).click()
  await buttons.getByRole('button', { name: 'Close' }).click()
}

/** Swagger UI draws only the operations that are on the screen. Scrolls down from the beginning to the end, and looks at each screen. */
async function onEachScreen(page: Page, look: () => Promise<void>): Promise<void> {
  let isEnd = false
  for (let screen = 0; !isEnd; screen += 1) {
    isEnd = await page.evaluate(`scrollTo(0, ${screen} * innerHeight); ${screen} * innerHeight >= document.documentElement.scrollHeight`)
    // Drawn in the frame after the one that was scrolled in.
    await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(resolve))))')
    await look()
  }
}

/** By its link, which finds it wherever it is. */
async function open(page: Page, operationId: string): Promise<Locator> {
  await page.locator(`.operations-index a[href$="/${operationId}"]`).dispatchEvent('click')
  const block = page.locator(`.opblock.is-open:has(a[href$="/${operationId}"])`)
  await block.waitFor()
  return block
}

/** What the page calls its operations, from its beginning to its end, and then its events, which it always draws. */
async function namesOn(page: Page): Promise<string[]> {
  const names = new Set<string>()
  await onEachScreen(page, async () => {
    for (const name of await page.locator('.opblock-summary-description:not(.webhooks *)').allInnerTexts()) names.add(name)
  })
  return [...names, ...(await page.locator('.webhooks .opblock-summary-description').allInnerTexts())]
}

/** Presses Execute, and returns the status and body that the page shows. */
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

// One page, because it takes seconds to draw. Without a key first, and then with one.
describe('/docs', () => {
  let watched: Awaited<ReturnType<typeof openWatched>>
  let page: Page

  beforeAll(async () => {
    watched = await openWatched(browser, { origin: service.url })
    page = watched.page
    await openDocs(page)
  })
  afterEach(() => {
    expect(watched).toMatchObject({ errors: [], strayRequests: [] })
  })

  it('begins with emails, has the models folded, and leads to the home page and the console', async () => {
    expect(await page.locator('.opblock-tag').first().getAttribute('data-tag')).toBe('Emails')
    expect(await page.locator('.models-control').getAttribute('aria-expanded')).toBe('false')
    expect(await page.locator('.model-container').count()).toBe(0)
    const links = await page.getByRole('banner').getByRole('link').all()
    expect(await Promise.all(links.map(async (link) => [await link.textContent(), await link.getAttribute('href')]))).toEqual([
      ['Posthaste', '/'],
      ['Console', '/console'],
      ['Docs', '/docs'],
    ])
  })

  it('has a link to every operation and event, which opens it wherever it is', async () => {
    const links = page.getByRole('navigation', { name: 'Operations' }).locator('li li a')
    const operations = await documentedOperations()
    expect((await links.allTextContents()).map((text) => text.replace(/ [A-Z]+ \/.*/, ''))).toEqual([
      ...operations.map(({ summary }) => summary),
      ...WEBHOOK_EVENT_TYPES,
    ])

    await links.filter({ hasText: 'POST /webhooks/{webhook_id}/replay' }).click()
    const block = page.locator('.opblock.is-open:has(a[href$="/webhooks.replay"])')
    await block.getByRole('button', { name: 'Execute' }).waitFor()
    await expect.poll(async () => (await block.boundingBox())?.y).toBeLessThan(800)
    await block.locator('.opblock-summary-control').click()
  })

  it('filters operations by any word of their names, paths and sections', async () => {
    await page.getByRole('textbox', { name: 'Filter by path, name or section' }).fill('contact unsubscribe-link')
    await expect.poll(() => page.locator('.opblock-summary-path:not(.webhooks *)').allTextContents()).toHaveLength(1)
    expect(await page.locator('.opblock-summary-path').first().textContent()).toContain('unsubscribe-link')
    await page.getByRole('textbox', { name: 'Filter by path, name or section' }).fill('')
    await expect.poll(() => page.locator('.opblock-tag').first().getAttribute('data-tag')).toBe('Emails')
  })

  it('shows samples of an operation', async () => {
    const block = await open(page, 'emails.send')
    await block.getByText('Samples: curl, Node.js, Python').click()
    const shown: Record<string, string | null> = {}
    for (const language of ['curl', 'Node.js', 'Python']) {
      await block.locator('.samples').getByRole('button', { name: language }).click()
      shown[language] = await block.locator('.samples code').textContent()
    }
    expect(shown).toEqual({
      curl: expect.stringMatching(/^curl -X POST '[^']+\/emails'/),
      'Node.js': expect.stringContaining('await resend.emails.send({'),
      Python: expect.stringContaining('method="POST"'),
    })
    await block.locator('.opblock-summary-control').click()
  })

  it('shows an operation within two screens, also the longest ones', async () => {
    const byLength = (await documentedOperations()).sort((a, b) => JSON.stringify(b).length - JSON.stringify(a).length)
    const isForm = ({ operationId }: Operation) => operationId === 'contacts.imports.create'

    const heights: Record<string, number> = {}
    for (const { operationId, responses } of [...byLength.filter(isForm), ...byLength.slice(0, LONGEST)]) {
      const block = await open(page, operationId)
      // Errors are drawn after their references have been resolved.
      await expect.poll(() => block.locator('.error-line').count()).toBe(Object.keys(responses).length - 1)
      heights[operationId] = (await block.boundingBox())?.height ?? Number.POSITIVE_INFINITY
      await block.locator('.opblock-summary-control').click()
    }

    expect(Object.entries(heights).filter(([, height]) => height > 2 * 800)).toEqual([])
  })

  it('unfolds an error and the headers of a response', async () => {
    const block = await open(page, 'emails.retrieve')

    await block.getByRole('button', { name: 'The record does not exist.' }).click()
    expect(JSON.parse((await block.locator('.opened-error .highlight-code code').textContent()) ?? '')).toEqual({
      statusCode: 404,
      name: 'not_found',
      message: 'Email not found',
    })
    await block.locator('.folded-headers summary').first().click()
    expect(await block.locator('.folded-headers').first().textContent()).toContain('x-request-id')
    await block.getByRole('button', { name: 'The record does not exist.' }).click()
    expect(await block.locator('.opened-error').count()).toBe(0)
  })

  it('shows the error of a call without a key', async () => {
    const refused = await tryOut(page, 'logs.list')

    expect(refused).toMatchObject({ status: expect.stringContaining('401'), body: { statusCode: 401, name: 'missing_api_key' } })
    await expect.poll(() => watched.errors).toEqual([expect.stringContaining('401')])
    watched.errors.length = 0
  })

  it('shows every operation, and runs them with the key and the example that it proposes', async () => {
    const operations = await documentedOperations()
    expect(await namesOn(page)).toEqual([...operations.map(({ summary }) => summary), ...WEBHOOK_EVENT_TYPES])
    await screenshot(page, 'docs')

    await authorize(page, service.token)
    const listed = await tryOut(page, 'api-keys.list')
    expect(listed.status).toBe('200')
    expect(listed.body).toEqual((await service.call('GET', '/api-keys')).body)

    const sent = await tryOut(page, 'emails.send')
    expect(sent).toEqual({ status: '200', body: { id: expect.stringMatching(/^[0-9a-f-]{36}$/) } })
    const { id } = sent.body as { id: string }
    expect(await service.call('GET', `/emails/${id}`)).toMatchObject({ status: 200, body: { id, to: ['delivered@simulator.test'] } })
    await screenshot(page, 'docs-sent')
  })

  it('imports a plain file by a form in which nothing else was touched', async () => {
    const block = await open(page, 'contacts.imports.create')
    const file = { name: 'contacts.csv', mimeType: 'text/csv', buffer: Buffer.from('email,first_name\nada@example.com,Ada\n') }
    await block.locator('input[type=file]').setInputFiles(file)

    expect(await execute(block)).toMatchObject({ status: '201', body: { object: 'contact_import' } })
  })

  it('still has the key after a reload', async () => {
    await page.reload()

    expect(await tryOut(page, 'logs.list')).toMatchObject({ status: '200' })
  })
})

describe('a key that was entered in /docs', () => {
  const isKept = (page: Page) => page.locator('.authorize.locked').count()
  const opened = async (page: Page) => {
    await openDocs(page)
    return isKept(page)
  }

  it('is kept for its tab alone', async () => {
    const context = await browser.newContext()
    const page = await context.newPage()
    await openDocs(page)
    await page.evaluate("localStorage.setItem('authorized', '{}')")
    await authorize(page, service.token)
    expect([await opened(page), await opened(await context.newPage())]).toEqual([1, 0])
    expect(await page.evaluate('localStorage.length')).toBe(0)
    await context.close()
  })

  it('is gone with the sign-out, also in another tab and if it was entered before the sign-in', async () => {
    const context = await browser.newContext()
    const [page, other] = [await context.newPage(), await context.newPage()]
    await openDocs(page)
    await authorize(page, service.token)
    await context.addCookies([cookieOf(await signIn(service))])
    await openDocs(other)
    await authorize(other, service.token)
    expect([await isKept(page), await isKept(other)]).toEqual([1, 1])

    await page.goto(`${service.url}/console`)
    await page.getByRole('button', { name: 'Your account' }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.waitForURL('**/sign-in')
    await other.evaluate("dispatchEvent(new Event('focus'))")
    await expect.poll(() => isKept(other)).toBe(0)
    expect([await opened(page), await opened(other)]).toEqual([0, 0])
    await context.close()
  })
})

it('/docs fits on a phone, in light and dark colors', async () => {
  const page = await browser.newPage({ viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true })
  await openDocs(page)
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    for (const id of ['emails.send', 'contacts.imports.create']) {
      const block = await open(page, id)
      expect(await page.evaluate('[innerWidth, document.documentElement.scrollWidth]')).toEqual([390, 390])
      await block.locator('.opblock-summary-control').click()
    }
    await expect.poll(() => page.locator('html.dark-mode').count()).toBe(colorScheme === 'dark' ? 1 : 0)
    await screenshot(page, `docs-phone-${colorScheme}`)
  }
  await page.close()
})

const namesInConsole = SECTION_GROUPS.flatMap(({ sections }) => sections.map(({ name }) => name)).filter(
  (name) => name !== 'API documentation',
)

/** The names in the navigation of the console itself. */
async function consoleSections(context: BrowserContext): Promise<string[]> {
  const page = await context.newPage()
  await page.goto(`${service.url}/console`)
  await page.getByRole('heading', { name: 'Overview', exact: true }).waitFor()
  const names = await page.getByRole('navigation').getByRole('link').allTextContents()
  await page.close()
  return names
}

describe('/docs of someone who is signed in', () => {
  it.each([390, 1280])('has the navigation and the colors of the console, %i px wide', async (width) => {
    const context = await browser.newContext({ viewport: { width, height: 844 }, reducedMotion: 'reduce', bypassCSP: true })
    await context.addCookies([cookieOf(await signIn(service))])
    const page = await context.newPage()
    await openDocs(page)
    if (width === 390) await page.getByText('Menu', { exact: true }).click()
    const sections = page.getByRole('navigation', { name: 'Sections' })
    await sections.getByRole('link').first().waitFor()
    expect(await sections.getByRole('link').allTextContents()).toEqual(
      SECTION_GROUPS.flatMap(({ sections: all }) => all.map(({ name }) => name)),
    )
    expect(await sections.locator('[aria-current]').allTextContents()).toEqual(['API documentation'])
    expect(await page.getByRole('banner').textContent()).toContain('Team of the test')
    if (width === 1280) expect(await consoleSections(context)).toEqual(expect.arrayContaining(namesInConsole))
    if (width === 390) await page.getByText('Menu', { exact: true }).click()
    const block = await open(page, 'emails.list')
    await block.getByRole('button', { name: 'Execute' }).waitFor()
    await open(page, 'emails.cancel')
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width)
    await page.evaluate(AXE)
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      await screenshot(page, `docs-signed-in-${width}-${colorScheme}`)
      expect({ colorScheme, faint: await page.evaluate(FAINT) }).toEqual({ colorScheme, faint: [] })
    }
    await context.close()
  })

  it('gets a new key when the window has the focus again, of the team that is signed in to by then', async () => {
    const page = await browser.newPage()
    await page.context().addCookies([cookieOf(await signIn(service))])
    await openDocs(page)
    const team = page.getByRole('banner').locator('.team')
    await expect.poll(() => team.textContent()).toBe('Team of the test')

    await page.context().addCookies([cookieOf(await signIn(service, service.other.token))])
    await page.evaluate("dispatchEvent(new Event('focus'))")
    await expect.poll(() => team.textContent()).toBe('Other team')
    const { id } = (await service.call('POST', '/api-keys', { token: service.other.token, body: { name: 'Theirs' } })).body as {
      id: string
    }
    expect(JSON.stringify((await tryOut(page, 'api-keys.list')).body)).toContain(id)

    await page.context().clearCookies()
    await page.evaluate("dispatchEvent(new Event('focus'))")
    await expect.poll(() => page.getByRole('banner').getByRole('link').allTextContents()).toEqual(['Posthaste', 'Console', 'Docs'])
    await page.close()
  })
})

function cookieOf(session: string) {
  const [name = '', value = ''] = session.split('=', 2)
  return { name, value, url: service.url }
}

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const FAINT = `axe.run(document, { resultTypes: ['violations'], runOnly: { type: 'rule', values: ['color-contrast', 'link-in-text-block'] } })
  .then(({ violations }) => violations.flatMap(({ nodes }) => nodes.map(({ html, any }) => html.slice(0, 120) + ' ' + any[0]?.message.slice(0, 120))))`

/** Swagger UI has a button around the link of each operation, and begins with headings of the third level. */
const OF_THE_LIBRARY = ['nested-interactive', 'heading-order']

it('/docs with an open operation: axe-core finds nothing that we could mend, in light and dark colors', async () => {
  const context = await browser.newContext({ bypassCSP: true, reducedMotion: 'reduce' })
  const page = await context.newPage()
  await openDocs(page)
  await (await open(page, 'emails.send')).locator('textarea').waitFor()
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    await expect.poll(() => page.locator('html.dark-mode').count()).toBe(colorScheme === 'dark' ? 1 : 0)
    expect(await violationsOn(page, { without: OF_THE_LIBRARY })).toEqual([])
  }
  await context.close()
})
