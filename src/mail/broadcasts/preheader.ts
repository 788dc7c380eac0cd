// The preview text of a broadcast: what mail programs show beside the subject. It stands hidden at the beginning of the HTML.
import { escapeHtml } from '../html/escaped-html.ts'
import { type HtmlReader, readLongHtml } from '../html/html-tokens.ts'

/** The placeholder for it, which is put into the HTML once. */
export const PREHEADER = 'PREVIEW_TEXT_OF_BROADCAST'

/** At the beginning of the body, so that it is the first text of the message. */
export async function withPreheader(html: string): Promise<string> {
  let head = 0
  let body: number | null = null
  const reader: HtmlReader = {
    startTag({ name, end }) {
      if (name === 'html' && head === 0) head = end
      if (name === 'body') body ??= end
    },
    endTag(name, start) {
      if (name === 'head' && body === null) head = html.indexOf('>', start) + 1
    },
  }
  await readLongHtml(html, reader)
  const at = body ?? head
  return `${html.slice(0, at)}{{{${PREHEADER}}}}${html.slice(at)}`
}

/** Programs show a certain number of characters. The padding, which shows nothing, keeps the text of the body out of them. */
const PADDING = '&#847;&zwnj;&nbsp;'.repeat(60)

export const preheader = (text: string): string =>
  text === ''
    ? ''
    : `<div style="display:none;max-height:0;max-width:0;overflow:hidden;opacity:0;mso-hide:all">${escapeHtml(text)}${PADDING}</div>`
