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

/** Null if it is of a form that this editor does not know, so that it is shown as HTML instead of being cut to pieces. */
export function cleanDocument(stored: unknown, schema: Schema): JSONContent | null {
  const { version, doc } = (stored ?? {}) as { version?: unknown; doc?: JSONContent }
  if (version !== VERSION || typeof doc !== 'object' || doc === null) return null
  let nodesLeft = NODES_MAX
  const clean = (node: JSONContent, depth: number): JSONContent[] => {
    const type = typeof node?.type === 'string' ? schema.nodes[node.type] : undefined
    nodesLeft -= 1
    if (!type || depth > DEPTH_MAX || nodesLeft < 0) return []
    if (type.isText)
      return typeof node.text === 'string' && node.text !== '' ? [{ type: 'text', text: node.text, ...marksOf(node, schema) }] : []
    const content = Array.isArray(node.content) ? node.content.flatMap((child) => clean(child, depth + 1)) : []
    return [
      {
        type: type.name,
        attrs: attributesOf(node.attrs, type.spec.attrs),
        ...(content.length > 0 && { content }),
        ...marksOf(node, schema),
      },
    ]
  }
  const [cleaned] = clean(doc, 0)
  if (!cleaned) return null
  try {
    schema.nodeFromJSON(cleaned).check()
    return cleaned
  } catch {
    return null
  }
}

function marksOf({ marks }: JSONContent, schema: Schema): Pick<JSONContent, 'marks'> {
  if (!Array.isArray(marks)) return {}
  const known = marks.flatMap(({ type, attrs }) => {
    const mark = typeof type === 'string' ? schema.marks[type] : undefined
    return mark ? [{ type: mark.name, attrs: attributesOf(attrs, mark.spec.attrs) }] : []
  })
  return known.length > 0 ? { marks: known } : {}
}

/** Those that the editor knows; one that is missing gets its default. */
function attributesOf(given: unknown, known: Readonly<Record<string, unknown>> | null | undefined): Record<string, unknown> {
  const values = (typeof given === 'object' && given !== null ? given : {}) as Record<string, unknown>
  return Object.fromEntries(
    Object.keys(known ?? {}).flatMap((name) => {
      const value = Object.hasOwn(values, name) ? cleanValue(name, values[name]) : undefined
      return value === undefined ? [] : [[name, value]]
    }),
  )
}

function cleanValue(name: string, value: unknown): unknown {
  if (value === null || typeof value === 'number' || typeof value === 'boolean') return value
  if (typeof value !== 'string' || value.length > VALUE_LENGTH_MAX) return undefined
  if (name === 'href' || name === 'src') return isSafeAddress(value) ? value : ''
  if (name === 'style') return safeStyle(value)
  return value
}

/** Links, images of the web or of the message, and placeholders. */
export const isSafeAddress = (address: string): boolean => SAFE_ADDRESS.test(address.trim())

const SAFE_ADDRESS = /^(?:https?:\/\/|mailto:|tel:|cid:|\{\{\{)/i

/** The declarations that load nothing and cover nothing. */
export const safeStyle = (style: string): string =>
  style
    .split(';')
    .filter((each) => !UNSAFE_STYLE.test(each))
    .join(';')

const UNSAFE_STYLE = /url|image|expression|import|behavior|binding|position|content|cursor|filter|[\\@<{]|\/\*/i

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
