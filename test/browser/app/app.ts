// The console in a browser: a page of it for someone who is signed in, which fails on everything that its policy had to stop.
import type { Browser, Locator, Page, Response } from 'playwright-core'
import { onTestFinished } from 'vitest'
import { APP } from '../../../src/modules/console/app/app.pages.ts'
import { closeUnlessLeft, keepCookie, openWatched, type Watched } from '../browser.ts'

export type OpenApp = Watched & {
  /** What the policy of the page refused: nothing of ours should be. */
  refused: string[]
}

/** Opens an address of the console, such as `/emails`, until the test is over. It is there, and is told of what changes from now on. */
export async function openApp(
  browser: Browser,
  { origin, cookie, path, width }: { origin: string; cookie: string; path: string; width?: number },
): Promise<OpenApp> {
  const watched = await openWatched(browser, { origin, ...(width !== undefined && { width }) })
  await keepCookie(watched.page.context(), { origin, cookie })
  const isLive = watched.page.waitForResponse(opensStream)
  await watched.page.goto(`${origin}${APP}${path}`)
  // Open for longer, it would read again whatever the next tests change.
  onTestFinished(() => closeUnlessLeft(watched.page))
  const refused: string[] = []
  watched.page.on('console', (message) => {
    if (message.text().includes('Content Security Policy')) refused.push(message.text())
  })
  // A dialog that fades is looked at half way.
  await watched.page.emulateMedia({ reducedMotion: 'reduce' })
  await heading(watched.page)
  await isLive
  return { ...watched, refused }
}

/** The stream of changes, or the answer by which there will be none. */
async function opensStream(response: Response): Promise<boolean> {
  const { pathname } = new URL(response.url())
  if (pathname === '/live') return true
  if (pathname !== '/me') return false
  return !response.ok() || ((await response.json()) as { team: unknown }).team === null
}

/** Waits until a dialog has taken the focus, a moment after it is there: `fill` types where the focus is. */
export async function focused(dialog: Locator): Promise<Locator> {
  await dialog.locator(':focus').waitFor()
  return dialog
}

/** As a link to another page does: to load the console anew for each of many pages takes longer than all that is looked at there. */
export async function goTo(page: Page, path: string): Promise<void> {
  if (page.url().endsWith(`${APP}${path}`) || page.url().endsWith(`${APP}${path.replace(/\/$/, '')}`)) return
  await page.evaluate(`document.querySelector('main h1').setAttribute('data-of', 'the page before')
    history.pushState({}, '', ${JSON.stringify(`${APP}${path}`)})
    dispatchEvent(new PopStateEvent('popstate'))`)
  await page.locator('main h1:not([data-of])').waitFor()
}

/** The heading of the page that is shown. */
export const heading = async (page: Page): Promise<string> =>
  page
    .getByRole('heading', { level: 1 })
    .textContent()
    .then((text) => text ?? '')

/** Chooses an act of the menu in the head of a page. */
export async function chooseAct(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'More', exact: true }).click()
  await page.getByRole('menuitem', { name }).click()
}
