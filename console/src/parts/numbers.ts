// Numbers as people read them.

/** 12,345 */
export const countOf = (count: number): string => count.toLocaleString('en')

export const sumOf = (counts: readonly number[]): number => counts.reduce((sum, count) => sum + count, 0)

/** `12.3 %`; a dash of nothing. Small shares, such as those of complaints, keep two decimals. */
export function shareOf(part: number, whole: number): string {
  if (whole === 0) return '–'
  const percent = (part / whole) * 100
  return `${percent.toLocaleString('en', { maximumFractionDigits: percent < SMALL_PERCENT ? 2 : 1 })} %`
}
const SMALL_PERCENT = 1

/** `98.5 %`; a dash where more opened or clicked than got mail in a time: they opened what was delivered before it. */
export const periodShareOf = (part: number, whole: number): string => shareOf(part, part > whole ? 0 : whole)

/** `850 ms`, `22.5 s`, `180 s` */
export const shortDuration = (ms: number): string =>
  ms < SECOND_MS
    ? `${Math.round(ms).toLocaleString('en')} ms`
    : `${(ms / SECOND_MS).toLocaleString('en', { maximumFractionDigits: ms < DECIMALS_BELOW_MS ? 1 : 0 })} s`
const SECOND_MS = 1_000
const DECIMALS_BELOW_MS = 100_000

/** `12,345` can be typed as 12345. */
export const plainNumber = (text: string): string => text.trim().replaceAll(/(?<=\d)[ ,.](?=\d)/g, '')
