// Pictures of every page of the console with realistic data, for people to look at, and those that the documentation shows.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { type BrowserContext, chromium, type Page } from 'playwright-core'
import { APP } from '../../src/modules/console/app/app.pages.ts'
import { keepCookie, QUIET } from '../browser/browser.ts'
import { headlessPath } from '../support/processes/machine.ts'
import { startRealisticService } from '../support/realistic-team/realistic-service.ts'
import { openNamedAddress } from '../support/servers/named-address.ts'
import { openMailbox } from './mailbox.ts'
import { type Pictured, picturedPages } from './pages.ts'

const USAGE = `npm run pictures -- [FOLDER] [--only NAME,...] [--width 390,768,1440] [--scheme light,dark] [--docs] [--serve]

FOLDER           where the pictures are written
--docs           writes those that the documentation shows
--only           pages whose names begin so
--serve          keeps the service running, and prints how to sign in and where the owner's mail is`

const HEIGHT = 900
const TIMEOUT_MS = 8_000
/** Charts and the navigation are drawn anew. */
const SETTLES_MS = 150
const WHOLE_HEIGHT = 'document.documentElement.scrollHeight'

const DOCS = fileURLToPath(new URL('../../docs/images', import.meta.url))
const SHOWN_IN_DOCS = ['overview', 'email', 'broadcast', 'broadcast-send', 'template-edit', 'automation-canvas']
const DOCS_SIZE = { width: 1440, height: 900 }
const DOCS_BYTES_MAX = 200_000

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: 'string', default: '' },
    width: { type: 'string', default: '390,768,1440' },
    scheme: { type: 'string', default: 'light,dark' },
    docs: { type: 'boolean', default: false },
    serve: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})
const [folder] = positionals
const WIDTHS = options.width.split(',').map(Number)
const WANTED = options.only.split(',')
const isWanted = (name: string): boolean => WANTED.some((one) => name.startsWith(one))
const SCHEMES = options.scheme.split(',') as ('light' | 'dark')[]

const beganMs = performance.now()
const say = (line: string): void => void process.stdout.write(`${((performance.now() - beganMs) / 1_000).toFixed(1)} s: ${line}\n`)

if (options.help || (folder === undefined && !options.serve && !options.docs)) process.stdout.write(`${USAGE}\n`)
else await main()

async function main(): Promise<void> {
  // People sign in over TLS, or on this machine; images and files are at the public address, which is that of the pages.
  let url = ''
  const named = await openNamedAddress(() => url)
  const realistic = await startRealisticService(say, options.serve ? { publicUrl: named.origin } : {})
  url = realistic.service.url
  try {
    if (folder !== undefined) await picture(folder, realistic)
    if (options.docs) await pictureForDocs(realistic)
    if (options.serve) await serve(realistic, named.origin)
  } finally {
    await realistic.close()
    named.close()
  }
}

type Realistic = Awaited<ReturnType<typeof startRealisticService>>

async function serve({ signInLink, owner, messages }: Realistic, origin: string): Promise<void> {
  const { pathname } = new URL(await signInLink())
  const mailbox = await openMailbox(owner, messages)
  say(`it runs until Ctrl-C; this link signs in its owner, once: ${origin}${pathname}`)
  say(`the mail of ${owner}, such as codes that are asked for: ${mailbox.url}`)
  await new Promise<void>((resolve) => process.once('SIGINT', resolve).once('SIGTERM', resolve))
  await mailbox.close()
}

async function picture(into: string, { service, team, signInOwner }: Realistic): Promise<void> {
  mkdirSync(into, { recursive: true })
  const browser = await chromium.launch({ executablePath: headlessPath(), headless: true, args: QUIET })
  const context = await browser.newContext({ reducedMotion: 'reduce' })
  await keepCookie(context, { origin: service.url, cookie: await signInOwner() })
  const pages = (await picturedPages(team)).filter(({ name }) => isWanted(name))
  for (const pictured of pages) await takePictures(context, service.url, pictured, into)
  await browser.close()
  say(`${pages.length} pages are pictured in ${into}`)
}

async function pictureForDocs({ service, team, signInOwner }: Realistic): Promise<void> {
  const browser = await chromium.launch({ executablePath: headlessPath(), headless: true, args: QUIET })
  const context = await browser.newContext({ reducedMotion: 'reduce', viewport: DOCS_SIZE, colorScheme: 'light' })
  await keepCookie(context, { origin: service.url, cookie: await signInOwner() })
  for (const { name, path, act } of (await picturedPages(team)).filter(({ name }) => SHOWN_IN_DOCS.includes(name) && isWanted(name))) {
    const page = await context.newPage()
    await page.goto(`${service.url}${APP}${path}`)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await untilLoaded(page)
    await act?.(page)
    await untilLoaded(page)
    const { length } = await page.screenshot({ path: join(DOCS, `${name}.png`) })
    if (length > DOCS_BYTES_MAX) throw new Error(`${name}.png has ${length} bytes, more than ${DOCS_BYTES_MAX}`)
    await page.close()
  }
  await browser.close()
}

/** Each page is loaded once. */
async function takePictures(context: BrowserContext, origin: string, { name, path, act }: Pictured, into: string): Promise<void> {
  const page = await context.newPage()
  page.setDefaultTimeout(TIMEOUT_MS)
  try {
    await page.setViewportSize({ width: WIDTHS[0] ?? 0, height: HEIGHT })
    await page.goto(`${origin}${APP}${path}`)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await untilLoaded(page)
    await act?.(page)
    await untilLoaded(page)
    for (const width of WIDTHS)
      for (const colorScheme of SCHEMES) {
        await page.emulateMedia({ colorScheme })
        await page.setViewportSize({ width, height: HEIGHT })
        await page.waitForTimeout(SETTLES_MS)
        // A frame below the window is not painted, and the navigation ends with the window.
        if (act === undefined) await page.setViewportSize({ width, height: Math.max(HEIGHT, Number(await page.evaluate(WHOLE_HEIGHT))) })
        await page.waitForTimeout(SETTLES_MS)
        await page.screenshot({ path: join(into, `${name}-${width}-${colorScheme}.png`) })
      }
  } catch (error) {
    say(`${name} is not pictured: ${String(error).split('\n')[0]}`)
  } finally {
    await page.close()
  }
}

async function untilLoaded(page: Page): Promise<void> {
  await page.waitForTimeout(SETTLES_MS)
  const waiting = page.locator('.mantine-Loader-root, .mantine-Skeleton-root[data-visible]').first()
  await waiting.waitFor({ state: 'detached' }).catch(() => {})
  await page.waitForTimeout(SETTLES_MS)
}
