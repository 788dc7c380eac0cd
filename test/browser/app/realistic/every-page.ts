// Every page that the router knows, with a team as it is after ninety days of work: no rule of axe is broken, by day or by night, and nothing is wider than a phone,
// a tablet or a desk. The pages are those of which pictures are made.
import type { Browser } from 'playwright-core'
import { beforeAll, expect, it } from 'vitest'
import { type Pictured, picturedPages } from '../../../pictures/pages.ts'
import type { RealisticService } from '../../../support/realistic-team/realistic-service.ts'
import { browserOfWorker, leave } from '../../browser.ts'
import { goTo, openApp } from '../app.ts'
import { faultsOf } from '../look.ts'

const LOOKING_MS = 600_000
/** More would wait for each other. */
const AT_ONCE = 2

/** Addresses with their parameters, such as `contacts/$contactId`. The sections load their pages only when they are opened. */
async function routesOfConsole(): Promise<string[]> {
  const { SECTIONS } = (await import(new URL('../../../../console/src/shell/sections.ts', import.meta.url).href)) as {
    SECTIONS: { path: string; pages: Record<string, unknown> }[]
  }
  return SECTIONS.flatMap(({ path, pages }) => Object.keys(pages).map((rest) => [path, rest].filter(Boolean).join('/')))
}

/** As the router chooses: an address that is written out before one with parameters. */
function routeOf(path: string, routes: readonly string[]): string | undefined {
  const address = path.replace(/^\/|[?#].*$/g, '')
  const fits = (route: string) => new RegExp(`^${route.replaceAll(/\$\w+/g, '[^/]+').replaceAll('.', '\\.')}$`).test(address)
  return routes.filter(fits).toSorted((a, b) => a.split('$').length - b.split('$').length)[0]
}

export function everyPage(realistic: RealisticService): void {
  let browser: Browser
  let pages: Pictured[]
  beforeAll(async () => {
    browser = await browserOfWorker()
    const routes = await routesOfConsole()
    // Dialogs, and records in other states, are looked at where they are used.
    pages = [...new Map((await picturedPages(realistic.team)).toReversed().map((page) => [routeOf(page.path, routes), page])).values()]
  })

  it('looks at each page that the router knows', async () => {
    const routes = await routesOfConsole()
    expect(routes.length).toBeGreaterThan(50)
    const seen = new Set(pages.map(({ path }) => routeOf(path, routes)))
    expect(routes.filter((route) => !seen.has(route))).toEqual([])
    // The page of a record that is not there shows only a problem.
    expect(pages.filter(({ path }) => /undefined|\/$|\/\//.test(path) && path !== '/')).toEqual([])
  })

  it('finds nothing wrong with any page on any screen', { timeout: LOOKING_MS }, async () => {
    const { service, signInOwner } = realistic
    const cookie = await signInOwner()
    const waiting = [...pages]
    const faults: string[] = []
    const look = async (): Promise<void> => {
      const { page, refused, strayRequests } = await openApp(browser, { origin: service.url, cookie, path: '/' })
      for (let next = waiting.shift(); next; next = waiting.shift()) {
        const { name, path } = next
        await goTo(page, path)
        await page.locator('main .mantine-Loader-root, main .mantine-Skeleton-root[data-visible]').first().waitFor({ state: 'detached' })
        faults.push(...(await faultsOf(page, name, { everywhere: true })), ...refused.splice(0), ...strayRequests.splice(0))
        if ((await page.getByRole('button', { name: 'Try again' }).count()) > 0) faults.push(`${name} could not be loaded`)
      }
      await leave(page)
    }
    await Promise.all(Array.from({ length: AT_ONCE }, look))
    expect(faults).toEqual([])
  })
}
