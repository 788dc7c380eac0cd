// The text of a header field as it may stand in a message (RFC 5322, sections 2.1.1, 2.2.3 and 3.2.2; RFC 2047).
import { encodeWord } from 'nodemailer/lib/mime-funcs'

/** Written already: the composer only folds it. */
export type WrittenHeader = { prepared: true; foldLines: true; value: string }

/**
 * A string that the composer encodes if it has to, or what it would send raw, encoded: words that no line holds, and words that a reader would
 * decode into something else than was given, line breaks included.
 */
export function headerText(text: string): string | WrittenHeader {
  const value = collapseSpaces(text)
  const isRisky = value.includes('=?') || value.split(' ').some((word) => word.length > WORD_LENGTH_MAX)
  return isRisky ? { prepared: true, foldLines: true, value: encodeWord(value, 'Q', ENCODED_WORD_LENGTH_MAX) } : value
}

/** One space for each run of them: a line is folded at spaces, and one that holds nothing else would end the headers for some readers. */
export const collapseSpaces = (text: string): string => text.replace(/[\t\n\v\f\r ]+/g, ' ').trim()

/** Whether a reader would decode some of the text. Its end is not looked at, since readers differ in where they see it. */
export const holdsEncodedWord = (text: string): boolean => /=\?[^?]*\?[bq]\?/i.test(text)

/** A line has 998 characters (RFC 5322, section 2.1.1), and begins with a space when it goes on from another. */
const WORD_LENGTH_MAX = 997

/** Fewer than the 75 of RFC 2047, section 2, so that the name of the field has room beside the first. */
const ENCODED_WORD_LENGTH_MAX = 52
