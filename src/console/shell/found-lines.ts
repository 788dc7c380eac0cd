// A list that people can also search: its lines, and the links to its other pages.
import { html, type SafeHtml } from '@remix-run/html-template'
import type { Page } from '../../lib/validation/common.schema.ts'

export type FoundLines<Row> = {
  rows: Row[]
  older: { after: string } | null
  /** `first page`: what was searched has no way back but that. */
  newer: { before: string } | 'first page' | null
  /** How many records a search read, if it ended because of that; otherwise null. */
  searchedMax: number | null
}

/** Lists all records. */
export function listLines<Row extends { id: string }>(
  { rows, hasMore }: Page<Row>,
  { after, before }: { after: string | null; before: string | null },
): FoundLines<Row> {
  const [first, last] = [rows.at(0)?.id, rows.at(-1)?.id]
  const isFirst = after === null && !(before !== null && hasMore)
  return {
    rows,
    older: last !== undefined && (hasMore || before !== null) ? { after: last } : null,
    newer: isFirst ? null : first === undefined ? 'first page' : { before: first },
    searchedMax: null,
  }
}

/** @param next the id after which to continue the search; null if there is nothing more */
export const searchLines = <Row>(
  { rows, next, searchedMax }: { rows: Row[]; next: string | null; searchedMax: number | null },
  { after }: { after: string | null },
): FoundLines<Row> => ({
  rows,
  older: next === null ? null : { after: next },
  newer: after === null ? null : 'first page',
  searchedMax,
})

type Position = { after: string } | { before: string } | null

/**
 * @param pathOf the address of a page
 * @param searchFurther what the link says if the search ended before all was read
 */
export const linePages = (
  { older, newer, searchedMax }: Omit<FoundLines<unknown>, 'rows'>,
  { pathOf, searchFurther }: { pathOf: (position: Position) => string; searchFurther: string },
): SafeHtml => html`<nav class="pages" aria-label="Pages"><span>${newer === null ? '' : html`<a href="${pathOf(newer === 'first page' ? null : newer)}" rel="prev">← ${newer === 'first page' ? 'Newest' : 'Newer'}</a>`}</span>
<span>${older === null ? '' : html`<a href="${pathOf(older)}" rel="next">${searchedMax === null ? 'Older →' : searchFurther}</a>`}</span></nav>`
