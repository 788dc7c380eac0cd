import { escapeHtml, type HtmlAttribute, type HtmlStartTag, readHtml } from './html-tokens.ts'

/**
 * What a browser shows of HTML, as far as words, lines and links go: with few kinds of tags, each of which is closed, and nested at most
 * `DEPTH_MAX` deep. Links are written out in parentheses. Content before `<html>` and after `</body>` stays (WHATWG HTML, section 13.2.6), and
 * hidden elements go. Takes time that is linear in the length, for any input.
 */
export function shownHtml(html: string): string {
  const writer = createWriter()
  readHtml(html, {
    startTag: (tag) => writer.start(tag),
    endTag: (name) => writer.end(name),
    text: (text) => writer.text(text),
  })
  return writer.finish()
}

/** Browsers have the same bound. Deeper elements lose their layout and keep their words. */
export const DEPTH_MAX = 512

/** Quotes and lists in each other: each level lengthens every line. Deeper ones are not marked. */
export const INDENTS_MAX = 20

/** `written` is the tag that stands for it, null for none. `blankCells` are those of a row before anything of it was written. */
type Open = { name: string; written: string | null; attributes: string; isWritten: boolean; blankCells: number }

type Link = { address: string; text: string }

function createWriter() {
  const out: string[] = []
  const stack: Open[] = []
  const counts = new Map<string, number>()
  /** The number of elements that are open and written. They are the first ones, since an element is written after those that it is in. */
  let written = 0
  /** The number of elements that were open when the hidden one was opened. */
  let hiddenAt: number | null = null
  let indents = 0
  let pending: string[] = []
  let link: Link | null = null
  let isAfterLink = false
  let isAfterWords = false
  let mayNeedBreak = false

  const isOpen = (name: string) => (counts.get(name) ?? 0) > 0

  function push(name: string, tag: string | null, attributes = ''): void {
    stack.push({ name, written: tag, attributes, isWritten: false, blankCells: 0 })
    counts.set(name, (counts.get(name) ?? 0) + 1)
    if (tag !== null && INDENTED.has(tag)) indents += 1
  }

  function writeOpen(): void {
    for (; written < stack.length; written += 1) {
      const open = stack[written]
      if (open === undefined) return
      open.isWritten = true
      if (open.written === null) continue
      out.push(`<${open.written}${open.attributes}>`, '<td></td>'.repeat(open.blankCells))
      isAfterWords = false
    }
  }

  function flush(): void {
    if (pending.length === 0) return
    const text = withoutFiller(pending.join(''))
    pending = []
    if (BLANK.test(text)) return
    writeOpen()
    if (mayNeedBreak && isAfterWords) out.push('<br>')
    mayNeedBreak = false
    out.push(escapeHtml(text))
    isAfterWords = true
  }

  function pop(): void {
    flush()
    const open = stack.pop()
    if (open === undefined) return
    counts.set(open.name, (counts.get(open.name) ?? 1) - 1)
    if (open.isWritten) written -= 1
    if (stack.length === hiddenAt) hiddenAt = null
    if (open.written === null) return
    if (INDENTED.has(open.written)) indents -= 1
    if (open.isWritten) {
      out.push(`</${open.written}>`)
      isAfterWords = false
    } else if (open.written === 'td') writeBlankCell()
    else mayNeedBreak = true
  }

  function writeBlankCell(): void {
    const row = stack.at(-1)
    if (row === undefined || row.written !== 'tr') return
    if (row.isWritten) out.push('<td></td>')
    else row.blankCells += 1
  }

  /** Closes the nearest of the names and all that is in it, unless one of the bounds is nearer. */
  function close(names: readonly string[], bounds: ReadonlySet<string>): boolean {
    if (!names.some(isOpen)) return false
    for (let at = stack.length - 1; at >= 0; at -= 1) {
      const name = stack[at]?.name ?? ''
      if (names.includes(name)) {
        while (stack.length > at) pop()
        return true
      }
      if (bounds.has(name)) return false
    }
    return false
  }

  function closeImplied(name: string): void {
    if (ENDS_PARAGRAPH.has(name)) close(['p'], CELL_BOUNDS)
    if (HEADINGS.has(name) && HEADINGS.has(stack.at(-1)?.name ?? '')) pop()
    const implied = IMPLIED_ENDS.get(name)
    if (implied !== undefined) close(implied.names, implied.bounds)
  }

  function endLink(): void {
    if (link === null) return
    const { address } = link
    const text = link.text.trim()
    link = null
    if (text === '') addText(address)
    else if (text !== address && `mailto:${text}` !== address && linkAddress(text) !== address) addText(` (${address})`)
    isAfterLink = true
  }

  function addText(text: string): void {
    if (hiddenAt !== null || text === '') return
    if (isAfterLink && !BLANK.test(text)) isAfterLink = false
    if (link !== null) link.text += text
    pending.push(text)
  }

  function startLink({ attributes }: HtmlStartTag): void {
    endLink()
    if (hiddenAt !== null) return
    const address = linkAddress(attributeValue(attributes, 'href') ?? '')
    if (address === '' || address.startsWith('#')) return
    // The address of the one before ends where this one begins.
    if (isAfterLink) pending.push(' ')
    isAfterLink = false
    link = { address, text: '' }
  }

  function open(name: string, tag: HtmlStartTag): void {
    if (stack.length >= DEPTH_MAX) {
      flush()
      mayNeedBreak = true
      return
    }
    flush()
    if (CELLS.has(name)) {
      if (isOpen('table') && nearest(['tr', 'table']) === 'table') push('tr', 'tr')
      push(name, isOpen('table') ? 'td' : 'div')
    } else if (name === 'tr') push(name, isOpen('table') ? 'tr' : 'div')
    else if (name === 'table') push(name, 'table', IS_LAYOUT.test(attributeValue(tag.attributes, 'role') ?? '') ? ' role="none"' : '')
    else if (ROW_GROUPS.has(name)) push(name, null)
    else if (name === 'li') push(name, isInList() ? 'li' : 'div')
    else if (INDENTED.has(name) || name === 'menu') {
      const element = name === 'menu' ? 'ul' : name
      if (indents >= INDENTS_MAX) push(name, 'div')
      else push(name, element, element === 'ol' ? numbering(tag.attributes) : '')
    } else push(name, KEPT.has(name) ? name : 'div')
  }

  function nearest(names: readonly string[]): string | null {
    if (!names.some(isOpen)) return null
    return stack.findLast(({ name }) => names.includes(name))?.name ?? null
  }

  function writeVoid(name: string): void {
    if (hiddenAt !== null) return
    flush()
    writeOpen()
    out.push(`<${name}>`)
    isAfterWords = false
    mayNeedBreak = false
  }

  const isInList = () => LISTS.has(stack.at(-1)?.written ?? '')

  return {
    start(tag: HtmlStartTag): void {
      const { name, attributes } = tag
      if (name === 'html' || name === 'body' || name === 'head') return
      if (hiddenAt === null && name === 'a') startLink(tag)
      closeImplied(name)
      if (name === 'img') {
        if (link !== null && !isHidden(tag)) addText(attributeValue(attributes, 'alt') ?? '')
      } else if (name === 'br' || name === 'hr') {
        if (!isHidden(tag)) writeVoid(name)
      } else if (VOID.has(name)) return
      else if (hiddenAt !== null) {
        if (stack.length < DEPTH_MAX) push(name, null)
      } else if (isHidden(tag)) {
        if (stack.length >= DEPTH_MAX) return
        if (BLOCKS.has(name)) flush()
        hiddenAt = stack.length
        push(name, null)
      } else if (BLOCKS.has(name)) open(name, tag)
    },

    end(name: string): void {
      if (name === 'br') writeVoid(name)
      if (name === 'a' && hiddenAt === null) endLink()
      close([name], TABLE_PARTS.has(name) ? TABLE_BOUNDS : CELL_BOUNDS)
    },

    text: addText,

    finish(): string {
      endLink()
      flush()
      while (stack.length > 0) pop()
      return out.join('')
    },
  }
}

