// The Range header (RFC 9110, section 14), as far as players and download programs use it: one range.

export type Range = { start: number; end: number }

/** Null: send all of it. `unsatisfiable`: the range is beyond the end. */
export function readRange(header: string | undefined, size: number): Range | 'unsatisfiable' | null {
  const [, first, last] = RANGE.exec(header?.trim() ?? '') ?? []
  if (first === undefined || last === undefined || (first === '' && last === '')) return null
  const start = first === '' ? Math.max(0, size - Number(last)) : Number(first)
  const end = first === '' || last === '' ? size - 1 : Math.min(size - 1, Number(last))
  // A range whose end is before its start is no range at all.
  if (first !== '' && last !== '' && Number(last) < Number(first)) return null
  return start > end ? 'unsatisfiable' : { start, end }
}

const RANGE = /^bytes=(\d{0,15})-(\d{0,15})$/
