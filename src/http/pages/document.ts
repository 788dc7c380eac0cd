// The styles and scripts of pages: real files, which pages name by address or include.
import { createHash } from 'node:crypto'
import formbody from '@fastify/formbody'
import { html, type SafeHtml } from '@remix-run/html-template'
import type { FastifyInstance } from 'fastify'
import { readSourceFile } from '../../lib/source-files.ts'

// The base of every page: a document that fits on a phone and that search engines ignore.

export type PageDocument = {
  language?: string
  title: string
  /** As data, because a browser would ask the API for /favicon.ico otherwise. */
  icon?: string
  /** The styles and scripts of the page. */
  head: SafeHtml | SafeHtml[]
  body: SafeHtml
}

export const pageDocument = ({ language = 'en', title, icon = 'data:,', head, body }: PageDocument): string =>
  String(html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
<link rel="icon" href="${icon}">
${head}
</head>
<body>
${body}
</body>
</html>`)

/**
 * Lets the routes of this scope accept forms as browsers send them. A larger one is refused with 413. If a field occurs twice, the last one counts.
 */
export async function takeForms(app: FastifyInstance, { bytesMax }: { bytesMax: number }): Promise<void> {
  // A form escapes most characters, so each is searched for those that cannot be stored.
  app.addHook('onRequest', async (request) => {
    request.hasEscapes = true
  })
  await app.register(formbody, { bodyLimit: bytesMax, parser: (text) => Object.fromEntries(new URLSearchParams(text)) })
}

/**
 * How all pages write a time: in UTC, with seconds in its tooltip, and with the year only if it is another one. The script times.js writes it in
 * the reader's own time zone.
 */
export function timeElement(time: Date, now: Date): SafeHtml {
  const format = time.getUTCFullYear() === now.getUTCFullYear() ? IN_THIS_YEAR : IN_ANOTHER_YEAR
  const toTheSecond = time.toISOString().slice(0, 19).replace('T', ' ')
  return html`<time datetime="${time.toISOString()}" title="${toTheSecond} UTC">${format.format(time)} UTC</time>`
}

const SHORT = { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit', timeZone: 'UTC' } as const
const IN_THIS_YEAR = new Intl.DateTimeFormat('en-GB', SHORT)
const IN_ANOTHER_YEAR = new Intl.DateTimeFormat('en-GB', { ...SHORT, year: 'numeric' })

/** Allows exactly this style or script in a policy, if it is a part of the page. */
export const digestSource = (content: string): string => `'sha256-${createHash('sha256').update(content).digest('base64')}'`

/** Writes the moments of a page in the reader's own time. */
export const TIMES_SCRIPT = readSourceFile('times.js', import.meta)

/** The colors of all pages. */
export const PALETTE_STYLE = readSourceFile('palette.css', import.meta)

/** What all pages have in common: their colors, and how text, links and buttons look. */
export const COMMON_STYLE = PALETTE_STYLE + readSourceFile('elements.css', import.meta)

/** Only our own files. Forms return to us: with `no-referrer` a browser would hide the origin that the check on POST needs. */
export const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self' data:; frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'x-frame-options': 'DENY',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cache-control': 'private, no-store',
}
