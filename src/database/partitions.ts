// Daily partitions of the tables that grow without end. A version 7 UUID begins with its time (RFC 9562, section 5.7), so a range of ids is a day.
import pg from 'pg'
import { idBound } from '../lib/ids.ts'
import { withAdvisoryLock } from './database-session.ts'

/** The tables that are partitioned by day. */
export const partitionedTables = ['request_logs', 'notifications', 'attempts'] as const

export type PartitionPlan = {
  tables: readonly string[]
  now: Date
  /** How many whole days are kept beside today. */
  retentionDays: number
}

/**
 * Makes the partitions from yesterday to a week ahead, and drops those whose last moment is more than `retentionDays` ago; one process at a time.
 * Answers the names. Throws the database's error; what was done until then stays, and the next call goes on from there, also after a crash.
 */
export async function maintainPartitions(
  pool: pg.Pool,
  { tables, now, retentionDays }: PartitionPlan,
): Promise<{ created: string[]; dropped: string[] }> {
  const client = await connectPatiently(pool)
  try {
    return await withAdvisoryLock(client, { purpose: 'partitions', waitMaxMs: LOCK_WAIT_MAX_MS }, () =>
      maintainAll(client, { tables, now, retentionDays }),
    )
  } finally {
    // Nothing is lost with a connection that does not even end in good order.
    await client.end().catch(() => {})
  }
}

/** A connection beside the pool, whose own give up long before a detach has waited for the transactions that read the table. */
async function connectPatiently({ options }: pg.Pool): Promise<pg.Client> {
  const client = new pg.Client({
    ...options,
    // The pool hides it from what copies its options.
    ...(options.password !== undefined && { password: options.password }),
    statement_timeout: DETACH_TIMEOUT_MS,
    query_timeout: DETACH_TIMEOUT_MS + ANSWER_MS,
  })
  // A connection that breaks while nothing is asked of it must not end the process; the next statement fails.
  client.on('error', () => {})
  await client.connect()
  return client
}

/** The partitions of today and tomorrow that are missing: without them nothing can be written, now or soon. */
export async function missingPartitions(pool: pg.Pool, tables: readonly string[], now: Date): Promise<string[]> {
  const wanted = tables.flatMap((table) => days(now, { from: 0, to: 1 }).map((day) => ({ table, name: partitionName(table, day) })))
  const { rows } = await pool.query<{ name: string; table: string }>(
    `select child.relname as name, parent.relname as table
     from pg_inherits join pg_class child on child.oid = inhrelid join pg_class parent on parent.oid = inhparent
     where parent.oid = any(select to_regclass(quote_ident(name)) from unnest($1::text[]) as name) and not inhdetachpending`,
    [tables],
  )
  return wanted.filter(({ table, name }) => !rows.some((row) => row.name === name && row.table === table)).map(({ name }) => name)
}

const DAY_MS = 86_400_000
// Yesterday, for what was begun before midnight or by a clock that is behind; a week, so that a failure here has days to be seen.
const DAYS_BACK = 1
const DAYS_AHEAD = 7
const DETACH_TIMEOUT_MS = 300_000
/** For the server to say that a statement has run out of its time. */
const ANSWER_MS = 5_000
const LOCK_WAIT_MAX_MS = 600_000

/** The name of the partition that holds the ids of a day (UTC). */
export function partitionName(table: string, day: Date): string {
  return `${table}_p${day.toISOString().slice(0, 10).replaceAll('-', '')}`
}

async function maintainAll(
  client: pg.ClientBase,
  { tables, now, retentionDays }: PartitionPlan,
): Promise<{ created: string[]; dropped: string[] }> {
  const expiredUntil = new Date(now.getTime() - retentionDays * DAY_MS)
  const created: string[] = []
  const dropped: string[] = []
  for (const table of tables) {
    created.push(...(await createAhead(client, table, now)))
    dropped.push(...(await dropExpired(client, table, expiredUntil)))
  }
  return { created, dropped }
}

async function createAhead(client: pg.ClientBase, table: string, now: Date): Promise<string[]> {
  const existing = await partitionsOf(client, table)
  const missing = days(now, { from: -DAYS_BACK, to: DAYS_AHEAD }).filter(
    (day) => !existing.some(({ name }) => name === partitionName(table, day)),
  )
  for (const day of missing) {
    const name = partitionName(table, day)
    const bounds = `from ('${idBound(day.getTime())}') to ('${idBound(day.getTime() + DAY_MS)}')`
    await client.query(`create table ${quoted(name)} partition of ${quoted(table)} for values ${bounds}`)
  }
  return missing.map((day) => partitionName(table, day))
}

async function dropExpired(client: pg.ClientBase, table: string, expiredUntil: Date): Promise<string[]> {
  const dropped: string[] = []
  for (const { name, state } of await partitionsOf(client, table)) {
    // A crash in the middle of detaching leaves it half done, and PostgreSQL begins no other one before that is finished.
    if (state === 'detaching') await client.query(`alter table ${quoted(table)} detach partition ${quoted(name)} finalize`)
    const day = dayOf(table, name)
    if (!day || day.getTime() + DAY_MS > expiredUntil.getTime()) continue
    if (state === 'attached') await client.query(`alter table ${quoted(table)} detach partition ${quoted(name)} concurrently`)
    await client.query(`drop table ${quoted(name)}`)
    dropped.push(name)
  }
  return dropped
}

type Partition = { name: string; state: 'attached' | 'detaching' | 'detached' }

/** The partitions of a table, oldest first, with those that were detached and not dropped. */
async function partitionsOf(client: pg.ClientBase, table: string): Promise<Partition[]> {
  const { rows } = await client.query<Partition>(
    `select child.relname as name, case when inhrelid is null then 'detached' when inhdetachpending then 'detaching' else 'attached' end as state
     from pg_class parent
     join pg_class child on child.relnamespace = parent.relnamespace and child.relkind = 'r' and starts_with(child.relname, parent.relname || '_p')
     left join pg_inherits on inhrelid = child.oid
     where parent.oid = quote_ident($1)::regclass and (inhparent = parent.oid or inhparent is null)
     order by child.relname`,
    [table],
  )
  return rows.filter(({ name }) => dayOf(table, name))
}

function dayOf(table: string, name: string): Date | undefined {
  const [, year, month, day] = /^_p(\d{4})(\d{2})(\d{2})$/.exec(name.slice(table.length)) ?? []
  return year === undefined ? undefined : new Date(`${year}-${month}-${day}T00:00:00Z`)
}

function days(now: Date, { from, to }: { from: number; to: number }): Date[] {
  const today = Math.floor(now.getTime() / DAY_MS) * DAY_MS
  return Array.from({ length: to - from + 1 }, (_, index) => new Date(today + (from + index) * DAY_MS))
}

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`
