// What axe-core finds in a page that a browser shows.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

const require = createRequire(import.meta.url)
const AXE = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8')

/** Some pages load again by themselves, to write times in the zone of their reader. */
const NAVIGATED = /context was destroyed|garbage collected/
const TRIES_MAX = 3

/** `only`: these rules. `without`: all but these. */
type Rules = { only?: readonly string[]; without?: readonly string[] }

/** The rules that the page breaks, each with the element. */
export async function violationsOn(page: Page, { only, without = [] }: Rules = {}, tries = 1): Promise<string[]> {
  const options = {
    ...{ iframes: false, preload: false, resultTypes: ['violations'] },
    ...(only && { runOnly: { type: 'rule', values: only } }),
    rules: Object.fromEntries(without.map((rule) => [rule, { enabled: false }])),
  }
  try {
    // Reading half a megabyte of script takes longer than the rules for one color.
    if (!(await page.evaluate(`'axe' in window`))) await page.evaluate(AXE)
    const found = await page.evaluate<{ id: string; nodes: { html: string }[] }[]>(
      `axe.run(document, ${JSON.stringify(options)}).then(({ violations }) => violations)`,
    )
    return found.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`))
  } catch (error) {
    if (tries === TRIES_MAX || !NAVIGATED.test(String(error))) throw error
    await page.waitForLoadState()
    return violationsOn(page, { ...(only && { only }), without }, tries + 1)
  }
}
