// Migrations of a database that is in use: what is there stays, and what comes is treated as the new version says.
import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { migrate, schemaFolder } from '../../../src/database/migrations/migrate.ts'
import { partitionedTables } from '../../../src/database/partitions/daily-partitions.ts'
import { maintainPartitions } from '../../../src/database/partitions/partitions.ts'
import { createId } from '../../../src/lib/ids.ts'
import { silentLog as log } from '../../support/processes/silent-log.ts'
import { createEmptyDatabase, type TestDatabase } from '../../support/servers/postgres.ts'

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

/** The tables as they were before a migration. */
async function migrateUntilBefore(name: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'posthaste-test-migrations-'))
  try {
    for (const earlier of readdirSync(join(schemaFolder, 'migrations')).filter((each) => each < name))
      cpSync(join(schemaFolder, 'migrations', earlier), join(folder, 'migrations', earlier), { recursive: true })
    await migrate({ databaseUrl: database.url, log, folder })
  } finally {
    rmSync(folder, { recursive: true })
  }
  await maintainPartitions(pool, { tables: partitionedTables, now: new Date(), retentionDays: 30 })
}

const migrateToTheEnd = () => migrate({ databaseUrl: database.url, log })

async function query<Row extends pg.QueryResultRow>(sql: string, values: unknown[] = []): Promise<Row[]> {
  return (await pool.query<Row>(sql, values)).rows
}

describe('0026_waiting_turns', () => {
  it('leaves messages that came back as they are, and has put off none of them', async () => {
    await migrateUntilBefore('0026_waiting_turns')
    for (const [peer, state] of [
      ['192.0.2.1', 'waiting'],
      ['192.0.2.1', 'done'],
      ['192.0.2.2', 'waiting'],
    ])
      await query(
        `insert into inbound_messages (id, purpose, mail_from, rcpt_to, blob_key, bytes, peer, helo, received_at, state)
         values ($1, 'feedback', '', 'fbl@example.com', $2, 5, $3, 'mx.example.net', now(), $4)`,
        [createId(), createId(), peer, state],
      )
    const rows = () => query<Record<string, unknown>>('select * from inbound_messages order by id')
    const before = await rows()

    const { applied } = await migrateToTheEnd()

    expect(applied).toContain('0026_waiting_turns')
    expect(before).toHaveLength(3)
    expect(await rows()).toEqual(before.map((row) => ({ ...row, postponed: 0 })))
    const firstOfEach = `select distinct on (peer) peer from inbound_messages where state = 'waiting' order by peer, id`
    expect(await query(firstOfEach)).toEqual([{ peer: '192.0.2.1' }, { peer: '192.0.2.2' }])
  })
})

describe('0027_webhook_due_times', () => {
  /** Something happens that a clock which is ahead, or right, says happened then. Returns whether its delivery waits for the future. */
  async function waitsForTheFuture(teamId: string, inHours: number): Promise<boolean | undefined> {
    const id = createId()
    await query(
      `insert into notifications (id, team_id, type, subject_id, data, created_at)
       values ($1, $2, 'contact.created', $1, '{}', now() + $3 * interval '1 hour')`,
      [id, teamId, inHours],
    )
    const [row] = await query<{ waits: boolean }>('select due_at > now() as waits from webhook_deliveries where message_id = $1', [id])
    return row?.waits
  }

  it('leaves what waits as it is, and lets nothing that comes wait for a clock that is ahead', async () => {
    await migrateUntilBefore('0027_webhook_due_times')
    const [teamId, webhookId, fedId] = [createId(), createId(), createId()]
    await query(`insert into teams (id, name, created_at) values ($1, 'Team', now())`, [teamId])
    for (const [id, endpoint] of [
      [webhookId, 'https://hooks.example.com'],
      [fedId, null],
    ])
      await query(
        `insert into webhooks (id, team_id, endpoint, events, status, concurrency, is_ordered, secret, secret_version, created_at)
         values ($1, $2, $3, '{contact.created}', 'enabled', 20, false, '', 1, now())`,
        [id, teamId, endpoint],
      )
    expect(await waitsForTheFuture(teamId, 1)).toBe(true)
    expect(await waitsForTheFuture(teamId, -1)).toBe(false)
    const rows = async () => [
      await query('select * from webhooks order by id'),
      await query('select * from webhook_messages order by webhook_id, id'),
      await query('select * from webhook_deliveries order by seq'),
    ]
    const before = await rows()

    const { applied } = await migrateToTheEnd()

    expect(applied).toContain('0027_webhook_due_times')
    expect(before.map(({ length }) => length)).toEqual([2, 4, 2])
    expect(await rows()).toEqual(before)
    expect(await waitsForTheFuture(teamId, 1)).toBe(false)
    expect(await waitsForTheFuture(teamId, -1)).toBe(false)
    const [counts] = await query(
      'select (select count(*)::int from webhook_messages) as messages, (select count(*)::int from webhook_deliveries) as deliveries',
    )
    expect(counts).toEqual({ messages: 8, deliveries: 4 })
  })
})