const attributeValue = (attributes: readonly HtmlAttribute[], name: string): string | undefined =>
  attributes.find((attribute) => attribute.name === name)?.value

function isHidden({ name, attributes }: HtmlStartTag): boolean {
  if (NEVER_SHOWN.has(name)) return true
  return attributes.some((attribute) => HIDING.has(attribute.name) || (attribute.name === 'style' && isHidingStyle(attribute.value)))
}

/** The last declaration counts, and before all one that is important. */
function isHidingStyle(style: string): boolean {
  let shown = ''
  let isImportant = false
  for (const declaration of style.toLowerCase().split(';')) {
    const [property = '', value = ''] = declaration.split(':', 2)
    if (property.trim() !== 'display') continue
    const important = value.includes('!')
    if (isImportant && !important) continue
    isImportant = important
    shown = (value.split('!', 1)[0] ?? '').trim()
  }
  return shown === 'none'
}

/** As browsers read it (WHATWG URL, section 4.4): without line breaks and tabs, and with blanks that stay in the link. */
const linkAddress = (href: string): string =>
  href
    .trim()
    .replace(/[\t\r\n]/g, '')
    .replace(/\s/g, encodeURIComponent)

/** Roman numbers become decimal ones: the library throws for some (docs/upstream/html-to-text-roman-numbers.md). */
function numbering(attributes: readonly HtmlAttribute[]): string {
  const start = attributeValue(attributes, 'start') ?? '1'
  const first = /^\d{1,9}$/.test(start) ? Number(start) : 1
  const type = attributeValue(attributes, 'type')
  return ` start="${first}"${first > 0 && (type === 'a' || type === 'A') ? ` type="${type}"` : ''}`
}

