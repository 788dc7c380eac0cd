// The partitions of one table: their names, their state, and how one is created. A version 7 UUID begins with its time (RFC 9562, section 5.7), so
// a range of ids is a day.
import type pg from 'pg'
import { DAY_MS } from '../../lib/clock.ts'
import { idBound } from '../../lib/ids.ts'

/** The tables that are partitioned by day. */
export const partitionedTables = [
  'request_logs',
  'notifications',
  'attempts',
  'webhook_messages',
  'webhook_attempts',
  'sent_events',
] as const

/**
 * The share of a page that is filled with new rows. An attempt is changed once, when it ends, and grows: the rest has room for that. A partition
 * does not inherit this from its table.
 */
const FILLFACTORS: Record<string, number> = { attempts: 45 }

export type Partition = { name: string; state: 'attached' | 'detaching' | 'detached' }

/** The name of the partition that holds the ids of a day (UTC). */
export function partitionName(table: string, day: Date): string {
  return `${table}_p${day.toISOString().slice(0, 10).replaceAll('-', '')}`
}

/** The day of a partition; undefined for a table that only begins with the same name. */
export function parseDay(table: string, name: string): Date | undefined {
  const [, year, month, day] = /^_p(\d{4})(\d{2})(\d{2})$/.exec(name.slice(table.length)) ?? []
  return year === undefined ? undefined : new Date(`${year}-${month}-${day}T00:00:00Z`)
}

/** The partitions of a table, oldest first, including those that were detached but not dropped. */
export async function listPartitions(client: pg.ClientBase, table: string): Promise<Partition[]> {
  const { rows } = await client.query<Partition>(
    `select child.relname as name, case when inhrelid is null then 'detached' when inhdetachpending then 'detaching' else 'attached' end as state
     from pg_class parent
     join pg_class child on child.relnamespace = parent.relnamespace and child.relkind = 'r' and starts_with(child.relname, parent.relname || '_p')
     left join pg_inherits on inhrelid = child.oid
     where parent.oid = quote_ident($1)::regclass and (inhparent = parent.oid or inhparent is null)
     order by child.relname`,
    [table],
  )
  return rows.filter(({ name }) => parseDay(table, name))
}

/**
 * Creates the partition of a day. It is created separately and then attached, because CREATE TABLE ... PARTITION OF would wait for every
 * transaction that uses the table, and block all others meanwhile.
 */
export async function createPartition(client: pg.ClientBase, table: string, day: Date): Promise<void> {
  await client.query('begin')
  try {
    await client.query(
      `create table ${quoted(partitionName(table, day))} (like ${quoted(table)} including defaults including constraints including storage)
         with (fillfactor = ${FILLFACTORS[table] ?? 100})`,
    )
    await attachPartition(client, table, day)
    await client.query('commit')
  } catch (error) {
    await client.query('rollback').catch(() => {})
    throw error
  }
}

/** Attaches the table of a day; PostgreSQL creates the missing indexes. */
export async function attachPartition(client: pg.ClientBase, table: string, day: Date): Promise<void> {
  const bounds = `from ('${idBound(day.getTime())}') to ('${idBound(day.getTime() + DAY_MS)}')`
  await client.query(`alter table ${quoted(table)} attach partition ${quoted(partitionName(table, day))} for values ${bounds}`)
}

/** Detaches a partition without blocking other writers; not inside a transaction. */
export async function detachPartition(client: pg.ClientBase, table: string, name: string): Promise<void> {
  await client.query(`alter table ${quoted(table)} detach partition ${quoted(name)} concurrently`)
}

/** Finishes a detach that a crash has interrupted. PostgreSQL starts no other detach before that. */
export async function finishDetaching(client: pg.ClientBase, table: string, name: string): Promise<void> {
  await client.query(`alter table ${quoted(table)} detach partition ${quoted(name)} finalize`)
}

export async function dropPartition(client: pg.ClientBase, name: string): Promise<void> {
  await client.query(`drop table ${quoted(name)}`)
}

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`
