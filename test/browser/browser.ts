// Starts Debian's Chromium without a window, and records what a page should not do.
import { join } from 'node:path'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { headlessPath } from '../support/processes/machine.ts'

export const QUIET = ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update', '--disable-sync']

let launched: Promise<Browser> | undefined

/** Starting a browser costs as much as many tests, so all files of a test worker use one, which ends with the worker. CHROMIUM can name another. */
export async function browserOfWorker(): Promise<Browser> {
  launched ??= launch()
  const browser = await launched
  if (browser.isConnected()) return browser
  launched = undefined
  return browserOfWorker()
}

/** Shorter than a test may take, so that a test that waits in vain ends with the reason. */
const WAIT_MS_MAX = 90_000

async function launch(): Promise<Browser> {
  const browser = await chromium.launch({ executablePath: headlessPath(), headless: true, args: QUIET })
  const { newContext } = browser
  browser.newContext = async (options) => {
    const context = await newContext.call(browser, options)
    context.setDefaultTimeout(WAIT_MS_MAX)
    return context
  }
  return browser
}

/** Leaves nothing to the next file that a page of this one could know or do. */
export async function closePages(browser: Browser): Promise<void> {
  await Promise.all(browser.contexts().map((context) => (isIdle(context) ? undefined : context.close())))
}

/** Closes a page that was not left for the next test. */
export async function closeUnlessLeft(page: Page): Promise<void> {
  const context = page.context()
  if (!isIdle(context)) await context.close()
}

const isIdle = (context: BrowserContext): boolean =>
  (idlePages.get(context.browser() as Browser) ?? []).some((page) => page.context() === context)

export type Watched = {
  page: Page
  /** Errors on the console and uncaught exceptions. */
  errors: string[]
  /** Requests to anything but `origin`. */
  strayRequests: string[]
}

const watchedPages = new WeakSet<Page>()
/** Pages that no test uses at the moment. Opening one costs as much as most tests of it. */
const idlePages = new WeakMap<Browser, Page[]>()

/** A page that knows nothing of other tests. Close it with `leave`. */
export async function openWatched(browser: Browser, { origin, width = 1280 }: { origin: string; width?: number }): Promise<Watched> {
  const page = idlePages.get(browser)?.pop() ?? (await browser.newPage())
  await page.setViewportSize({ width, height: 800 })
  watchedPages.add(page)
  const errors: string[] = []
  const strayRequests: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(message.text())
  })
  page.on('pageerror', (error) => errors.push(error.message))
  page.on('request', (request) => {
    if (!request.url().startsWith(`${origin}/`) && !/^(data|about):/.test(request.url())) strayRequests.push(request.url())
  })
  return { page, errors, strayRequests }
}

/** Keeps a page of `openWatched` for the next test, without anything of this one, and closes any other. */
export async function leave(page: Page): Promise<void> {
  const context = page.context()
  const browser = context.browser()
  if (browser === null || !watchedPages.has(page)) return page.close()
  for (const event of ['console', 'pageerror', 'request'] as const) page.removeAllListeners(event)
  await page.unrouteAll()
  await page.goto('about:blank')
  await page.emulateMedia({ colorScheme: null })
  for (const other of context.pages()) if (other !== page) await other.close()
  await context.clearCookies()
  await context.clearPermissions()
  const devtools = await context.newCDPSession(page)
  await devtools.send('Network.clearBrowserCache')
  await devtools.detach()
  idlePages.set(browser, [...(idlePages.get(browser) ?? []), page])
}

/** For people to look at: into the folder that SCREENSHOTS names, if it is set. Drawing a whole page takes longer than most tests of it. */
export async function screenshot(page: Page, name: string): Promise<void> {
  const folder = process.env.SCREENSHOTS
  if (folder) await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true })
}

/** Signs in a browser. `cookie`: as `signIn` returns it. */
export async function keepCookie(context: BrowserContext, { origin, cookie }: { origin: string; cookie: string }): Promise<void> {
  const [name = '', value = ''] = cookie.split('=', 2)
  await context.addCookies([{ name, value, url: origin }])
}
