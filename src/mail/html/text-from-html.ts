import { compile, type FormatCallback } from 'html-to-text'
import { shownHtml } from './shown-html.ts'

/**
 * The plain text of an HTML body, for the text part that a client did not write. It reads as `innerText` does. Links are in parentheses, lists and
 * quotes are marked, and images are left out, but for what a linked image says. Never throws, and takes bounded time for any input: text after the
 * first million characters is left out.
 */
export function textFromHtml(html: string): string {
  const isCut = html.length > GENERATED_TEXT_LENGTH_MAX
  const text = layOut(shownHtml(isCut ? html.slice(0, GENERATED_TEXT_LENGTH_MAX) : html))
  return isCut || text.length > GENERATED_TEXT_LENGTH_MAX ? `${text.slice(0, GENERATED_TEXT_LENGTH_MAX)}\n\n[…]` : text
}

/** For input and output: about ten times what mail programs show before they cut a message. */
export const GENERATED_TEXT_LENGTH_MAX = 1_000_000

type Nodes = Parameters<FormatCallback>[0]['children']
type Cell = { text: string }

/** A line for each row and a tab between its cells, for tables of every role. What stands between the cells comes first, as in browsers. */
const table: FormatCallback = ({ children, attribs }, walk, builder) => {
  const outside = children.filter(({ name }) => name !== 'tr')
  builder.openBlock({ leadingLineBreaks: 2 })
  if (outside.length > 0) {
    builder.openBlock({ leadingLineBreaks: 1 })
    walk(outside, builder)
    builder.closeBlock({ trailingLineBreaks: 1 })
  }
  for (const row of children) if (row.name === 'tr') walk(between(row.children), builder)
  builder.openTable()
  for (const row of children) {
    if (row.name !== 'tr') continue
    builder.openTableRow()
    for (const cell of row.children) {
      if (cell.name !== 'td') continue
      builder.openTableCell()
      walk(cell.children, builder)
      builder.closeTableCell()
    }
    builder.closeTableRow()
  }
  const isLayout = attribs.role === 'none'
  builder.closeTable({ tableToString: (rows) => rowsText(rows, isLayout), leadingLineBreaks: 1, trailingLineBreaks: 2 })
  builder.closeBlock({ trailingLineBreaks: 2 })
}

const between = (children: Nodes): Nodes => children.filter(({ name }) => name !== 'td')

const rowsText = (rows: readonly (readonly Cell[])[], isLayout: boolean): string =>
  rows
    .map((cells) => rowText(cells, isLayout))
    .filter((text) => text !== '')
    .join('\n')

/** A cell of several lines has them for itself. An empty cell keeps its column in a table of data. */
function rowText(cells: readonly Cell[], isLayout: boolean): string {
  const filled = cells.filter(({ text }) => text !== '')
  if (filled.length < 2 && (isLayout || cells[0] === filled[0])) return filled[0]?.text ?? ''
  if (filled.some(({ text }) => text.includes('\n'))) return filled.map(({ text }) => text).join('\n')
  const shown = isLayout ? filled : cells
  const last = shown.findLastIndex(({ text }) => text !== '')
  return shown
    .slice(0, last + 1)
    .map(({ text }) => text)
    .join('\t')
}

const layOut = compile({
  wordwrap: false,
  limits: { ellipsis: '…' },
  formatters: { rows: table },
  selectors: [
    { selector: 'table', format: 'rows' },
    ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((selector) => ({ selector, options: { uppercase: false } })),
  ],
})
