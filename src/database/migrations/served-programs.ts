// Whether programs of an earlier version can work with the tables that a migration leaves. Only additions can be seen to be harmless; everything else
// says so itself: `-- serves: earlier`, or `-- serves: NAME` for programs that know the migration NAME. `-- serves: none` takes it back.
import { effectsOf } from './statement-effects.ts'
import { declaredIn, readStatements } from './statements.ts'

/** `earlier`: programs that lack this migration alone. A name: programs that know that migration. Null: none but those that know this one. */
export function servedBy(sql: string): string | null {
  const declared = declaredIn(sql, 'serves')
  if (declared !== null) return declared === 'none' ? null : declared
  return onlyAdds(sql) ? EARLIER : null
}

const EARLIER = 'earlier'

/** Says whether a migration that the program does not know serves it. */
export const isServed = (serves: string | null, known: ReadonlySet<string>): boolean =>
  serves !== null && (serves === EARLIER || known.has(serves))

/** Says whether a migration serves a running program that has all migrations up to `lastKnown`; null: nothing is known of it. */
export const servesProgram = (serves: string | null, lastKnown: string | null): boolean =>
  serves !== null && (serves === EARLIER || (lastKnown !== null && serves <= lastKnown))

function onlyAdds(sql: string): boolean {
  const made = new Set<string>()
  return readStatements(sql)
    .flatMap(effectsOf)
    .every(({ makes, locks, isServing }) => {
      if (makes !== undefined) made.add(makes)
      return isServing || (locks.length > 0 && locks.every(({ table }) => made.has(table)))
    })
}
