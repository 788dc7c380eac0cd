// The preview text of a broadcast: what mail programs show beside the subject. It stands hidden at the beginning of the HTML.
import { assertMainThreadWork } from '../../lib/main-thread.ts'
import { escapeHtml } from '../html/escaped-html.ts'
import { type HtmlReader, readLongHtml } from '../html/html-tokens.ts'

/** The placeholder for it, which is put into the HTML once. */
export const PREHEADER = 'PREVIEW_TEXT_OF_BROADCAST'

/**
 * Where the content of the body begins: after the body's tag, or where a browser would put it if it is left out, which is after the doctype and the
 * elements of the head (WHATWG HTML, section 13.2.6.4).
 */
export async function withPreheader(html: string): Promise<string> {
  assertMainThreadWork(html)
  const at = await bodyStart(html)
  return `${html.slice(0, at)}{{{${PREHEADER}}}}${html.slice(at)}`
}

async function bodyStart(html: string): Promise<number> {
  // The end of what belongs before the body, as far as it was read.
  let headEnd = 0
  let found: number | null = null
  // An element of the head whose content is not read as tags, or `noscript` and `template`, which hold others.
  let inside: string | null = null
  const textFrom = (start: number) => {
    if (found === null && inside === null) found = start
  }
  const reader: HtmlReader = {
    startTag({ name, start, end }) {
      if (found !== null || inside !== null) return
      if (name === 'body') found = end
      else if (name === 'html' || name === 'head' || VOID_IN_HEAD.has(name)) headEnd = end
      else if (CLOSED_IN_HEAD.has(name)) inside = name
      else textFrom(start)
    },
    endTag(name, start) {
      if (found !== null) return
      if (name === inside || (inside === null && name === 'head')) {
        inside = null
        headEnd = html.indexOf('>', start) + 1
      } else if (inside === null && (name === 'body' || name === 'html')) found = start
    },
    text(text) {
      if (text.trim() !== '') textFrom(headEnd)
    },
    doctype(text) {
      if (found === null && inside === null) headEnd = html.indexOf(text, headEnd) + text.length + 1
    },
    comment(_start, end) {
      if (found === null && inside === null) headEnd = html.indexOf('>', end) + 1
    },
  }
  await readLongHtml(html, reader)
  return found ?? headEnd
}

const VOID_IN_HEAD = new Set(['base', 'basefont', 'bgsound', 'link', 'meta'])
const CLOSED_IN_HEAD = new Set(['title', 'style', 'script', 'noscript', 'template', 'noframes'])

/** Programs show a certain number of characters. The padding, which shows nothing, keeps the text of the body out of them. */
const PADDING = '&#847;&zwnj;&nbsp;'.repeat(60)

export const preheader = (text: string): string =>
  text === ''
    ? ''
    : `<div style="display:none;max-height:0;max-width:0;overflow:hidden;opacity:0;mso-hide:all">${escapeHtml(text)}${PADDING}</div>`
