// Parts of pages whose answers take long. What stands there meanwhile is on the page for an instant with a fast service, and for seconds with a slow one.
import { expect, it } from 'vitest'
import { picturedPages } from '../../../pictures/pages.ts'
import type { RealisticService } from '../../../support/realistic-team/realistic-service.ts'
import { violationsOn } from '../../axe.ts'
import { browserOfWorker, leave } from '../../browser.ts'
import { goTo, openApp } from '../app.ts'

const LOOKING_MS = 120_000

/** Pages that have a picture, and what is not answered there: lists, marks in a line, words beside a mark, and code that is loaded when it is drawn. */
const HELD: [page: string, held: RegExp][] = [
  ['webhook', /\/assets\/NumbersChart-/],
  ['automation', /\/assets\/GraphDrawing-/],
  ['emails', /\/emails$/],
  ['email', /\/attempts$/],
  ['template', /\/previews$/],
  ['contact', /\/timeline$/],
  ['images', /\/images$/],
  ['webhooks', /\/webhooks\/[^/]+$/],
  ['segment-edit', /\/segments\/counts$/],
  ['broadcast-send', /\/(?:audience|checks)$/],
  ['metrics', /\/breakdown$/],
]

export function loading(realistic: RealisticService): void {
  it('breaks no rule of axe while an answer takes long', { timeout: LOOKING_MS }, async () => {
    const { service, signInOwner, team } = realistic
    const paths = new Map((await picturedPages(team)).map(({ name, path }) => [name, path]))
    const { page } = await openApp(await browserOfWorker(), { origin: service.url, cookie: await signInOwner(), path: '/usage' })
    const mark = page.locator('main .mantine-Loader-root').first()
    const faults: string[] = []
    for (const [name, held] of HELD) {
      const isHeld = ({ pathname }: URL) => held.test(pathname) && !/^\/console\/(?!assets\/)/.test(pathname)
      await page.route(isHeld, () => {})
      const asked = page.waitForRequest((request) => isHeld(new URL(request.url()))).catch(() => faults.push(`${name} does not ask for it`))
      await goTo(page, paths.get(name) ?? `No picture is named ${name}`)
      await asked
      await mark.waitFor().catch(() => faults.push(`${name} shows no mark`))
      faults.push(...(await violationsOn(page)).map((violation) => `${name}: ${violation}`))
      if ((await mark.count()) === 0) faults.push(`${name} did not wait long enough`)
      await page.unroute(isHeld)
    }
    expect(faults).toEqual([])
    await leave(page)
  })
}
