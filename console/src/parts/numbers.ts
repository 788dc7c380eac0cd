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

/** `12,345` can be typed as 12345. */
export const plainNumber = (text: string): string => text.trim().replaceAll(/(?<=\d)[ ,.](?=\d)/g, '')

/** The zone in which times are shown and typed. */
export const OWN_ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone
