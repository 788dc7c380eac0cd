// Applies migrations by plain SQL, and keeps the table in which Prisma's own commands look for them.
import type pg from 'pg'
import type { Migration } from './migration-history.ts'
import { servedBy } from './served-programs.ts'

/** The form of Prisma's command `migrate deploy`. */
const HISTORY = `create table if not exists _prisma_migrations (
  id varchar(36) primary key, checksum varchar(64) not null, finished_at timestamptz, migration_name varchar(255) not null, logs text,
  rolled_back_at timestamptz, started_at timestamptz not null default now(), applied_steps_count integer not null default 0
)`

/** Prisma leaves it alone. Which earlier programs can work with what a migration left: they lack its file. */
const SERVES = 'alter table _prisma_migrations add column serves text'

/**
 * A migration and its row are one transaction: of one that fails, waits longer for a lock, or whose process is killed, nothing stays.
 * @throws what PostgreSQL says.
 */
export async function applyMigration(session: pg.Client, { name, sql, checksum }: Migration, lockWaitMaxMs: number): Promise<void> {
  await prepareHistory(session, lockWaitMaxMs)
  await session.query(`begin; set local lock_timeout = ${lockWaitMaxMs}`)
  try {
    // Without values it is sent whole, with as many statements as there are (PostgreSQL, "Multiple Statements in a Simple Query").
    await session.query(sql)
    await session.query(
      `insert into _prisma_migrations (id, checksum, finished_at, migration_name, applied_steps_count, serves)
       values (gen_random_uuid()::text, $1, clock_timestamp(), $2, 1, $3)`,
      [checksum, name, servedBy(sql)],
    )
    await session.query('commit')
  } catch (error) {
    // If the connection is gone, the transaction is too, and the first error says why.
    await session.query('rollback').catch(() => {})
    throw error
  }
}

async function prepareHistory(session: pg.Client, lockWaitMaxMs: number): Promise<void> {
  await session.query(HISTORY)
  const { rowCount } = await session.query(
    `select from pg_attribute where attrelid = '_prisma_migrations'::regclass and attname = 'serves' and not attisdropped`,
  )
  // Several statements in one message are one transaction.
  if (rowCount === 0) await session.query(`set local lock_timeout = ${lockWaitMaxMs}; ${SERVES}`)
}

/** An earlier version wrote the row first. If its process was killed, the row is there, but the migration is not. */
export async function forgetInterrupted(session: pg.Client, name: string): Promise<void> {
  await session.query('update _prisma_migrations set rolled_back_at = now() where migration_name = $1 and finished_at is null', [name])
}
