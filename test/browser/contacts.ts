// The hosts that a browser contacts when it shows HTML: every way in which HTML can reach another server, each with its own host.
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type BrowserContext, chromium } from 'playwright-core'
import { chromiumPath } from '../support/processes/machine.ts'
import { QUIET } from './browser.ts'

export type Contacts = {
  context: BrowserContext
  /** Ends the browser, and returns the hosts that it looked up or connected to. */
  close(): Promise<string[]>
}

const HOSTS = /\b[a-z0-9-]+(?=\.tracker\.test\b)/g

/**
 * A browser with its own profile, because a private window does not connect in advance. Hosts below `tracker.test` lead to a server on loopback
 * that answers everything.
 */
export async function openContacts(): Promise<Contacts> {
  const folder = await mkdtemp(join(tmpdir(), 'posthaste-test-contacts-'))
  const networkLog = join(folder, 'network.json')
  const tracker = createServer((_request, response) => response.end('heard'))
  await new Promise<void>((resolve) => tracker.listen(0, '127.0.0.1', resolve))
  const { port } = tracker.address() as AddressInfo
  const context = await chromium.launchPersistentContext(join(folder, 'profile'), {
    executablePath: chromiumPath(),
    headless: true,
    args: [
      ...QUIET,
      `--host-resolver-rules=MAP *.tracker.test 127.0.0.1:${port}`,
      `--log-net-log=${networkLog}`,
      '--net-log-capture-mode=IncludeSensitive',
    ],
  })
  return {
    context,
    async close() {
      await context.close()
      tracker.closeAllConnections()
      tracker.close()
      const hosts = new Set((await readFile(networkLog, 'utf8')).match(HOSTS))
      await rm(folder, { recursive: true, force: true })
      return [...hosts].sort()
    },
  }
}

const at = (host: string): string => `http://${host}.tracker.test/x`
const link = (host: string): string => `<link rel="preconnect" href="${at(host)}">`
const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')

/** Pictures, which may be loaded if the reader asks for them. */
export const PICTURES: Record<string, string> = {
  img: `<img src="${at('img')}">`,
  srcset: `<img srcset="${at('srcset')} 1x">`,
  picture: `<picture><source srcset="${at('picture')}"><img></picture>`,
  'input-image': `<input type="image" src="${at('input-image')}">`,
  'table-background': `<table background="${at('table-background')}"><tr><td>x</td></tr></table>`,
  poster: `<video poster="${at('poster')}"></video>`,
  'style-background': `<p style="background: url(${at('style-background')})">x</p>`,
  'style-list': `<ul style="list-style-image: url(${at('style-list')})"><li>x</li></ul>`,
  'style-content': `<style>#content::before { content: url(${at('style-content')}) }</style><p id="content">x</p>`,
  'svg-image': `<svg><image href="${at('svg-image')}" width="9" height="9"/></svg>`,
  'svg-fe-image': `<svg width="9" height="9"><filter id="f"><feImage href="${at('svg-fe-image')}"/></filter><rect width="9" height="9" filter="url(#f)"/></svg>`,
}

/** These must never be loaded. */
export const OTHERS: Record<string, string> = {
  stylesheet: `<link rel="stylesheet" href="${at('stylesheet')}">`,
  prefetch: `<link rel="prefetch" href="${at('prefetch')}">`,
  preload: `<link rel="preload" as="image" href="${at('preload')}">`,
  modulepreload: `<link rel="modulepreload" href="${at('modulepreload')}">`,
  'dns-prefetch': `<link rel="dns-prefetch" href="${at('dns-prefetch')}">`,
  icon: `<link rel="icon" href="${at('icon')}">`,
  manifest: `<link rel="manifest" href="${at('manifest')}">`,
  preconnect: link('preconnect'),
  'preconnect-in-capitals': `<LINK/REL="PRECONNECT"HREF=${at('preconnect-in-capitals')}>`,
  'preconnect-in-noscript': `<noscript>${link('preconnect-in-noscript')}</noscript>`,
  'preconnect-in-svg-style': `<svg><style><b>${link('preconnect-in-svg-style')}</style></svg>`,
  'preconnect-in-svg-title': `<svg><title>${link('preconnect-in-svg-title')}</title></svg>`,
  'preconnect-in-svg-cdata': `<svg><![CDATA[</svg>${link('preconnect-in-svg-cdata')}]]></svg>`,
  'preconnect-in-cdata': `<![CDATA[>${link('preconnect-in-cdata')}]]>`,
  'preconnect-in-abrupt-comment': `<!-->${link('preconnect-in-abrupt-comment')}-->`,
  'preconnect-in-odd-comment': `<!-- --!>${link('preconnect-in-odd-comment')}-->`,
  'preconnect-in-shadow': `<div><template shadowrootmode="open">${link('preconnect-in-shadow')}</template></div>`,
  'preconnect-in-math': `<math><mtext><table><mglyph><style><!--</style>${link('preconnect-in-math')}-->`,
  'preconnect-in-frame': `<iframe srcdoc="${escaped(link('preconnect-in-frame'))}"></iframe>`,
  'script-src': `<script src="${at('script-src')}"></script>`,
  iframe: `<iframe src="${at('iframe')}"></iframe>`,
  object: `<object data="${at('object')}"></object>`,
  embed: `<embed src="${at('embed')}">`,
  video: `<video src="${at('video')}" preload="auto" autoplay muted></video>`,
  audio: `<audio src="${at('audio')}" preload="auto"></audio>`,
  source: `<audio preload="auto"><source src="${at('source')}" type="audio/mpeg"></audio>`,
  track: `<video src="data:video/mp4;base64,AA==" crossorigin="anonymous"><track default kind="captions" src="${at('track')}"></video>`,
  'style-import': `<style>@import url(${at('style-import')});</style>`,
  'style-font': `<style>@font-face { font-family: far; src: url(${at('style-font')}) } #font { font-family: far }</style><p id="font">x</p>`,
  'svg-use': `<svg><use href="${at('svg-use')}#a"/></svg>`,
}

/** Parts that need a click. */
export const CLICKED: Record<string, string> = {
  form: `<form action="${at('form')}"><button id="form">Send</button></form>`,
  formaction: `<form><button id="formaction" formaction="${at('formaction')}">Send</button></form>`,
  ping: `<a id="ping" href="data:text/html,looked" target="_blank" ping="${at('ping')}">Look</a>`,
}

export const REFRESH = `<meta http-equiv="refresh" content="0; url=${at('refresh')}">`
