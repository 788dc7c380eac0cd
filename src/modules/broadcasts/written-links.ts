// The links of a broadcast that are different for each recipient, so that they can be counted as the one link that the author wrote.
import { assertMainThreadWork } from '../../lib/main-thread.ts'
import { escapeHtml, type HtmlReader, readHtml, readLongHtml } from '../../mail/html/html-tokens.ts'
import { type Placeholder, readPlaceholders, type ValueOf } from '../../mail/rendering/placeholders.ts'
import { type Renderable, readHtmlText, render } from '../../mail/rendering/rendering.ts'

// The preview text of a broadcast: what mail programs show beside the subject. It stands hidden at the beginning of the HTML.

/** The placeholder for it, which is put into the HTML once. */
export const PREHEADER = 'PREVIEW_TEXT_OF_BROADCAST'

/**
 * Where the content of the body begins: after the body's tag, or where a browser would put it if it is left out, which is after the doctype and the
 * elements of the head (WHATWG HTML, section 13.2.6.4).
 */
export async function withPreheader(html: string): Promise<string> {
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

/** `written`: decoded, with its placeholders. `link`: HTML with this link alone. */
export type WrittenLink = { written: string; link: Renderable }

/** Each click is compared with all of them. Further ones are counted by where they led. */
export const WRITTEN_LINKS_MAX = 100
/** Longer than any link that is tracked. */
const LINK_LENGTH_MAX = 2_000

/** Returns the first links with placeholders, each once. */
export async function writtenLinks(html: string): Promise<WrittenLink[]> {
  assertMainThreadWork(html)
  const parts = readPlaceholders(html)
  const placeholders = parts.filter((part) => typeof part !== 'string')
  if (placeholders.length === 0) return []
  let index = 0
  const marked = parts.map((part) => (typeof part === 'string' ? part : markOf(index++))).join('')
  const hrefs = new Map<string, (string | Placeholder)[]>()
  await readLongHtml(marked, {
    startTag({ name, attributes }) {
      if ((name !== 'a' && name !== 'area') || hrefs.size === WRITTEN_LINKS_MAX) return
      const href = attributes.find((attribute) => attribute.name === 'href')?.value.trim() ?? ''
      const written = splitLink(href, placeholders)
      const text = written.map((part) => (typeof part === 'string' ? part : writePlaceholder(part))).join('')
      if (written.some((part) => typeof part !== 'string') && text.length <= LINK_LENGTH_MAX) hrefs.set(text, written)
    },
  })
  const links: WrittenLink[] = []
  for (const [written, href] of hrefs) {
    const source = href.map((part) => (typeof part === 'string' ? escapeHtml(part) : writePlaceholder(part))).join('')
    links.push({ written, link: await readHtmlText(`<a href="${source}">`) })
  }
  return links
}

/** Which link leads there for the one who has these values; null if none does. */
export function linkAsWritten(links: readonly WrittenLink[], target: string, valueFor: ValueOf): string | null {
  const decoded = withoutEscapes(target)
  return links.find(({ link }) => withoutEscapes(fillLink(link, valueFor) ?? '') === decoded)?.written ?? null
}

/** Links of mail that was sent before values were percent-encoded hold them as they are. */
function withoutEscapes(target: string): string {
  try {
    return decodeURIComponent(target)
  } catch {
    return target
  }
}

function fillLink(link: Renderable, valueFor: ValueOf): string | null {
  const rendered = render(link, valueFor, 2 * LINK_LENGTH_MAX)
  if (rendered === 'too long') return null
  const targets: string[] = []
  readHtml(rendered.text, { startTag: ({ attributes }) => void targets.push(attributes[0]?.value.trim() ?? '') })
  return targets[0] ?? null
}

/** What stands for a placeholder while the HTML is read. */
const markOf = (index: number): string => `posthaste${index}placeholder`
const MARK = /posthaste(\d{1,7})placeholder/

function splitLink(href: string, placeholders: readonly Placeholder[]): (string | Placeholder)[] {
  // Every other piece is the number of a placeholder.
  return href
    .split(MARK)
    .map((piece, place) => (place % 2 === 0 ? piece : (placeholders[Number(piece)] ?? markOf(Number(piece)))))
    .filter((part) => part !== '')
}

const writePlaceholder = ({ name, fallback }: Placeholder): string => `{{{${name}${fallback === null ? '' : `|${fallback}`}}}}`
