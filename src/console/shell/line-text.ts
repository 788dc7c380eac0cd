// Texts of others in the lines of a list. Some may be very long, and a page of 50 lines must stay small: the page of the record has the whole text.

/** More than fits into a line of the widest page. */
const LINE_LENGTH_MAX = 160
/** The limit of a text that shares its line with others. */
export const PART_LENGTH_MAX = 60

/** At most so many characters, with a mark where it was cut. Characters stay whole. */
export function lineText(text: string, lengthMax = LINE_LENGTH_MAX): string {
  if (text.length <= lengthMax) return text
  const cut = text.slice(0, lengthMax - 1)
  // The first half of a pair of surrogates is no character (Unicode, section 3.8).
  return `${/[\ud800-\udbff]$/.test(cut) ? cut.slice(0, -1) : cut}…`
}
