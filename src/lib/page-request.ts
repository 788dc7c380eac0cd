import { invalid } from './failure.ts'
import { PAGE_SIZES } from './validation/common.schema.ts'

const PAGE_SIZE_DEFAULT = 20

/** A page to read: at most `limit` rows, after or before the id of a position. */
export type PageRequest = { limit: number; after: string | null; before: string | null }

/**
 * Turns the query of a list into a page.
 *
 * @param whenOmitted what a missing `limit` means for this list (spec, Pagination rule 4). A cursor without a limit pages by 20.
 */
export function pageRequest(query: { limit?: number; after?: string; before?: string }, whenOmitted: keyof typeof PAGE_SIZES): PageRequest {
  if (query.after !== undefined && query.before !== undefined) throw invalid('Give either `after` or `before`, not both.')
  const hasCursor = query.after !== undefined || query.before !== undefined
  const limit = query.limit ?? (hasCursor ? PAGE_SIZE_DEFAULT : PAGE_SIZES[whenOmitted])
  return { limit, after: query.after?.toLowerCase() ?? null, before: query.before?.toLowerCase() ?? null }
}
