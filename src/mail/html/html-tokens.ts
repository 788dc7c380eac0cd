import { setImmediate } from 'node:timers/promises'
import { html } from '@remix-run/html-template'
import { QuoteType, Tokenizer } from 'htmlparser2'
import { assertMainThreadWork } from '../../lib/main-thread.ts'

/** Text as HTML that says the same, between tags and in attributes with quotes. */
export const escapeHtml = (text: string): string => String(html`${text}`)

/** Text comes in pieces, decoded outside raw elements such as `style`. CDATA is left out. */
export type HtmlReader = {
  startTag?(tag: HtmlStartTag): void
  /** `start` is the position of the tag in the source. */
  endTag?(name: string, start: number): void
  text?(text: string): void
  /** The text between `<!` and `>`. */
  doctype?(text: string): void
  /** The position in the source of what the comment says. */
  comment?(start: number, end: number): void
  /** The position in the source of what a CDATA section says. */
  cdata?(start: number, end: number): void
}

/** Names are in lower case. `start` and `end` are the position of the tag in the source, `end` exclusive. */
export type HtmlStartTag = { name: string; attributes: HtmlAttribute[]; isSelfClosing: boolean; start: number; end: number }

/** The value is decoded. `valueStart` and `valueEnd` are its position in the source, without its quotes. */
export type HtmlAttribute = { name: string; value: string; valueStart: number; valueEnd: number }

/**
 * Reads HTML as a browser's tokenizer does (WHATWG HTML, section 13.2.5): in one pass, in time that is linear in its length for any input. It
 * neither nests nor repairs. A tag in which the source ends is left out, as in browsers.
 */
export function readHtml(html: string, reader: HtmlReader): void {
  assertMainThreadWork(html)
  const tokenizer = new Tokenizer({}, callbacks(html, reader))
  tokenizer.write(html)
  tokenizer.end()
}

/** Reads HTML as `readHtml` does, with room for other work in between: HTML of 20 MB takes most of a second. */
export async function readLongHtml(html: string, reader: HtmlReader): Promise<void> {
  assertMainThreadWork(html)
  const tokenizer = new Tokenizer({}, callbacks(html, reader))
  for (let start = 0; start < html.length; start += STEP_LENGTH) {
    if (start > 0) await setImmediate()
    tokenizer.write(html.slice(start, start + STEP_LENGTH))
  }
  tokenizer.end()
}

/** In characters: about 5 ms of work. */
const STEP_LENGTH = 256 * 1024

/** More than any real tag has. A tag with a million attributes would take a hundred times its length. Further attributes are left out. */
export const ATTRIBUTES_MAX = 1_000

type Callbacks = ConstructorParameters<typeof Tokenizer>[1]

function callbacks(html: string, reader: HtmlReader): Callbacks {
  let tag: HtmlStartTag = { name: '', attributes: [], isSelfClosing: false, start: 0, end: 0 }
  let names = new Set<string>()
  let attribute: HtmlAttribute = { name: '', value: '', valueStart: 0, valueEnd: 0 }
  return {
    onopentagname(start, end) {
      tag = { name: html.slice(start, end).toLowerCase(), attributes: [], isSelfClosing: false, start: start - 1, end }
      names = new Set()
    },
    onattribname(start, end) {
      attribute = { name: html.slice(start, end).toLowerCase(), value: '', valueStart: end, valueEnd: end }
    },
    onattribdata(start, end) {
      attribute.value += html.slice(start, end)
    },
    onattribentity(codePoint) {
      attribute.value += String.fromCodePoint(codePoint)
    },
    onattribend(quote, end) {
      // The first of several attributes with one name counts.
      if (tag.attributes.length === ATTRIBUTES_MAX || names.has(attribute.name)) return
      names.add(attribute.name)
      const isQuoted = quote === QuoteType.Single || quote === QuoteType.Double
      const valueStart = quote === QuoteType.NoValue ? attribute.valueStart : startOfValue(html, attribute.valueStart, isQuoted)
      const valueEnd = quote === QuoteType.NoValue ? valueStart : end - (isQuoted ? 1 : 0)
      tag.attributes.push({ ...attribute, valueStart, valueEnd })
    },
    onopentagend: (at) => reader.startTag?.({ ...tag, end: at + 1 }),
    onselfclosingtag: (at) => reader.startTag?.({ ...tag, isSelfClosing: true, end: at + 1 }),
    onclosetag: (start, end) => reader.endTag?.(html.slice(start, end).toLowerCase(), start - 2),
    ontext: (start, end) => reader.text?.(html.slice(start, end)),
    ontextentity: (codePoint) => reader.text?.(String.fromCodePoint(codePoint)),
    ondeclaration: (start, end) => reader.doctype?.(html.slice(start, end)),
    oncomment: (start, end) => reader.comment?.(start, end),
    oncdata: (start, end) => reader.cdata?.(start, end),
    onprocessinginstruction: () => {},
    onend: () => {},
  }
}

/** Spaces may stand on both sides of the equals sign. */
function startOfValue(html: string, nameEnd: number, isQuoted: boolean): number {
  let at = html.indexOf('=', nameEnd) + 1
  while (SPACES.has(html.charAt(at))) at += 1
  return isQuoted ? at + 1 : at
}

const SPACES = new Set([' ', '\t', '\n', '\f', '\r'])
