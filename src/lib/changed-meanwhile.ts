// Two people who change the same record at once.
import { Failure } from './failure.ts'

/** Who changed a record last. `name`: what the person, key or program was called then; null if it had no name. */
export type LastChange = { name: string | null; at: Date }

/** Refuses what was written, published or sent without having seen the last change. */
export function changedMeanwhile(noun: string, last: LastChange | null, act: keyof typeof ADVICE = 'change'): Failure {
  const by = last?.name == null ? 'someone else' : last.name.slice(0, NAME_LENGTH_MAX).toWellFormed()
  const at = last === null ? '' : `, at ${last.at.toISOString()}`
  return new Failure('changedMeanwhile', `This ${noun} was changed meanwhile by ${by}${at}. ${ADVICE[act]}`)
}

const ADVICE = {
  change: 'Read it again, and make your change to what it says now; without `expected_version`, yours replaces theirs.',
  publish: 'Look at what it says now before you publish it.',
  send: 'Look at what it says now before you send it.',
}

const NAME_LENGTH_MAX = 100
