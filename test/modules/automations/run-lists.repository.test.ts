// What a page of runs reads when nearly all runs of an automation are in another state or have another graph.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Database } from '../../../src/db/database.ts'
import { createId } from '../../../src/lib/ids.ts'
import {
  automationRunCountRepository,
  automationRunRecordRepository,
} from '../../../src/modules/automations/runs/run-records.repository.ts'
import { createTestDatabase, type TestDatabase } from '../../support/servers/postgres.ts'
import { openTestDatabase } from '../../support/servers/test-databases.ts'

const [TEAM, AUTOMATION, VERSION, OLD_VERSION] = [createId(), createId(), createId(), createId()]
const RUNS = 20_000
/** The oldest. */
const FAILED = 30
const PAGE = { limit: 20, after: null, before: null }
const ROWS_READ_MAX = 200

let testDatabase: TestDatabase
/** One connection, which says what it has read. */
let database: Database

beforeAll(async () => {
  testDatabase = await createTestDatabase()
  database = openTestDatabase(testDatabase.url, { connectionsMax: 1 })
  await database.execute(
    `insert into automation_runs (id, team_id, automation_id, version_id, contact_id, event_id, event_name, payload, status, state, started_at, created_at)
     select uuidv7(), $1, $2, case when n <= ${FAILED} then $4::uuid else $3::uuid end, gen_random_uuid(), gen_random_uuid(), 'begun', '{}',
       case when n <= ${FAILED} then 'failed' else 'completed' end, '{"steps": {"start": {"status": "completed", "output": null}}}', now(), now()
     from generate_series(1, ${RUNS}) n`,
    [TEAM, AUTOMATION, VERSION, OLD_VERSION],
  )
})
afterAll(async () => {
  await database.close()
  await testDatabase.drop()
})

async function rowsRead(): Promise<number> {
  await database.execute('select pg_stat_force_next_flush()')
  const [row] = await database.execute<{ rows: number }>(
    `select (seq_tup_read + idx_tup_fetch)::int as rows from pg_stat_user_tables where relname = 'automation_runs'`,
  )
  return row?.rows ?? 0
}

async function readBy(work: () => Promise<unknown>): Promise<number> {
  const before = await rowsRead()
  await work()
  return (await rowsRead()) - before
}

describe.each(['without statistics', 'with statistics'])('%s', (statistics) => {
  beforeAll(async () => {
    if (statistics === 'with statistics') await database.execute('analyze automation_runs')
  })

  it('a page of the few runs in two states reads no more than the page', async () => {
    const { list } = automationRunRecordRepository(database)
    const automation = { id: AUTOMATION, stoppedAt: null }
    const read = await readBy(async () => {
      const { rows, hasMore } = await list(TEAM, automation, { statuses: ['failed', 'running'], request: PAGE })
      expect([rows.length, hasMore]).toEqual([PAGE.limit, true])
      const { rows: next } = await list(TEAM, automation, {
        statuses: ['failed', 'running'],
        request: { ...PAGE, after: rows.at(-1)?.id ?? null },
      })
      expect(next).toHaveLength(FAILED - PAGE.limit)
    })
    expect(read).toBeLessThan(ROWS_READ_MAX)
  })

  it('the steps of an older graph are counted without reading the runs of others', async () => {
    const { ofSteps } = automationRunCountRepository(database)
    const read = await readBy(async () => {
      expect(await ofSteps(TEAM, { automationId: AUTOMATION, versionId: OLD_VERSION })).toMatchObject([{ key: 'start', count: FAILED }])
    })
    expect(read).toBeLessThan(ROWS_READ_MAX)
  })
})
