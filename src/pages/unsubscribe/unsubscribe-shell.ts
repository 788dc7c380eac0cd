// What all pages under /unsubscribe have in common: their frame and their headers.
import { html, type SafeHtml } from '@remix-run/html-template'
import { readSourceFile } from '../../lib/source-files.ts'
import { pageDocument } from '../shell/document.ts'
import { COMMON_STYLE, digestSource } from '../shell/page-files.ts'
import type { Reading } from './texts/texts.ts'

/** Part of the page, because a stranger opens it once and then needs only its own address. */
const STYLE = COMMON_STYLE + readSourceFile('unsubscribe.css', import.meta)

/** The page may have only its own style. Its forms return to us, and it needs nothing else. */
const POLICY = `default-src 'none'; style-src ${digestSource(STYLE)}; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; sandbox allow-forms`

export const pageHeaders = ({ language }: Reading) => ({
  'content-type': 'text/html; charset=utf-8',
  'content-language': language,
  vary: 'Accept-Language',
  'content-security-policy': POLICY,
  'x-frame-options': 'DENY',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'x-robots-tag': 'noindex',
  'cache-control': 'private, no-store',
})

export type Shell = {
  title: string
  /** What was just done. It begins the title, which a screen reader reads first. */
  status?: string
  /** The sender's name. Absent if it is unknown because the link does not work. */
  senderName?: string
  main: SafeHtml
}

export const shell = ({ language, texts }: Reading, { title, status, senderName, main }: Shell): string =>
  pageDocument({
    language,
    title: `${status === undefined ? '' : `${status} `}${title}`,
    head: html`<style>${html.raw`${STYLE}`}</style>`,
    body: html`<main>
${senderName === undefined ? '' : html`<p class="sender">${texts.from} <strong><bdi>${senderName}</bdi></strong></p>`}
<h1>${title}</h1>
${status === undefined ? '' : html`<p class="saved" role="status">${status}</p>`}
${main}
</main>`,
  })
