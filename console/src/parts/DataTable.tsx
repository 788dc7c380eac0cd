import type { Rows } from '../api/queries'
import { type Column, DataList } from './DataList'

/** Rows that are all there, shown as a list by pages is. */
export const DataTable = <Row extends { id: string }>({
  label,
  rows,
  columns,
  empty,
  to,
}: {
  label: string
  rows: Row[]
  columns: readonly Column<Row>[]
  empty?: string
  /** The page of a row. The first column is the link. */
  to?: (row: Row) => string
}) => <DataList label={label} list={whole(rows)} columns={columns} empty={empty} {...(to && { to })} />

const nothing = (): void => {}

const whole = <Row,>(rows: Row[]): Rows<Row> => ({
  ...{ rows, isLoading: false, error: null, hasMore: false, isOfOtherFilter: false, isLoadingMore: false, searchedTo: null },
  ...{ loadMore: nothing, retry: nothing },
})
