// How long a reader waits for the first operation in /docs and /reference: each time in a browser that was just started and has nothing of the pages.
import { type Browser, chromium, type Page } from 'playwright-core'
import { QUIET } from '../test/browser/browser.ts'
import { headlessPath } from '../test/support/processes/machine.ts'
import { createDatabase, dropDatabase, environmentOf, type Place, startService } from './place.ts'
import { atMost, percentile, type Row } from './table.ts'

const VISITS = { quick: 1, full: 5 }
const MS_MAX = 1_500
const LIMIT_MS = 30_000

type Viewer = {
  path: string
  /** What names the first operation: in the page as it is sent, and where the viewer has drawn it. */
  sent: string
  drawn: string
  script: string
}

const VIEWERS: Viewer[] = [
  {
    path: '/docs',
    sent: '.operations-index li li a',
    drawn: '.opblock .opblock-summary-description',
    script: '/docs/static/swagger-ui-bundle.js',
  },
  {
    path: '/reference',
    sent: '.operations-index li li',
    drawn: 'a[href="#tag/emails/POST/emails"]',
    script: '/reference/js/scalar.js',
  },
]

/** The processor time is that of the whole page, with the threads that parse and collect garbage. */
type Visit = { ms: number; cpuMs: number }

export async function measureViewers(place: Place): Promise<Row[]> {
  const databaseUrl = await createDatabase(place, 'bench_viewers')
  const service = await startService({ ...environmentOf(place, databaseUrl), ROLES: 'api' })
  const visits = place.isQuick ? VISITS.quick : VISITS.full
  const rows: Row[] = []
  try {
    for (const { path, sent, drawn, script } of VIEWERS) {
      const first = await visit(service.url + path, drawn)
      const median = async (see: () => Promise<Visit>) => {
        const seen: Visit[] = []
        for (let count = 0; count < visits; count += 1) seen.push(await see())
        const middle = (of: keyof Visit) =>
          percentile(
            seen.map((one) => one[of]),
            0.5,
          )
        return { ms: middle('ms'), cpuMs: middle('cpuMs') }
      }
      const named = await median(() => visit(service.url + path, sent))
      const whole = await median(() => visit(service.url + path, drawn))
      const alone = await median(() => visit(service.url + path, 'title', script))
      rows.push(
        row(`${path}, the first operation is named`, named, true),
        row(`${path}, the viewer has drawn it`, whole, path === '/docs'),
        row(`${path}, its script alone`, alone),
        row(`${path}, the first visit after the start`, first),
      )
    }
    return rows
  } finally {
    await service.stop()
    await dropDatabase(place, 'bench_viewers')
  }
}

const row = (what: string, { ms, cpuMs }: Visit, isWanted = false): Row => ({
  what: `viewers: ${what}`,
  result: `${Math.round(ms)} ms, of the processor ${Math.round(cpuMs)} ms`,
  ...(isWanted && { wanted: atMost(ms, MS_MAX, `within ${MS_MAX / 1_000} s`) }),
})

/** How long it takes until `selector` is on the screen. With `script`, the page has only that, and the time ends when it has run. */
async function visit(url: string, selector: string, script?: string): Promise<Visit> {
  const browser = await chromium.launch({ executablePath: headlessPath(), headless: true, args: QUIET })
  try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } })
    const seen = Promise.withResolvers<Visit>()
    await page.exposeFunction('seen', async (ms: number) => seen.resolve({ ms, cpuMs: await pageCpuMs(browser) }))
    if (script === undefined) await page.addInitScript(untilSeen(selector))
    else await onlyScript(page, url, script)
    await page.goto(url)
    const timer = setTimeout(() => seen.reject(new Error(`${selector} was not seen on ${url} within ${LIMIT_MS / 1_000} s`)), LIMIT_MS)
    return await seen.promise.finally(() => clearTimeout(timer))
  } finally {
    await browser.close()
  }
}

/** Looks in each frame, and counts the one that has it as drawn. */
const untilSeen = (selector: string): string => `(() => {
  const look = () => {
    const box = document.querySelector(${JSON.stringify(selector)})?.getBoundingClientRect()
    const isSeen = box && box.height > 0 && box.top >= 0 && box.top < innerHeight
    requestAnimationFrame(isSeen ? () => setTimeout(() => seen(performance.now())) : look)
  }
  requestAnimationFrame(look)
})()`

const onlyScript = (page: Page, url: string, script: string): Promise<unknown> =>
  page.route(url, (route) =>
    route.fulfill({
      contentType: 'text/html',
      body: `<title>Alone</title><script src="${script}"></script><script>seen(performance.now())</script>`,
    }),
  )

async function pageCpuMs(browser: Browser): Promise<number> {
  const devtools = await browser.newBrowserCDPSession()
  const { processInfo } = await devtools.send('SystemInfo.getProcessInfo')
  return processInfo.reduce((sum, { type, cpuTime }) => sum + (type === 'renderer' ? cpuTime * 1_000 : 0), 0)
}
