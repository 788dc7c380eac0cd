// A plan of migrations as lines for people.
import type { PlannedLock, PlannedMigration } from './migration-plan.ts'
import type { LockMode } from './table-locks.ts'

export function planLines(migrations: readonly PlannedMigration[], { isNew }: { isNew: boolean }): string[] {
  if (migrations.length === 0) return ['No migration is pending.']
  if (isNew) return [`The database is new: ${counted(migrations.length)} would make its tables. Nothing waits for a lock.`]
  return [
    `${counted(migrations.length)} pending. Each is one transaction and keeps its locks until it ends.`,
    ...migrations.flatMap((migration) => ['', ...linesOf(migration)]),
    '',
    'Nothing was changed. Times are orders of magnitude, reckoned from the sizes of the tables.',
  ]
}

const counted = (count: number): string => (count === 1 ? '1 migration' : `${count} migrations`)

function linesOf({ name, steps, newTables, unknown, locks, seconds, servesFormer }: PlannedMigration): string[] {
  const isUnknown = unknown.length > 0
  return [
    `${name}: ${isUnknown ? 'not known' : durationOf(seconds)}`,
    ...(newTables.length > 0 ? [`  makes ${newTables.join(', ')}`] : []),
    ...steps.map((step) => `  ${step}`),
    ...unknown.map((text) => `  not known: ${text}`),
    ...locks.map((lock) => `  locks ${lockOf(lock)}${isUnknown ? ', or longer' : ''}`),
    ...(isUnknown ? ['  may lock more than that'] : []),
    `  the version before it ${servesFormer ? 'keeps running meanwhile, and afterwards' : 'must be stopped first'}`,
  ]
}

const lockOf = ({ table, bytes, mode, seconds }: PlannedLock): string =>
  `${table} (${bytes === null ? 'not there' : sizeOf(bytes)}) in ${mode.toUpperCase()}: ${MEANING[mode]}, ${durationOf(seconds)}`

/** What others wait for meanwhile. */
const MEANING: Record<LockMode, string> = {
  'row exclusive': 'changes of the same rows wait',
  'share update exclusive': 'no email waits',
  share: 'writing waits',
  'share row exclusive': 'writing waits',
  'access exclusive': 'reading and writing wait',
}

const MIB = 1024 * 1024

const sizeOf = (bytes: number): string => `${Math.ceil(bytes / MIB).toLocaleString('en-US')} MB`

/** Durations are orders of magnitude. */
function durationOf(seconds: number): string {
  if (seconds < 1) return 'less than a second'
  if (seconds < 10) return 'seconds'
  if (seconds < 100) return 'about a minute'
  if (seconds < 1_000) return 'about ten minutes'
  return seconds < 10_000 ? 'an hour or more' : 'many hours'
}
