// Two people who change the same record at once.
import { Failure } from './failure.ts'

/** Who changed a record last. `name`: what the person, key or program was called then; null if it had no name. */
export type LastChange = { name: string | null; at: Date }

/** Refuses a change that was written without having seen the last one. */
export function changedMeanwhile(noun: string, last: LastChange | null): Failure {
  const by = last?.name == null ? 'someone else' : last.name.slice(0, NAME_LENGTH_MAX).toWellFormed()
  const at = last === null ? '' : `, at ${last.at.toISOString()}`
  return new Failure(
    'changedMeanwhile',
    `This ${noun} was changed meanwhile by ${by}${at}. Read it again, and make your change to what it says now; without \`expected_version\`, yours replaces theirs.`,
  )
}

const NAME_LENGTH_MAX = 100
