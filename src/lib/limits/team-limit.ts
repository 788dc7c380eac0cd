// How many records of a kind a team can have, and what is said of it.
import { type Failure, invalid } from '../failure.ts'

/** `sentence`: without its full stop. */
export type TeamLimit = { max: number; sentence: string; failure: () => Failure }

/**
 * @param records what is counted, in the plural
 * @param advice how to make room
 */
export function teamLimit(max: number, records: string, advice = 'Delete one first.'): TeamLimit {
  const sentence = `A team can have at most ${max.toLocaleString('en')} ${records}`
  return { max, sentence, failure: () => invalid(`${sentence}. ${advice}`) }
}
