// How PostgreSQL executes the statements for every delivery: what they read must depend on the batch, never on the length of the queue.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Database, Execute } from '../../../../src/db/database.ts'
import { createId } from '../../../../src/lib/ids.ts'
import { sentNotification, toSettlement } from '../../../../src/modules/delivery/engine/settlements.ts'
import type { Allotment } from '../../../../src/modules/delivery/lanes.ts'
import { type ClaimedDelivery, deliveryRepository } from '../../../../src/modules/delivery/queue/deliveries.repository.ts'
import { laneRepository } from '../../../../src/modules/delivery/queue/lanes.repository.ts'
import { outgoingEmailRepository } from '../../../../src/modules/emails/outgoing-emails.repository.ts'
import { outcome } from '../../../support/builders/engine.ts'
import { copyTestDatabase, createTestDatabase, type TestDatabase } from '../../../support/servers/postgres.ts'
import { keepStatistics, openExplaining, type Seen } from '../../../support/servers/statements.ts'
import { openTestDatabase } from '../../../support/servers/test-databases.ts'

const EMAILS = 20_000
const RECIPIENTS_EACH = 2
/** Some of the lane that has most of the rows, and some of one that has twenty: in the order of ids that one is found by reading through the first. */
const CLAIMED = { long: 40, short: 5 }
/** A row of the batch is looked up a few times, with all recipients of its email. The queue has a hundred times as many. */
const ROWS_READ_MAX = 4 * RECIPIENTS_EACH * (CLAIMED.long + CLAIMED.short)

const TEAMS = { long: createId(), short: createId() }
const ALLOTMENTS: Allotment[] = [
  { class: 'bulk', teamId: TEAMS.long, destination: 'd0.test', count: CLAIMED.long },
  { class: 'transactional', teamId: TEAMS.short, destination: 'd7.test', count: CLAIMED.short },
]

/** All indexes by which the batch may be found. That of leases is not one of them: it keeps an entry of each claim until it is vacuumed. */
const INDEXES: Record<string, string[]> = {
  claim: ['deliveries_ready_idx', 'deliveries_pkey', 'emails_pkey', 'recipients_pkey'],
  lanes: ['deliveries_ready_idx'],
  'outgoing emails': [
    'emails_pkey',
    'submitted_messages_pkey',
    'recipients_email_id_idx',
    'api_keys_pkey',
    'oauth_grants_pkey',
    'domains_pkey',
    'persons_pkey',
  ],
  'lock emails of deliveries': ['deliveries_pkey', 'emails_pkey'],
  begin: [
    'deliveries_pkey',
    'emails_pkey',
    'recipients_pkey',
    'recipients_email_id_idx',
    'broadcasts_pkey',
    'teams_stopped_idx',
    'teams_pkey',
  ],
  'lock emails': ['emails_pkey'],
  settle: ['attempts_pkey', 'deliveries_pkey', 'emails_pkey', 'recipients_pkey', 'recipients_email_id_idx'],
}

/** Filled once, and copied for each test that begins with it. */
let filled: TestDatabase
let testDatabase: TestDatabase
let database: Database
let explaining: ReturnType<typeof openExplaining>

beforeAll(async () => {
  await openTables(await createTestDatabase())
  await fillQueue()
  await closeTables()
  filled = testDatabase
})
afterAll(() => filled.drop())
beforeEach(async () => openTables(await copyTestDatabase(filled)))
afterEach(dropTables)

