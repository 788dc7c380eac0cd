import type { Page } from '../repositories/page.ts'

/** The envelope of every list (spec, Conventions 6). */
export const toList = <Row, Item>(page: Page<Row>, toItem: (row: Row) => Item): { object: 'list'; has_more: boolean; data: Item[] } => ({
  object: 'list',
  has_more: page.hasMore,
  data: page.rows.map(toItem),
})
