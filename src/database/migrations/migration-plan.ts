// What migrations would do to the tables of a database that is in use, as far as their words and the sizes of the tables say it.
import type { Migration } from './migration-history.ts'
import { servedBy } from './served-programs.ts'
import { type Effect, effectsOf } from './statement-effects.ts'
import { readStatements } from './statements.ts'
import { LOCK_MODES, type LockMode } from './table-locks.ts'

/** `bytes`: the table with its indexes and partitions; null for one that is not there, and that no pending migration makes. */
export type PlannedLock = { table: string; bytes: number | null; mode: LockMode; seconds: number }

export type PlannedMigration = {
  name: string
  /** What it does to tables that are there, and the new ones; in the order of its statements. */
  steps: string[]
  newTables: string[]
  /** The first words of the statements whose effect is not known. */
  unknown: string[]
  /** The strongest of each table, and for how long that is held: until the transaction ends. */
  locks: PlannedLock[]
  seconds: number
  /** Whether the version that runs now can keep running, and start. */
  servesFormer: boolean
}

/** Tables with their bytes, and the tables of indexes and partitions. */
export type TablesThere = { bytes: ReadonlyMap<string, number>; tableOf: ReadonlyMap<string, string> }

export function planAll(migrations: readonly Pick<Migration, 'name' | 'sql'>[], there: TablesThere): PlannedMigration[] {
  const tables = followTables(there)
  const pending = new Set(migrations.map(({ name }) => name))
  return migrations.map(({ name, sql }) => {
    const serves = servedBy(sql)
    const servesFormer = serves !== null && !pending.has(serves)
    return { ...planOne(name, readStatements(sql).flatMap(effectsOf), tables), servesFormer }
  })
}

function planOne(name: string, effects: Effect[], tables: FollowedTables): Omit<PlannedMigration, 'servesFormer'> {
  const plan: Omit<PlannedMigration, 'locks' | 'servesFormer'> = { name, steps: [], newTables: [], unknown: [], seconds: 0 }
  const taken = new Map<string, { mode: LockMode; atSeconds: number }>()
  for (const effect of effects) {
    const locks = effect.locks.map(({ table, mode }) => ({ table: tables.meant(table), mode })).filter(({ table }) => !tables.isNew(table))
    if (effect.does === null) plan.unknown.push(effect.words)
    else if (effect.makes !== undefined) plan.newTables.push(effect.makes)
    else if (locks.length > 0 || effect.locks.length === 0) plan.steps.push(effect.does)
    for (const { table, mode } of locks) {
      const former = taken.get(table)
      if (former === undefined || LOCK_MODES.indexOf(mode) > LOCK_MODES.indexOf(former.mode))
        taken.set(table, { mode, atSeconds: plan.seconds })
    }
    for (const { table, kind } of effect.works) plan.seconds += (tables.bytesOf(tables.meant(table)) ?? 0) / BYTES_PER_SECOND[kind]
    tables.follow(effect)
  }
  const locks = [...taken].map(([table, { mode, atSeconds }]) => ({
    table,
    bytes: tables.bytesOf(table),
    mode,
    seconds: plan.seconds - atSeconds,
  }))
  return { ...plan, locks }
}

type FollowedTables = ReturnType<typeof followTables>

/** What the names of a statement mean in the database as it is, after the statements before it. */
function followTables(there: TablesThere) {
  const made = new Set<string>()
  const called = new Map<string, string>()
  const meant = (name: string): string => called.get(name) ?? there.tableOf.get(name) ?? name
  return {
    /** The table that has this name, or the table of this index or partition. */
    meant,
    /** Whether an earlier statement has made it: no one else knows it yet. */
    isNew: (table: string): boolean => made.has(table),
    bytesOf: (table: string): number | null => (made.has(table) ? 0 : (there.bytes.get(table) ?? null)),
    follow({ makes, names }: Effect): void {
      if (makes !== undefined) made.add(makes)
      if (names !== undefined) called.set(names.name, meant(names.table))
    },
  }
}

// These rates are for a small machine: the lower end of what benchmarks of upgrades have shown. They give an order of magnitude, no more.
const MIB = 1024 * 1024
const BYTES_PER_SECOND = { read: 100 * MIB, index: 25 * MIB, rewrite: 10 * MIB }
