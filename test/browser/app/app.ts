// The console in a browser: a page of it for someone who is signed in, which fails on everything that its policy had to stop.
import type { Browser, Page } from 'playwright-core'
import { APP } from '../../../src/modules/console/app/app.pages.ts'
import { openSignedIn, type Watched } from '../browser.ts'

export type OpenApp = Watched & {
  /** What the policy of the page refused: nothing of ours should be. */
  refused: string[]
}

/** Opens an address of the console, such as `/emails`, and waits until its heading is there. */
export async function openApp(
  browser: Browser,
  { origin, cookie, path, width }: { origin: string; cookie: string; path: string; width?: number },
): Promise<OpenApp> {
  const watched = await openSignedIn(browser, { origin, cookie, path: `${APP}${path}`, width })
  const refused: string[] = []
  watched.page.on('console', (message) => {
    if (message.text().includes('Content Security Policy')) refused.push(message.text())
  })
  // A dialog that fades is looked at half way.
  await watched.page.emulateMedia({ reducedMotion: 'reduce' })
  await heading(watched.page)
  return { ...watched, refused }
}

/** The heading of the page that is shown. */
export const heading = async (page: Page): Promise<string> =>
  page
    .getByRole('heading', { level: 1 })
    .textContent()
    .then((text) => text ?? '')
