// A database into which a backup is being restored has a table that says so. No service uses it before that is done, on whichever machine it starts.
import type pg from 'pg'
import { createId } from '../../lib/ids.ts'
import { RESTORE_MARKER as TABLE } from '../../lib/restore-marker.ts'
import { StartupProblem } from '../../lib/startup-problem.ts'

/** @throws StartupProblem */
export async function refuseUnfinishedRestore(session: pg.ClientBase): Promise<void> {
  if (await isBeingRestored(session))
    throw new StartupProblem(
      'A restore into this database was not finished: run `restore` again with the same backup, or use another database (DATABASE_URL, DATA_DIR).',
    )
}

/** How far a restore of this backup is: its marker is made if there is none. Null: another backup is being restored. */
export async function beginRestore(session: pg.ClientBase, backupSha256: string): Promise<'begun' | 'loaded' | null> {
  if (!(await isBeingRestored(session))) {
    await session.query(`begin; create table ${TABLE} (backup_sha256 text not null, is_loaded boolean not null)`)
    await session.query(`insert into ${TABLE} values ($1, false)`, [backupSha256])
    await session.query('commit')
    return 'begun'
  }
  const { rows } = await session.query<{ sha256: string; isLoaded: boolean }>(
    `select backup_sha256 as sha256, is_loaded as "isLoaded" from ${TABLE}`,
  )
  const [row] = rows
  if (row?.sha256 !== backupSha256) return null
  return row.isLoaded ? 'loaded' : 'begun'
}

/** Runs in the transaction that loads the rows. */
export async function markLoaded(session: pg.ClientBase): Promise<void> {
  await session.query(`update ${TABLE} set is_loaded = true`)
}

export type Hold = { backupAt: Date; now: Date }

/**
 * Nothing is sent until the queue is resumed. It is part of the transaction that makes the rows visible. The tables of an older version cannot say it: there
 * the marker alone keeps workers away, until the tables are brought up to date.
 */
export async function holdQueue(session: pg.ClientBase, { backupAt, now }: Hold): Promise<void> {
  const { rowCount } = await session.query(
    `select from pg_attribute where attrelid = to_regclass('queue_pauses') and attname = 'backup_at' and not attisdropped`,
  )
  if (rowCount === 0) return
  await session.query(
    `insert into queue_pauses (id, created_at, backup_at) select $1::uuid, $2::timestamptz, $3::timestamptz
     where not exists (select from queue_pauses where backup_at = $3::timestamptz)`,
    [createId(), now, backupAt],
  )
}

/** A service may use the database from now on. The queue is paused before the marker is gone. */
export async function finishRestore(session: pg.ClientBase, hold: Hold): Promise<void> {
  await holdQueue(session, hold)
  await session.query(`drop table ${TABLE}`)
}

/** Whether a restore into it was begun and has not ended. */
export async function isBeingRestored(session: pg.ClientBase): Promise<boolean> {
  const { rows } = await session.query<{ exists: boolean }>(`select to_regclass('${TABLE}') is not null as exists`)
  return rows[0]?.exists === true
}
