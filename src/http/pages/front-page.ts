// The frame of the pages that one sees without being signed in: no file beside them, and no script but one that stands in the page.
import { html, type SafeHtml } from '@remix-run/html-template'
import type { FastifyReply } from 'fastify'
import { readSourceFile } from '../../lib/source-files.ts'
import { COMMON_STYLE, digestSource, pageDocument } from './document.ts'

export const FRONT_STYLE = COMMON_STYLE + readSourceFile('front.css', import.meta)

/** Who serves the page. */
export const FRONT_HEADER = html`<header><a href="/">Posthaste</a></header>`

/** `script`: a module that the page needs, whole. */
export type FrontPage = { title: string; main: SafeHtml; script?: string }

export const frontPageText = ({ title, main, script }: FrontPage): string =>
  pageDocument({
    title: `${title} · Posthaste`,
    head: html`<style>${html.raw`${FRONT_STYLE}`}</style>`,
    body: html`${FRONT_HEADER}
<main id="main">${main}</main>${script === undefined ? '' : html`<script type="module">${html.raw`${script}`}</script>`}`,
  })

/** Answers with the page. */
export const sendFrontPage = (reply: FastifyReply, page: FrontPage): FastifyReply =>
  reply.headers(frontPageHeaders(page)).send(frontPageText(page))

/** The addresses of these pages may be secrets, so no request that follows names them. */
export function frontPageHeaders({ script }: Pick<FrontPage, 'script'>): Record<string, string> {
  const policy = [
    `default-src 'none'; style-src ${digestSource(FRONT_STYLE)}; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
    ...(script === undefined ? [] : [`script-src ${digestSource(script)}; connect-src 'self'`]),
  ]
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': policy.join('; '),
    'x-frame-options': 'DENY',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'x-robots-tag': 'noindex',
    'cache-control': 'private, no-store',
  }
}
