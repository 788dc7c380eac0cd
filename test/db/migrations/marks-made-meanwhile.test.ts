// Broadcasts that a process of the version before sends on, while a newer one changes the tables.
import pg from 'pg'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { migrate } from '../../../src/db/migrations/migrate.ts'
import { createId } from '../../../src/lib/ids.ts'
import { until } from '../../support/clocks/until.ts'
import { silentLog as log } from '../../support/processes/processes.ts'
import { migrateUntilBefore } from '../../support/servers/other-databases.ts'
import { createEmptyDatabase, type TestDatabase } from '../../support/servers/postgres.ts'
import { OF_THIS_DATABASE } from '../../support/servers/statements.ts'

let database: TestDatabase
let pool: pg.Pool
beforeEach(async () => {
  database = await createEmptyDatabase()
  pool = new pg.Pool({ connectionString: database.url })
})
afterEach(async () => {
  await pool.end()
  await database.drop()
})

const TEAM = createId()
const BROADCAST = createId()
const SENT_BEFORE = '01990000-0000-7000-8000-000000000001'
/** Far away: one mark does not stand for both. */
const SENT_MEANWHILE = '01990000-0000-7000-8fff-000000000002'

const insertEmail = (id: string) =>
  pool.query(
    `insert into emails (id, team_id, api_key_id, state, last_event, broadcast_id, from_domain, "from", "to", subject, created_at)
     values ($1, $2, $2, 'queued', 'queued', $3, 'example.com', 'a@example.com', array['b@example.org'], 'Hello', now())`,
    [id, TEAM, BROADCAST],
  )

/** Workers record it like this. */
async function recordSent(client: pg.PoolClient | pg.Pool, id: string): Promise<void> {
  await client.query(`update emails set last_event = 'sent' where id = $1`, [id])
  await client.query(
    `insert into notifications (id, team_id, type, subject_id, data, created_at) values ($1, $2, 'email.sent', $3, '{"to": ["b@example.org"]}', now())`,
    [createId(), TEAM, id],
  )
}

it('marks what is recorded while the emails are read', async () => {
  await migrateUntilBefore('0079_marks_of_recipients', { databaseUrl: database.url, pool })
  await insertEmail(SENT_BEFORE)
  await insertEmail(SENT_MEANWHILE)
  await recordSent(pool, SENT_BEFORE)
  const worker = await pool.connect()
  await worker.query('begin')
  await recordSent(worker, SENT_MEANWHILE)

  const migrated = migrate({ databaseUrl: database.url, log })
  // 0080_traceparents waits for the worker.
  const waiting = `select from pg_locks where not granted and relation = 'emails'::regclass and ${OF_THIS_DATABASE}`
  await until(async () => expect((await pool.query(waiting)).rowCount).toBe(1))
  await worker.query('commit')
  worker.release()
  await migrated

  const { rows } = await pool.query('select broadcast_id, type, email_id from broadcast_marks order by email_id')
  expect(rows).toEqual([SENT_BEFORE, SENT_MEANWHILE].map((id) => ({ broadcast_id: BROADCAST, type: 'sent', email_id: id })))
})
