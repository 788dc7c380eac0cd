import { html, type SafeHtml } from '@remix-run/html-template'
import { Type } from '@sinclair/typebox'
import { idAfter } from '../../lib/ids.ts'
import type { Page } from '../../lib/validation/common.schema.ts'

/** How many lines a list shows at once. */
export const LINES_PER_PAGE = 50

/** Where a page begins or ends, in its address: after one id, or before one. */
export const placeFields = {
  after: Type.Optional(Type.String({ format: 'uuid' })),
  before: Type.Optional(Type.String({ format: 'uuid' })),
}

/** `searchedTo`: where a search continues that ended at its bound, perhaps without a row. */
type Shown = Page<{ id: string }> & { searchedTo?: string | null }

/**
 * The links between the pages of a list.
 *
 * @param after the id after which this page begins; null if it is the first
 * @param before the id before which a search ended, if it was reached from an older page
 * @param sought what the address says besides the position
 */
export function pager(
  { rows, hasMore, searchedTo = null }: Shown,
  {
    address,
    after,
    before = null,
    sought = {},
  }: { address: string; after: string | null; before?: string | null; sought?: Record<string, string> },
): SafeHtml {
  const [first, last] = [rows.at(0)?.id, rows.at(-1)?.id]
  const to = (position: Record<string, string>): string => {
    const query = new URLSearchParams({ ...sought, ...position }).toString()
    return query === '' ? address : `${address}?${query}`
  }
  const newest = (before !== null && searchedTo) || first
  const oldest = before === null ? (searchedTo ?? last) : (last ?? idAfter(before))
  const newer = to(newest === undefined ? {} : { before: newest })
  return html`<nav class="pages" aria-label="Pages"><span>${after === null ? '' : html`<a href="${newer}" rel="prev">← Newer</a>`}</span>
<span>${hasMore && oldest !== undefined ? html`<a href="${to({ after: oldest })}" rel="next">Older →</a>` : ''}</span></nav>`
}

/**
 * Whether nothing is newer than this page, so that it is the first one, which has its own address. A page between two others has `hasMore`, read in
 * either direction.
 *
 * @param before the id before which this page ends; null if it was not reached from an older one
 */
export const isFirstAgain = ({ hasMore }: Page<unknown>, before: string | null): boolean => before !== null && !hasMore
