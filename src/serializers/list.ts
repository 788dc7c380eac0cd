import type { Page, SearchPage } from '../repositories/page.ts'

/** The envelope of every list (spec, Conventions 6). */
export const toList = <Row, Item>(page: Page<Row>, toItem: (row: Row) => Item): { object: 'list'; has_more: boolean; data: Item[] } => ({
  object: 'list',
  has_more: page.hasMore,
  data: page.rows.map(toItem),
})

/** The envelope of a search. */
export const toSearchedList = <Row, Item>({ searchedTo, ...page }: SearchPage<Row>, toItem: (row: Row) => Item) => ({
  ...toList(page, toItem),
  ...(searchedTo !== null && { searched_to: searchedTo }),
})
