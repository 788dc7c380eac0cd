// Parameters of a query that hold several values, separated by commas, or repeated, or both.
import { invalid } from '../lib/failure.ts'
import { quotedValue } from '../lib/quotation.ts'

/** Each once. */
export const listOf = (given: string[] = []): string[] => [
  ...new Set(
    given
      .flatMap((text) => text.split(','))
      .map((text) => text.trim())
      .filter((text) => text !== ''),
  ),
]

/** @throws Failure about the first that is not one of `words` */
export const wordsOf = <const Word extends string>(name: string, given: string[] | undefined, words: readonly Word[]): Word[] =>
  listOf(given).map((text) => {
    const found = words.find((word) => word === text)
    if (found !== undefined) return found
    throw invalid(`The \`${name}\` parameter must hold only ${words.map((word) => `\`${word}\``).join(', ')}.${quotedValue(text)}`)
  })
