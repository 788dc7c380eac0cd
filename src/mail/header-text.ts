// The text of a header field in the form that a message allows (RFC 5322, sections 2.1.1, 2.2.3 and 3.2.2; RFC 2047).
import { encodeWord } from 'nodemailer/lib/mime-funcs'

/** Already encoded: the composer only folds it. */
export type WrittenHeader = { prepared: true; foldLines: true; value: string }

/**
 * A string that the composer encodes if necessary; or the encoded form of what it would send raw: words that are too long for a line, and words
 * that a reader would decode into something else, including line breaks.
 */
export function headerText(text: string): string | WrittenHeader {
  const value = collapseSpaces(text)
  const isRisky = value.includes('=?') || value.split(' ').some((word) => word.length > WORD_LENGTH_MAX)
  return isRisky ? { prepared: true, foldLines: true, value: encodeWord(value, 'Q', ENCODED_WORD_LENGTH_MAX) } : value
}

/** One space for each run of them. A line is folded at spaces, and some readers take a line of spaces for the end of the headers. */
export const collapseSpaces = (text: string): string => text.replace(/[\t\n\v\f\r ]+/g, ' ').trim()

/** Whether a reader would decode some of the text. The end of the encoded word is not checked, because readers disagree about it. */
export const holdsEncodedWord = (text: string): boolean => /=\?[^?]*\?[bq]\?/i.test(text)

/** A line has 998 characters (RFC 5322, section 2.1.1), and a continued line begins with a space. */
const WORD_LENGTH_MAX = 997

/** Fewer than the 75 of RFC 2047, section 2, so that the name of the field fits before the first. */
const ENCODED_WORD_LENGTH_MAX = 52
