/**
 * A line of CSV (RFC 4180). A cell that a spreadsheet would take for a formula starts with an apostrophe, so that text from strangers is never
 * executed.
 */
export const csvLine = (cells: string[]): string => `${cells.map(quoted).join(',')}\r\n`

const FORMULA = /^[=+\-@\t\r]/

function quoted(cell: string): string {
  const safe = FORMULA.test(cell) ? `'${cell}` : cell
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
