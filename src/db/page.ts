// Keyset pages over UUIDv7 ids: list order, cursor and primary key are one index.
import { HIGHEST_ID, idAfter, idBoundOfAny, LOWEST_ID } from '../lib/ids.ts'
import type { PageRequest } from '../lib/page-request.ts'
import type { Page } from '../lib/validation/common.schema.ts'

/** Where a search walks: from the first id on, before the second, newest first unless it goes back to newer ones. */
export type Walk = { from: string; until: string; order: 'asc' | 'desc' }

/** @param since the first instant, and `until` the first one that is too late; null for any */
export function toWalk(request: Omit<PageRequest, 'limit'>, { since, until }: { since: Date | null; until: Date | null }): Walk {
  const { after, before } = request
  const from = since === null ? LOWEST_ID : idBoundOfAny(since.getTime())
  const end = until === null ? HIGHEST_ID : idBoundOfAny(until.getTime())
  return {
    from: before !== null && before >= from ? idAfter(before) : from,
    until: after !== null && after < end ? after : end,
    order: before === null ? 'desc' : 'asc',
  }
}

/** What a keyset page asks of Prisma. One row more than the page holds shows whether there are more. */
export type Keyset = { where: { id?: { lt: string } | { gt: string } }; orderBy: { id: 'asc' | 'desc' }; take: number }

/** The id next to which the page begins, in either direction; null if it begins at the end. */
export const boundOf = ({ where: { id } }: Keyset): string | null => (id === undefined ? null : 'lt' in id ? id.lt : id.gt)

/** Reads one page, newest first in both directions. A cursor is a position: its record need not exist. */
export async function readPage<Row>(request: PageRequest, find: (keyset: Keyset) => Promise<Row[]>): Promise<Page<Row>> {
  const { limit, after, before } = request
  const isBackward = before !== null
  const rows = await find({
    where: isBackward ? { id: { gt: before } } : after !== null ? { id: { lt: after } } : {},
    orderBy: { id: isBackward ? 'asc' : 'desc' },
    take: limit + 1,
  })
  const kept = rows.slice(0, limit)
  return { rows: isBackward ? kept.reverse() : kept, hasMore: rows.length > limit }
}
