import { type RowOf, useAllRows } from '../api/queries'

/** The segments to which contacts are added; the API refuses this for the others, whose filter selects the contacts. */
export const useListedSegments = ({ isEnabled = true }: { isEnabled?: boolean } = {}): RowOf<'/segments'>[] =>
  useAllRows('/segments', { isEnabled }).rows.filter(({ has_filter }) => !has_filter)
