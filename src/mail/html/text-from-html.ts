import { compile } from 'html-to-text'
import { assertMainThreadWork } from '../../lib/main-thread.ts'
import { readHtml } from './html-tokens.ts'

/**
 * The plain text of an HTML body, for the text part that a client did not write. Links are in parentheses, lists and quotes are marked, and images,
 * styles and scripts are left out. Never throws, and takes bounded time for any input: HTML with too many tags loses its layout, and text after the
 * first million characters is left out.
 */
export function textFromHtml(html: string): string {
  assertMainThreadWork(html)
  const isCut = html.length > GENERATED_TEXT_LENGTH_MAX
  const source = isCut ? html.slice(0, GENERATED_TEXT_LENGTH_MAX) : html
  const text = hasTooManyTags(source) ? bareText(source) : layOut(source)
  return isCut || text.length > GENERATED_TEXT_LENGTH_MAX ? `${text.slice(0, GENERATED_TEXT_LENGTH_MAX)}\n\n[…]` : text
}

/** For input and output: about ten times what mail programs show before they cut a message. */
export const GENERATED_TEXT_LENGTH_MAX = 1_000_000

/** The parser's time grows with the square of unclosed tags. This many take a fraction of a second, and a large newsletter has a quarter of it. */
const TAGS_MAX = 20_000

/** Deeper elements are left out. Layout tables nest about thirty levels, and each level of a quote lengthens every line. */
const DEPTH_MAX = 100

const layOut = compile({
  wordwrap: false,
  limits: { maxDepth: DEPTH_MAX, ellipsis: '…' },
  selectors: [
    { selector: 'a', options: { hideLinkHrefIfSameAsText: true, linkBrackets: ['(', ')'] } },
    { selector: 'img', format: 'skip' },
    ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((selector) => ({ selector, options: { uppercase: false } })),
  ],
})

function hasTooManyTags(html: string): boolean {
  let tags = 0
  for (let at = html.indexOf('<'); at !== -1; at = html.indexOf('<', at + 1)) {
    tags += 1
    if (tags > TAGS_MAX) return true
  }
  return false
}

/** One pass: the words, a line for each block, nothing from scripts and styles. */
function bareText(html: string): string {
  const kept: string[] = []
  let hiddenIn: string | null = null
  readHtml(html, {
    startTag({ name }) {
      if (HIDDEN.has(name)) hiddenIn = name
      if (BLOCKS.has(name)) kept.push('\n')
    },
    endTag(name) {
      if (name === hiddenIn) hiddenIn = null
      if (BLOCKS.has(name)) kept.push('\n')
    },
    text(text) {
      if (hiddenIn === null) kept.push(text)
    },
  })
  const lines = kept.join('').split('\n')
  return lines
    .map((line) => line.replace(/\s+/g, ' ').trim())
    .filter((line) => line !== '')
    .join('\n')
}

const HIDDEN = new Set(['script', 'style', 'title'])

const BLOCKS = new Set('p div br tr li ul ol table h1 h2 h3 h4 h5 h6 hr blockquote section article header footer pre'.split(' '))