/** Fills the preview of mail programs after a preheader. One alone belongs to a word, as in Persian. */
function withoutFiller(text: string): string {
  return text.replace(FILLER_RUN, (run) => {
    const fillers = run.match(FILLER)?.length ?? 0
    if (fillers < 2 && run.length < text.length) return run
    return /\s/.test(run.replaceAll('\ufeff', '')) ? ' ' : ''
  })
}

const FILLER = /[\u034f\u00ad\u2007\u200b-\u200f\u2060\ufeff]/g
const FILLER_RUN = /[\u034f\s\u00ad\u200b-\u200f\u2060]+/g

const BLANK = /^[\s\u200b]*$/

const IS_LAYOUT = /^\s{0,9}(?:presentation|none)\b/i

const setOf = (names: string): ReadonlySet<string> => new Set(names.split(' '))

/** Not shown by any browser (WHATWG HTML, section 15.3.1), and frames. */
const NEVER_SHOWN = setOf('datalist iframe noembed noframes rp script style template title')

/** `data-skip-in-text` is what React Email marks its preheaders with. */
const HIDING = setOf('hidden data-skip-in-text')

const VOID = setOf('area base basefont bgsound col embed frame input keygen link meta param source track wbr')

const HEADINGS = setOf('h1 h2 h3 h4 h5 h6')
const LISTS = setOf('ul ol')
const INDENTED = setOf('ul ol blockquote')
const CELLS = setOf('td th')
const ROW_GROUPS = setOf('thead tbody tfoot')
const TABLE_PARTS = setOf('table caption thead tbody tfoot tr td th')
const KEPT = setOf('p div pre h1 h2 h3 h4 h5 h6')

const ENDS_PARAGRAPH = setOf(
  'p div table hr h1 h2 h3 h4 h5 h6 ul ol menu li dl dt dd blockquote pre listing address article aside center details dialog dir fieldset figcaption figure footer form header hgroup main nav search section summary',
)

const BLOCKS: ReadonlySet<string> = new Set([...ENDS_PARAGRAPH, ...TABLE_PARTS, 'legend', 'optgroup', 'option'])

const TABLE_BOUNDS = setOf('table')
const CELL_BOUNDS = setOf('table td th caption')

const IMPLIED_ENDS = new Map<string, { names: readonly string[]; bounds: ReadonlySet<string> }>([
  ['li', { names: ['li'], bounds: setOf('ul ol menu table td th caption') }],
  ...['dt', 'dd'].map((name) => [name, { names: ['dt', 'dd'], bounds: setOf('dl table td th caption') }] as const),
  ...['td', 'th'].map((name) => [name, { names: ['td', 'th', 'caption'], bounds: setOf('tr table') }] as const),
  ['tr', { names: ['tr', 'caption'], bounds: TABLE_BOUNDS }],
  ...['thead', 'tbody', 'tfoot'].map(
    (name) => [name, { names: ['thead', 'tbody', 'tfoot', 'tr', 'caption'], bounds: TABLE_BOUNDS }] as const,
  ),
  ['option', { names: ['option'], bounds: setOf('table select') }],
])
