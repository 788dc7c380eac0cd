/**
 * Text from strangers as PostgreSQL and JSON can keep it: without NUL and lone surrogates.
 *
 * @param nul what stands for a NUL
 */
export const storable = (text: string, { nul = '' } = {}): string => text.replaceAll('\0', nul).toWellFormed()

/** Makes the text storable, and cuts it to at most so many characters. */
export const storableText = (text: string, lengthMax: number): string =>
  Array.from(text.slice(0, lengthMax * UNITS_PER_CHARACTER_MAX).replaceAll('\0', ''))
    .slice(0, lengthMax)
    .join('')
    .toWellFormed()

const UNITS_PER_CHARACTER_MAX = 2
