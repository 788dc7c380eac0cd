// What is stored as a document was written by anyone with a key. Before the editor has it, it is cut down to what the editor knows, and to addresses and
// styles that load nothing.
import type { getSchema, JSONContent } from '@tiptap/react'

export type Schema = ReturnType<typeof getSchema>

/** The form of the document that is written here. */
const VERSION = 1
const NODES_MAX = 5_000
const DEPTH_MAX = 24
const VALUE_LENGTH_MAX = 2_000

export type StoredDocument = { version: number }

export const toStored = (doc: JSONContent): StoredDocument & { doc: JSONContent } => ({ version: VERSION, doc })

/**
 * The document as far as the editor knows it, and whether something was left out. Null if it is of another form, or too large to be shown whole, so that it
 * is shown as HTML instead.
 */
export function cleanDocument(stored: unknown, schema: Schema): { doc: JSONContent; isCut: boolean } | null {
  const { version, doc } = (stored ?? {}) as { version?: unknown; doc?: JSONContent }
  if (version !== VERSION || typeof doc !== 'object' || doc === null) return null
  try {
    const cleaning = new Cleaning(schema)
    const [cleaned] = cleaning.node(doc, 0)
    if (!cleaned || cleaning.isTooLarge) return null
    schema.nodeFromJSON(cleaned).check()
    return { doc: cleaned, isCut: cleaning.isCut }
  } catch {
    return null
  }
}

class Cleaning {
  isCut = false
  isTooLarge = false
  private nodesLeft = NODES_MAX
  private readonly schema: Schema
  constructor(schema: Schema) {
    this.schema = schema
  }

  node(given: JSONContent, depth: number): JSONContent[] {
    const type = typeof given?.type === 'string' ? this.schema.nodes[given.type] : undefined
    this.nodesLeft -= 1
    this.isTooLarge ||= depth > DEPTH_MAX || this.nodesLeft < 0
    if (this.isTooLarge) return []
    if (!type) return this.cut()
    if (type.isText)
      return typeof given.text === 'string' && given.text !== '' ? [{ type: 'text', text: given.text, ...this.marks(given.marks) }] : []
    const content = Array.isArray(given.content) ? given.content.flatMap((child) => this.node(child, depth + 1)) : []
    return [
      {
        type: type.name,
        attrs: this.attributes(given.attrs, type.spec.attrs),
        ...(content.length > 0 && { content }),
        ...this.marks(given.marks),
      },
    ]
  }

  private marks(given: unknown): Pick<JSONContent, 'marks'> {
    if (!Array.isArray(given)) return {}
    const known = given.flatMap((mark: { type?: unknown; attrs?: unknown } | null) => {
      const type = typeof mark?.type === 'string' ? this.schema.marks[mark.type] : undefined
      return type ? [{ type: type.name, attrs: this.attributes(mark?.attrs, type.spec.attrs) }] : this.cut()
    })
    return known.length > 0 ? { marks: known } : {}
  }

  /** The attributes that the editor knows; a missing one gets its default. */
  private attributes(given: unknown, known: Readonly<Record<string, unknown>> | null | undefined): Record<string, unknown> {
    const values = (typeof given === 'object' && given !== null ? given : {}) as Record<string, unknown>
    return Object.fromEntries(
      Object.keys(known ?? {}).flatMap((name) => {
        const value = Object.hasOwn(values, name) ? this.value(name, values[name]) : undefined
        return value === undefined ? [] : [[name, value]]
      }),
    )
  }

  private value(name: string, value: unknown): unknown {
    if (value === null || typeof value === 'number' || typeof value === 'boolean') return value
    if (typeof value !== 'string') return undefined
    if (value.length > VALUE_LENGTH_MAX) this.isTooLarge = true
    // The editor makes the address of a style sheet of these.
    if (name === 'theme' || name === 'language') return /^[a-z0-9-]{1,40}$/i.test(value) ? value : undefined
    const clean = name === 'href' || name === 'src' ? (isSafeAddress(value) ? value : '') : name === 'style' ? safeStyle(value) : value
    this.isCut ||= clean !== value
    return clean
  }

  private cut(): [] {
    this.isCut = true
    return []
  }
}

/** Links, images of the web or of the message, and placeholders. */
export const isSafeAddress = (address: string): boolean => SAFE_ADDRESS.test(address.trim())

const SAFE_ADDRESS = /^(?:https?:\/\/|mailto:|tel:|cid:|\{\{\{)/i

/** What someone typed as the address of a link: empty for none, with `https://` before a host name; null if it is no safe address. */
export function addressOf(typed: string): string | null {
  const address = typed.trim()
  if (address === '' || isSafeAddress(address)) return address
  return HOST_FIRST.test(address) ? `https://${address}` : null
}

const HOST_FIRST = /^[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+(?:[/?#]\S*)?$/u

/** The declarations that load nothing and cover nothing. */
export const safeStyle = (style: string): string =>
  style
    .split(';')
    .filter((each) => !UNSAFE_PROPERTY.test(each) && !UNSAFE_VALUE.test(each))
    .join(';')

const UNSAFE_PROPERTY = /^\s*(?:position|content|cursor|filter|behavior|-moz-binding)\s*:/i
const UNSAFE_VALUE = /url|image\s*\(|image-set|expression|import|[\\@<{]|\/\*/i

/** What was copied elsewhere keeps its words, its structure, and addresses that are safe. */
export function cleanPasted(html: string): string {
  const page = new DOMParser().parseFromString(withoutStyles(html), 'text/html')
  for (const element of page.body.querySelectorAll(DROPPED)) element.remove()
  for (const element of page.body.querySelectorAll('*'))
    for (const { name, value } of [...element.attributes])
      if (
        !(KEPT.has(name) || (SIZES.has(name) && element.tagName === 'IMG')) ||
        ((name === 'href' || name === 'src') && !isSafeAddress(value))
      )
        element.removeAttribute(name)
  for (const table of [...page.body.querySelectorAll('table')].toReversed()) unwrapLayout(table)
  return page.body.innerHTML
}

/** A table of one column places what is in it, and says nothing: its cells become paragraphs. */
function unwrapLayout(table: HTMLTableElement): void {
  if ([...table.rows].some(({ cells }) => cells.length > 1)) return
  table.replaceWith(...[...table.rows].flatMap(({ cells }) => [...cells].flatMap(blocksOf)))
}

function blocksOf(cell: HTMLTableCellElement): Node[] {
  if (cell.querySelector(BLOCKS)) return [...cell.childNodes]
  const paragraph = document.createElement('p')
  paragraph.append(...cell.childNodes)
  return [paragraph]
}

const BLOCKS = 'p, h1, h2, h3, h4, h5, h6, ul, ol, blockquote, pre, hr, table, div'

/** The policy of the page refuses attributes of styles, also of a page that is only parsed. */
const withoutStyles = (html: string): string => html.replaceAll(/\sstyle\s*=/gi, ' data-style=')

const DROPPED =
  'script, style, link, meta, base, iframe, frame, object, embed, form, input, button, select, textarea, svg, math, template, noscript'
const KEPT = new Set(['href', 'src', 'alt', 'colspan', 'rowspan'])
const SIZES = new Set(['width', 'height'])