async function openTables(of: TestDatabase): Promise<void> {
  testDatabase = of
  database = openTestDatabase(of.url)
  await keepStatistics(database, /^(deliveries|emails|recipients|attempts_p\d+)$/)
  explaining = openExplaining(of.superuserUrl, { indexes: INDEXES, rowsReadMax: ROWS_READ_MAX })
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

const analyze = () => database.execute('analyze deliveries, emails, recipients, attempts, submitted_messages, api_keys, oauth_grants')
const STATEMENTS = ['claim', 'lanes', 'lanes', 'outgoing emails', 'lock emails of deliveries', 'begin', 'lock emails', 'settle']
const WHOLE_BATCH = { begun: CLAIMED.long + CLAIMED.short, statements: STATEMENTS, problems: [] }

describe('claiming, beginning and settling a batch of a long queue', () => {
  it('reads no more than the batch where no statistics were ever made', async () => {
    expect(await deliverBatch(explaining.database)).toEqual(WHOLE_BATCH)
  })

  it('reads no more than the batch with statistics of a short queue', async () => {
    await beginEmpty()
    await fillQueue(40)
    await analyze()
    await fillQueue()

    expect(await deliverBatch(explaining.database)).toEqual(WHOLE_BATCH)
  })

  it('reads no more than the batch with statistics', async () => {
    await analyze()

    expect(await deliverBatch(explaining.database)).toEqual(WHOLE_BATCH)
  })

  it.each([
    ['claim', 'deliveries_ready_idx', 'drop index deliveries_ready_idx'],
    ['claim', 'deliveries_pkey', 'alter table deliveries drop constraint deliveries_pkey'],
    ['begin', 'emails_pkey', 'alter table emails drop constraint emails_pkey'],
    ['begin', 'recipients_email_id_idx', 'drop index recipients_email_id_idx'],
    ['settle', 'recipients_email_id_idx', 'drop index recipients_email_id_idx'],
    ['settle', 'attempts_pkey', 'alter table attempts drop constraint attempts_pkey'],
  ] as const)('is seen to go astray in %s without %s', async (name, _index, drop) => {
    await analyze()
    const without = explaining.database.transaction(
      async (inside) => {
        await inside(drop)
        // None of them ends the transaction.
        const execute: Execute = (sql, values) => inside(sql, values)
        const seen = await deliverBatch({ execute, transaction: (work) => work(execute) })
        throw new RolledBack(seen)
      },
      { plans: 'by index' },
    )

    const { seen } = await without.catch((error) => (error instanceof RolledBack ? error : Promise.reject(error)))

    expect(seen.problems.filter((problem) => problem.startsWith(`${name}: `))).not.toEqual([])
    expect(await deliverBatch(explaining.database)).toEqual(WHOLE_BATCH)
  })
})

describe('statements whose plans are kept', () => {
  it('read no more than the batch with plans and statistics of empty tables', async () => {
    await beginEmpty()
    await analyze()
    await look(explaining.database, [])
    await fillQueue()
    const batch = await claim(database, createId())

    const seen = await explaining.see(() => look(explaining.database, batch))
    expect(batch).toHaveLength(CLAIMED.long + CLAIMED.short)
    expect(seen).toEqual({ statements: ['lanes', 'lanes', 'outgoing emails'], problems: [] })
  })
})

class RolledBack extends Error {
  readonly seen: Batch
  constructor(seen: Batch) {
    super('Rolled back, as it should be')
    this.seen = seen
  }
}

/**
 * A lane with most of the rows, seven of the same team with some, and one of another with twenty. Some rows wait or are leased to another worker.
 * Attempts are of the day of the application's clock, which may differ from that of the database.
 */
async function fillQueue(emails = EMAILS): Promise<void> {
  await database.execute(
    `with email as (
       insert into emails (id, team_id, api_key_id, state, last_event, from_domain, "from", "to", subject, created_at)
       select uuidv7($5::timestamptz - now()), case when n % 2000 = 7 then $2::uuid else $1::uuid end, gen_random_uuid(), 'queued', 'queued', 'example.com', 'a@example.com', '{}', n::text, $5
       from generate_series(1, $3::int) n returning id, team_id, subject::int as n
     ), recipient as (
       insert into recipients (id, team_id, email_id, address, state)
       select uuidv7($5::timestamptz - now()), team_id, id, n || '@example.org', 'queued' from email, generate_series(1, $4::int) returning id, team_id, email_id
     ), attempt as (
       insert into attempts (id, team_id, email_id, recipient_id, number, outcome, started_at)
       select uuidv7($5::timestamptz - now()), team_id, email_id, id, 0, 'delayed', $5 from recipient
     )
     insert into deliveries (id, team_id, class, destination, email_id, due_at, is_ready, leased_by)
     select r.id, r.team_id, case when n % 2000 = 7 then 'transactional' else 'bulk' end, 'd' || case when n % 20 < 8 then n % 20 else 0 end || '.test',
       r.email_id, $5, n % 10 <> 9, case when n % 50 = 0 then gen_random_uuid() end
     from recipient r join email e on e.id = r.email_id`,
    [TEAMS.long, TEAMS.short, emails, RECIPIENTS_EACH, new Date()],
  )
  await fillBeside(emails)
}

/** One batch from claim to outcome: the indexes that its statements used, and those that they should not have used. */
async function deliverBatch(queue: Pick<Database, 'execute' | 'transaction'>): Promise<Batch> {
  let begun = 0
  const seen = await explaining.see(async () => {
    const deliveries = deliveryRepository(queue)
    const workerId = createId()
    const now = new Date()
    const claimed = await claim(queue, workerId)
    await look(queue, claimed)
    const attempts = claimed.map((delivery) => ({ delivery, attemptId: createId() }))
    const opened = await deliveries.begin(
      workerId,
      attempts.map(({ delivery, attemptId }) => ({ deliveryId: delivery.id, attemptId, sentNotification: sentNotification(delivery) })),
      now,
    )
    begun = opened.size
    const settlements = attempts.map(({ delivery, attemptId }, index) =>
      toSettlement(delivery, attemptId, outcome(index % 3 === 0 ? 'delayed' : 'delivered'), { now, random: () => 0.5 }),
    )
    await deliveries.settle(workerId, settlements, now)
  }, queue)
  return { begun, ...seen }
}

/** Some emails were scheduled, by keys of which half are left, and some were submitted; and there are as many others of all that is looked up for these. */
async function fillBeside(emails: number): Promise<void> {
  await explaining.database.transaction(async (inside) => {
    await inside('set local session_replication_role = replica')
    await inside(`update emails set scheduled_at = created_at where subject::int % 3 = 0`)
    await inside(
      `insert into api_keys (id, team_id, name, permission, digest, domain_id, created_at)
       select api_key_id, team_id, 'Key', 'sending_access', id::text, gen_random_uuid(), now() from emails where subject::int % 6 = 0
       union all select gen_random_uuid(), $1, 'Key', 'sending_access', 'other ' || n, null, now() from generate_series(1, $2::int) n
       on conflict do nothing`,
      [TEAMS.long, emails],
    )
    await inside(
      `insert into oauth_grants (id, team_id, client_id, scopes, created_at)
       select gen_random_uuid(), $1, gen_random_uuid(), '{}', now() from generate_series(1, $2::int)`,
      [TEAMS.long, emails],
    )
    await inside(
      `insert into submitted_messages (email_id, team_id, head, body, body_start)
       select id, team_id, 'Subject: Hello', '', 0 from emails where subject::int % 5 = 0 on conflict do nothing`,
    )
  })
}

const claim = (queue: Pick<Database, 'execute' | 'transaction'>, workerId: string): Promise<ClaimedDelivery[]> =>
  deliveryRepository(queue).claim(workerId, ALLOTMENTS)

/** What workers look up: lanes, and what they have claimed. */
async function look(queue: Pick<Database, 'execute' | 'transaction'>, claimed: ClaimedDelivery[]): Promise<void> {
  await laneRepository(queue).listAcrossTeams('bulk', null)
  await laneRepository(queue).listAcrossTeams('bulk', { class: 'bulk', teamId: TEAMS.long, destination: 'd0.test' })
  await outgoingEmailRepository(queue).load([...new Set(claimed.map(({ emailId }) => emailId))])
}

type Batch = Seen & { begun: number }
