// What the pages of consent have in common: their frame and their headers.
import { html, type SafeHtml } from '@remix-run/html-template'
import { readSourceFile } from '../../lib/source-files.ts'
import { pageDocument } from '../shell/document.ts'
import { COMMON_STYLE, digestSource } from '../shell/page-files.ts'
import type { ConsentReading } from './texts/texts.ts'

const STYLE = COMMON_STYLE + readSourceFile('consent.css', import.meta)

/**
 * @param target where the program is answered. A browser holds the answer to a form to this policy, too, when it leads on to another address.
 */
export const consentHeaders = ({ language }: ConsentReading, target: string | null) => ({
  'content-type': 'text/html; charset=utf-8',
  'content-language': language,
  vary: 'Accept-Language',
  'content-security-policy': `default-src 'none'; style-src ${digestSource(STYLE)}; img-src data:; form-action 'self'${target === null ? '' : ` ${sourceOf(target)}`}; base-uri 'none'; frame-ancestors 'none'`,
  'x-frame-options': 'DENY',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'x-robots-tag': 'noindex',
  'cache-control': 'private, no-store',
})

/** A host may have characters that would end the directive; then its scheme stands for it. */
function sourceOf(target: string): string {
  const { protocol, host } = new URL(target)
  return (protocol === 'https:' || protocol === 'http:') && /^[a-z0-9.:[\]-]+$/.test(host) ? `${protocol}//${host}` : protocol
}

export type ConsentShell = { title: string; head?: SafeHtml; heading: SafeHtml; main: SafeHtml }

export const consentShell = ({ language }: ConsentReading, { title, head, heading, main }: ConsentShell): string =>
  pageDocument({
    language,
    title,
    head: html`<style>${html.raw`${STYLE}`}</style>${head ?? ''}`,
    body: html`<main>
${heading}
${main}
</main>`,
  })
