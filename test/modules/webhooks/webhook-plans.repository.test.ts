// How PostgreSQL executes the statements for every message of a webhook: what they read must depend on the batch, never on how many messages wait.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Database } from '../../../src/db/database.ts'
import { workerLeaseRepository } from '../../../src/db/leases/worker-leases.repository.ts'
import { createId } from '../../../src/lib/ids.ts'
import { type MessageOutcome, webhookDeliveryRepository } from '../../../src/modules/webhooks/sending/webhook-deliveries.repository.ts'
import { copyTestDatabase, createTestDatabase, type TestDatabase } from '../../support/servers/postgres.ts'
import { keepStatistics, openExplaining, type Seen } from '../../support/servers/statements.ts'
import { openTestDatabase } from '../../support/servers/test-databases.ts'

const WAITING = 20_000
/** Some of the webhook that has most of the messages, and some of one that has twenty. */
const CLAIMED = { long: 40, short: 5 }
const BATCH = CLAIMED.long + CLAIMED.short
const ROWS_READ_MAX = 4 * BATCH
const IDLE_WEBHOOKS = 5_000
const TEAM = createId()
const WEBHOOKS = { long: createId(), short: createId() }
const OTHERS = Array.from({ length: 5 }, () => createId())

/** All indexes by which the batch may be found. */
const INDEXES: Record<string, string[]> = {
  'lanes of webhooks': ['webhook_deliveries_due_idx', 'webhooks_pkey'],
  'lock webhooks': ['webhooks_pkey'],
  'claim webhook messages': [
    'webhook_deliveries_due_idx',
    'webhook_deliveries_leased_idx',
    'webhook_deliveries_pkey',
    'webhook_deliveries_subject_idx',
    'worker_leases_pkey',
  ],
  'contents of webhook messages': ['webhook_messages_pkey', 'notifications_pkey', 'emails_pkey', 'emails_team_id_id_idx'],
  'hold enabled webhooks': ['webhooks_pkey'],
  'hold webhooks': ['webhooks_pkey'],
  'record health of webhooks': ['webhooks_pkey'],
  'settle webhook messages': [
    'webhook_attempts_pkey',
    'webhook_deliveries_pkey',
    'webhook_deliveries_leased_idx',
    'webhook_failures_pkey',
    'webhook_deliveries_subject_idx',
  ],
}
const TABLES = ['webhook_deliveries', 'webhook_messages', 'webhook_attempts', 'webhook_failures', 'webhooks', 'notifications', 'emails']

/** Filled once, and copied for each test that begins with it. */
let filled: TestDatabase
let testDatabase: TestDatabase
let database: Database
let explaining: ReturnType<typeof openExplaining>

beforeAll(async () => {
  await openTables(await createTestDatabase())
  await fillWaiting()
  await closeTables()
  filled = testDatabase
})
afterAll(() => filled.drop())
beforeEach(async () => openTables(await copyTestDatabase(filled)))
afterEach(dropTables)

async function openTables(of: TestDatabase): Promise<void> {
  testDatabase = of
  database = openTestDatabase(of.url)
  await keepStatistics(database, /^(webhooks|emails|(webhook_|notifications).*)$/)
  explaining = openExplaining(of.superuserUrl, { indexes: INDEXES, rowsReadMax: ROWS_READ_MAX, plannedAnew: 'all' })
}
async function closeTables(): Promise<void> {
  await explaining.database.close()
  await database.close()
}
async function dropTables(): Promise<void> {
  await closeTables()
  await testDatabase.drop()
}
async function beginEmpty(): Promise<void> {
  await dropTables()
  await openTables(await createTestDatabase())
}

const analyze = () => database.execute(`analyze ${TABLES.join(', ')}`)
const WHOLE_BATCH = { sent: BATCH, statements: Object.keys(INDEXES), problems: [] }

describe('sending a batch of the messages that wait', () => {
  it('reads no more than the batch where no statistics were ever made', async () => {
    expect(await sendBatch()).toEqual(WHOLE_BATCH)
  })

  it('reads no more than the batch with plans and statistics of empty tables', async () => {
    await beginEmpty()
    await analyze()
    await sendBatch()
    await fillWaiting()

    expect(await sendBatch()).toEqual(WHOLE_BATCH)
  })

  it('reads no more than the batch with statistics', async () => {
    await analyze()

    expect(await sendBatch()).toEqual(WHOLE_BATCH)
  })

  it.each([
    ['lanes of webhooks', 'drop index webhook_deliveries_due_idx'],
    ['claim webhook messages', 'drop index webhook_deliveries_leased_idx'],
    ['contents of webhook messages', 'alter table webhook_messages drop constraint webhook_messages_pkey'],
    ['settle webhook messages', 'alter table webhook_attempts drop constraint webhook_attempts_pkey'],
  ])('is seen to go astray in %s after: %s', async (name, drop) => {
    await analyze()
    await database.execute(drop)

    expect((await sendBatch()).problems.filter((problem) => problem.startsWith(`${name}: `))).not.toEqual([])
  })
})

