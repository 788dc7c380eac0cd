// Someone whose role may do some things only: every page of their menu, and every page to which these lead, opens without a refusal.
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { signInAs } from '../../../support/clients/console.ts'
import type { RealisticService } from '../../../support/realistic-team/realistic-service.ts'
import { browserOfWorker, leave } from '../../browser.ts'
import { goTo, openApp } from '../app.ts'

const WALKING_MS = 600_000
const FORBIDDEN = 403

/** The links of the page, without what follows the path: one for each kind of record. */
async function linksOf(page: Page, among: string): Promise<string[]> {
  const links = `[...document.querySelectorAll('${among} a[href^="/console"]')]`
  const hrefs = (await page.evaluate(`${links}.map((link) => link.getAttribute('href'))`)) as string[]
  return hrefs.map((href) => href.replace(/^\/console/, '').replace(/^(?=\?|$)/, '/'))
}

const kindOf = (path: string): string => path.replace(/[?#].*$/, '').replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'ID')

export function marketer(realistic: RealisticService): void {
  it('leads a marketer to nothing that their role refuses', { timeout: WALKING_MS }, async () => {
    const { service } = realistic
    const cookie = await signInAs(service.service.context, service.teamId, 'marketer')
    const { page } = await openApp(await browserOfWorker(), { origin: service.url, cookie, path: '/' })
    const refused: string[] = []
    page.on('response', (response) => {
      if (response.status() === FORBIDDEN) refused.push(`${new URL(page.url()).pathname}: ${new URL(response.url()).pathname}`)
    })
    const visit = async (path: string): Promise<void> => {
      await goTo(page, path)
      await page.locator('main .mantine-Loader-root, main .mantine-Skeleton-root[data-visible]').first().waitFor({ state: 'detached' })
      if ((await page.getByText('does not allow this').count()) > 0) refused.push(`${path} says that the role may not`)
    }
    const menu = [...new Set(await linksOf(page, 'nav'))]
    expect(menu).toEqual(expect.arrayContaining(['/broadcasts', '/metrics', '/templates']))
    const seen = new Map(menu.map((path) => [kindOf(path), path]))
    const found = new Map<string, string>()
    for (const path of menu) {
      await visit(path)
      for (const link of await linksOf(page, 'main')) if (!seen.has(kindOf(link))) found.set(kindOf(link), link)
    }
    for (const path of found.values()) {
      await visit(path)
      // Pages of records lead to others.
      for (const link of await linksOf(page, 'main'))
        if (/^\/(?:emails|received|domains|logs|webhooks|api-keys|members|grants|audit-log)(?:[/?]|$)/.test(link))
          refused.push(`${path} leads to ${link}`)
    }
    expect(found.size).toBeGreaterThan(10)
    expect([...new Set(refused)]).toEqual([])
    await leave(page)
  })
}
