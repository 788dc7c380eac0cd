// How a page of the console looks to people: on a desk, on a phone, and in the dark.
import type { Page } from 'playwright-core'
import { violationsOn } from '../axe.ts'
import { screenshot } from '../browser.ts'

const TABLET = 768
const WIDTHS = [390, TABLET, 1440]
const HEIGHT = 900
const SLIDE_MS = 20_000
const OVERFLOW = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'

/** How far the page reaches beyond the window once nothing slides anymore; the policy of the page forbids `waitForFunction`. */
const OVERFLOW_THEN = `new Promise((resolve) => {
  const end = performance.now() + ${SLIDE_MS}
  const look = () => {
    const overflow = ${OVERFLOW}
    if (overflow <= 0 || performance.now() > end) resolve(overflow)
    else requestAnimationFrame(look)
  }
  look()
})`

/** Colors change by and by, from the next frame on. */
export const SETTLED = `new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))).then(() => Promise.all(
  document.getAnimations()
  .filter((animation) => animation.effect.getComputedTiming().endTime !== Infinity)
  .map((animation) => animation.finished.catch(() => {}))))`

/** The widest elements that reach beyond the window, but for what scrolls within its own place. */
const WIDEST = `[...document.body.querySelectorAll('*')]
  .filter((element) => {
    for (let around = element.parentElement; around; around = around.parentElement) {
      if (around !== document.body && around !== document.documentElement && getComputedStyle(around).overflowX !== 'visible') return false
    }
    return true
  })
  .filter((element) => element.getBoundingClientRect().right > document.documentElement.clientWidth + 1)
  .sort((one, other) => other.getBoundingClientRect().right - one.getBoundingClientRect().right)
  .slice(0, 3).map((element) => element.outerHTML.slice(0, 200)).join(' | ')`

/** Tables of which a part can be seen only after it was moved: on a phone, wide ones of numbers are. */
const CUT_OFF = `[...document.querySelectorAll('main table')]
  .filter(({ parentElement: around }) => innerWidth >= ${TABLET} && around.scrollWidth > around.clientWidth + 1)
  .map((table) => table.getAttribute('aria-label') + ' by ' + (table.parentElement.scrollWidth - table.parentElement.clientWidth)).join(', ')`

/** The dark changes colors alone. */
const RULES_OF_COLORS = ['color-contrast', 'link-in-text-block']

/**
 * What is wrong with the page as it is shown: what axe says, and where it is wider than the window. `everywhere`: at each width, and in the dark too,
 * which is done once for each page (realistic/every-page.ts).
 */
export async function faultsOf(page: Page, name: string, { everywhere = false } = {}): Promise<string[]> {
  const faults: string[] = []
  const before = page.viewportSize()
  // A page that is being opened has none yet.
  await page.locator('main h1').first().waitFor()
  for (const width of everywhere ? WIDTHS : [before?.width ?? 0]) {
    if (everywhere) await page.setViewportSize({ width, height: HEIGHT })
    // The navigation slides.
    const overflow = Number(await page.evaluate(OVERFLOW_THEN))
    if (overflow > 0) faults.push(`${name} is ${overflow} pixels wider than ${width}: ${await page.evaluate(WIDEST)}`)
    const cutOff = everywhere ? await page.evaluate(CUT_OFF) : ''
    if (cutOff !== '') faults.push(`${name} cuts off a table at ${width}: ${cutOff}`)
    await screenshot(page, `app-${name}-${width}`)
  }
  await page.evaluate(SETTLED)
  faults.push(...(await violationsOn(page)).map((violation) => `${name}: ${JSON.stringify(violation)}`))
  if (!everywhere) return faults
  await page.emulateMedia({ colorScheme: 'dark' })
  await page.evaluate(SETTLED)
  faults.push(
    ...(await violationsOn(page, { only: RULES_OF_COLORS })).map((violation) => `${name} in the dark: ${JSON.stringify(violation)}`),
  )
  await screenshot(page, `app-${name}-dark`)
  await page.emulateMedia({ colorScheme: null })
  if (before) await page.setViewportSize(before)
  return faults
}