/**
 * A webhook with most of the messages, five with some, of which three are ordered, and one with twenty; some are leased by another worker. Thousands of
 * other webhooks have none.
 */
async function fillWaiting(): Promise<void> {
  const worker = createId()
  await workerLeaseRepository(database, { held: [] }).register(worker)
  await database.execute(
    `insert into webhooks (id, team_id, endpoint, events, status, concurrency, is_ordered, secret, secret_version, created_at)
     select id, team_id, 'https://hooks.example.com', '{}', 'enabled', 50, n > 4, '', 1, $3 from (
       select id, $2::uuid as team_id, n from unnest($1::uuid[]) with ordinality as w(id, n)
       union all select gen_random_uuid(), gen_random_uuid(), 0 from generate_series(1, $4::int)) w`,
    [[WEBHOOKS.long, WEBHOOKS.short, ...OTHERS], TEAM, new Date(), IDLE_WEBHOOKS],
  )
  await database.execute(
    `with message as (
       insert into webhook_messages (webhook_id, id, team_id, type, subject_id, created_at)
       select case when n <= 20 then $3::uuid when n % 10 = 1 then ($4::uuid[])[1 + n % 50 / 10] else $2::uuid end, uuidv7($6::timestamptz - now()), $5, 'email.sent', gen_random_uuid(), $6
       from generate_series(1, $1::int) n returning *
     ), notification as (
       insert into notifications (id, team_id, type, subject_id, data, created_at) select id, team_id, 'none', subject_id, '{}', created_at from message
     ), waiting as (
       insert into webhook_deliveries (webhook_id, message_id, team_id, subject_id, due_at, is_ordered)
       select m.webhook_id, m.id, m.team_id, m.subject_id, m.created_at, w.is_ordered from message m join webhooks w on w.id = m.webhook_id order by m.id returning *
     )
     insert into webhook_attempts (webhook_id, message_id, id, team_id, started_at, outcome)
     select webhook_id, message_id, uuidv7($6::timestamptz - now()), team_id, $6, 'failure' from waiting`,
    [WAITING, WEBHOOKS.long, WEBHOOKS.short, OTHERS, TEAM, new Date()],
  )
  await database.execute(
    `update webhook_deliveries set leased_by = $1 where seq in (select seq from webhook_deliveries where webhook_id = any($2) order by seq desc limit 10)`,
    [worker, [WEBHOOKS.long, ...OTHERS]],
  )
}

/** One batch from the lanes to its outcomes, a third of them failures: what its statements read. */
async function sendBatch(): Promise<Seen & { sent: number }> {
  const deliveries = webhookDeliveryRepository(explaining.database)
  const workerId = createId()
  await workerLeaseRepository(database, { held: [] }).register(workerId)
  let sent = 0
  const seen = await explaining.see(async () => {
    const now = new Date()
    await deliveries.lanesAcrossTeams(now)
    const allotments = [
      { webhookId: WEBHOOKS.long, count: CLAIMED.long },
      { webhookId: WEBHOOKS.short, count: CLAIMED.short },
    ]
    const { claimed } = await deliveries.claim(workerId, allotments, { now, createId: () => createId() })
    sent = claimed.length
    await deliveries.whileEnabled(claimed, () => {})
    const outcomes = claimed.map(
      ({ seq, webhookId, messageId, attemptId, endpoint }, index): MessageOutcome => ({
        ...{ seq, webhookId, messageId, attemptId, endpoint, durationMs: 1, concernsEndpoint: true },
        ...(index % 3 === 0
          ? { outcome: 'failure', httpStatus: 500, response: '', error: 'No', retryAt: now, reason: null }
          : { outcome: 'success', httpStatus: 200, response: '', error: null, retryAt: null, reason: null }),
      }),
    )
    await deliveries.settle(workerId, outcomes, now)
  })
  return { sent, ...seen }
}
