export type Row = {
  what: string
  perSecond: number
  /** Milliseconds; null where there is no request to wait for. */
  p50: number | null
  p99: number | null
  /** What it is compared with, per second. */
  against: number | null
}

/** Rows under a heading, in columns. */
export function table(rows: Row[]): string {
  const cells = [
    ['', 'per second', 'p50 ms', 'p99 ms', 'ratio'],
    ...rows.map(({ what, perSecond, p50, p99, against }) => [
      what,
      Math.round(perSecond).toLocaleString('en'),
      p50 === null ? '' : String(p50),
      p99 === null ? '' : String(p99),
      against === null ? '' : (perSecond / against).toFixed(2),
    ]),
  ]
  const widths = (cells[0] ?? []).map((_, column) => Math.max(...cells.map((row) => (row[column] ?? '').length)))
  return cells
    .map((row) => row.map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0))).join('  '))
    .join('\n')
}
