import { html, type SafeHtml } from '@remix-run/html-template'
import { Type } from '@sinclair/typebox'
import type { Page } from '../../repositories/page.ts'

/** How many lines a list shows at once. */
export const LINES_PER_PAGE = 50

/** Where a page begins or ends, in its address: after one id, or before one. */
export const placeFields = {
  after: Type.Optional(Type.String({ format: 'uuid' })),
  before: Type.Optional(Type.String({ format: 'uuid' })),
}

/**
 * The links between the pages of a list.
 *
 * @param after the id after which this page begins; null if it is the first
 * @param sought what the address says besides the position
 */
export function pager(
  { rows, hasMore }: Page<{ id: string }>,
  { address, after, sought = {} }: { address: string; after: string | null; sought?: Record<string, string> },
): SafeHtml {
  const [first, last] = [rows.at(0)?.id, rows.at(-1)?.id]
  const to = (position: Record<string, string>): string => {
    const query = new URLSearchParams({ ...sought, ...position }).toString()
    return query === '' ? address : `${address}?${query}`
  }
  const newer = to(first === undefined ? {} : { before: first })
  return html`<nav class="pages" aria-label="Pages"><span>${after === null ? '' : html`<a href="${newer}" rel="prev">← Newer</a>`}</span>
<span>${hasMore && last !== undefined ? html`<a href="${to({ after: last })}" rel="next">Older →</a>` : ''}</span></nav>`
}

/**
 * Whether nothing is newer than this page, so that it is the first one, which has its own address. A page between two others has `hasMore`, read in
 * either direction.
 *
 * @param before the id before which this page ends; null if it was not reached from an older one
 */
export const isFirstAgain = ({ hasMore }: Page<unknown>, before: string | null): boolean => before !== null && !hasMore
