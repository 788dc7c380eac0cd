// What migrations would do to the tables of a database that is in use, as far as their words and the sizes of the tables say it.

import { join } from 'node:path'
import type pg from 'pg'
import { connectSession } from '../session/database-session.ts'
import { refuseUnfinishedRestore } from './lock-waits.ts'
import { schemaFolder } from './migrate.ts'
import { compareHistory, type Migration, readMigrationRecords, readMigrations, servedBy } from './migration-history.ts'
import { type Effect, LOCK_MODES, type LockMode, readEffects, readStatements } from './statement-effects.ts'

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
    return { ...planOne(name, readStatements(sql).flatMap(readEffects), tables), servesFormer }
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

// A plan of migrations as lines for people.

export function planLines(migrations: readonly PlannedMigration[], { isNew }: { isNew: boolean }): string[] {
  if (migrations.length === 0) return ['No migration is pending.']
  if (isNew) return [`The database is new: ${counted(migrations.length)} would create its tables. Nothing waits for a lock.`]
  return [
    `${counted(migrations.length)} pending. Each is one transaction and keeps its locks until it ends.`,
    ...migrations.flatMap((migration) => ['', ...describeMigration(migration)]),
    '',
    'Nothing was changed. Times are orders of magnitude, estimated from the sizes of the tables.',
  ]
}

const counted = (count: number): string => (count === 1 ? '1 migration' : `${count} migrations`)

function describeMigration({ name, steps, newTables, unknown, locks, seconds, servesFormer }: PlannedMigration): string[] {
  const isUnknown = unknown.length > 0
  return [
    `${name}: ${isUnknown ? 'not known' : formatDuration(seconds)}`,
    ...(newTables.length > 0 ? [`  creates ${newTables.join(', ')}`] : []),
    ...steps.map((step) => `  ${step}`),
    ...unknown.map((text) => `  not known: ${text}`),
    ...locks.map((lock) => `  locks ${describeLock(lock)}${isUnknown ? ', or longer' : ''}`),
    ...(isUnknown ? ['  may lock more than that'] : []),
    `  the version before it ${servesFormer ? 'keeps running meanwhile, and afterwards' : 'must be stopped first'}`,
  ]
}

const describeLock = ({ table, bytes, mode, seconds }: PlannedLock): string =>
  `${table} (${bytes === null ? 'not there' : formatSize(bytes)}) in ${mode.toUpperCase()}: ${MEANING[mode]}, ${formatDuration(seconds)}`

/** What others wait for meanwhile. */
const MEANING: Record<LockMode, string> = {
  'row exclusive': 'changes of the same rows wait',
  'share update exclusive': 'no email waits',
  share: 'writing waits',
  'share row exclusive': 'writing waits',
  'access exclusive': 'reading and writing wait',
}

const formatSize = (bytes: number): string => `${Math.ceil(bytes / MIB).toLocaleString('en-US')} MB`

/** Durations are orders of magnitude. */
function formatDuration(seconds: number): string {
  if (seconds < 1) return 'less than a second'
  if (seconds < 10) return 'seconds'
  if (seconds < 100) return 'about a minute'
  if (seconds < 1_000) return 'about ten minutes'
  return seconds < 10_000 ? 'an hour or more' : 'many hours'
}

// The plan of the migrations that a database lacks.

/** A plan of what `migrate` would do, in lines for people. Changes nothing. @throws StartupProblem */
export async function planMigrations(databaseUrl: string, folder = schemaFolder): Promise<string[]> {
  const session = await connectSession(databaseUrl)
  try {
    await refuseUnfinishedRestore(session)
    const migrations = readMigrations(join(folder, 'migrations'))
    const records = await readMigrationRecords(session)
    const { pending } = compareHistory(migrations, records)
    const tables = await readTables(session)
    const planned = planAll(
      migrations.filter(({ name }) => pending.includes(name)),
      tables,
    )
    return planLines(planned, { isNew: records.length === 0 })
  } finally {
    await session.end().catch(() => {})
  }
}

/** Reads the tables of the schema in use. */
export async function readTables(session: pg.ClientBase): Promise<TablesThere> {
  const { rows } = await session.query<{ name: string; table: string; bytes: string }>(
    `select c.relname as name, coalesce(pg_partition_root(t.oid), t.oid)::regclass::text as table,
       case when c.relkind in ('r', 'm') then pg_total_relation_size(c.oid) else 0 end as bytes
     from pg_class c left join pg_index i on i.indexrelid = c.oid join pg_class t on t.oid = coalesce(i.indrelid, c.oid)
     where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p', 'm', 'i', 'I')`,
  )
  const bytes = new Map<string, number>()
  for (const row of rows) bytes.set(row.table, (bytes.get(row.table) ?? 0) + Number(row.bytes))
  return { bytes, tableOf: new Map(rows.map((row) => [row.name, row.table])) }
}
