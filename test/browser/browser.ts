// Starts Debian's Chromium, headless, and records what a page should not do.
import { join } from 'node:path'
import { type Browser, chromium, type Page } from 'playwright-core'
import { chromiumPath } from '../support/processes/missing-programs.ts'

export const QUIET = ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update', '--disable-sync']

/** CHROMIUM can name another browser. */
export const launchBrowser = (): Promise<Browser> => chromium.launch({ executablePath: chromiumPath(), headless: true, args: QUIET })

export type Watched = {
  page: Page
  /** Errors on the console and uncaught exceptions. */
  errors: string[]
  /** Requests to anything but `origin`. */
  strayRequests: string[]
}

export async function openWatched(browser: Browser, { origin, width = 1280 }: { origin: string; width?: number }): Promise<Watched> {
  const page = await browser.newPage({ viewport: { width, height: 800 } })
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

/** For people to look at: into the folder that SCREENSHOTS names, if it is set. Drawing a whole page takes longer than most tests of it. */
export async function screenshot(page: Page, name: string): Promise<void> {
  const folder = process.env.SCREENSHOTS
  if (folder) await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true })
}
