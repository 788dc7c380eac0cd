// The overview of a team that has very much of everything reads a bounded number of rows.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createId } from '../../../../src/lib/ids.ts'
import { audienceBroadcastRepository } from '../../../../src/modules/broadcasts/due-broadcasts.repository.ts'
import { attentionRepository } from '../../../../src/modules/console/overview/attention.repository.ts'
import { queueViewRepository } from '../../../../src/modules/delivery/queue/queue-view.repository.ts'
import { createTestDatabase, type TestDatabase } from '../../../support/servers/postgres.ts'
import { openExplaining, openReading } from '../../../support/servers/statements.ts'

const TEAM = createId()
const OTHER = createId()
const RECORDS = 50_000
const DELIVERIES = 50_000
/** A page shows five of each kind that needs attention, and says whether there are more. */
const READ_MAX = 6
/** How many rows are read of each class that is ready, of what waits, and of what is leased. */
const QUEUE_READ_MAX = 4 * 10_000

let testDatabase: TestDatabase
let reading: ReturnType<typeof openReading>

const NUMBERED = `(select n, uuidv7_at('2001-02-03Z'::timestamptz + n * interval '1 second', n) as id, case when n % 10 = 0 then $2 else $1 end::uuid as team from generate_series(1, $3::int) n) s`

beforeAll(async () => {
  testDatabase = await createTestDatabase()
  reading = openReading(testDatabase.superuserUrl)
  const { execute } = reading.database
  for (const insert of [
    `insert into emails (id, team_id, api_key_id, state, last_event, from_domain, "from", "to", subject, created_at)
     select id, team, team, 'queued', 'delivered', 'example.com', 'a@example.com', '{}', 'x', now() from ${NUMBERED}`,
    `insert into broadcasts (id, team_id, status, name, segment_id, "from", subject, created_at) select id, team, 'sent', 'n', team, 'a@example.com', 'x', now() from ${NUMBERED}`,
    `insert into contact_imports (id, team_id, status, size, encoding, delimiter, columns, on_conflict, created_at)
     select id, team, 'completed', 1, 'utf-8', ',', '[]', 'skip', now() from ${NUMBERED}`,
    `insert into domains (id, team_id, name, root, region, tls, return_path, open_tracking, click_tracking, sending, receiving, status, created_at)
     select id, team, 'd' || n, 'r', 'us-east-1', 'opportunistic', 'send', false, false, true, false, 'verified', now() from ${NUMBERED}`,
    `insert into webhooks (id, team_id, endpoint, events, status, concurrency, is_ordered, secret, secret_version, created_at)
     select id, team, 'https://hooks.example', '{contact.created}', 'enabled', 1, false, '', 1, now() from ${NUMBERED}`,
    `insert into automations (id, team_id, name, status, class, reentry, trigger_event, version_id, created_at, updated_at)
     select id, team, 'n', 'enabled', 'bulk', 'always', 'e', id, now(), now() from ${NUMBERED}`,
    // Older than everything else.
    "update domains set status = 'failed' where name in ('d1', 'd2', 'd3')",
    "update broadcasts set status = 'paused' where id in (select id from broadcasts order by id limit 100)",
  ])
    await execute(insert, insert.includes('$3') ? [TEAM, OTHER, RECORDS] : [])
  await execute(
    `insert into deliveries (id, team_id, class, destination, email_id, due_at, is_ready)
     select id, team, 'bulk', 'example-' || n % 100 || '.com', id, now(), n % 2 = 0 from ${NUMBERED}`,
    [TEAM, OTHER, DELIVERIES],
  )
})
afterAll(async () => {
  await reading.database.close()
  await testDatabase.drop()
})

const attention = () => attentionRepository(reading.database)

describe.each(['without', 'with'])('%s statistics', (what) => {
  beforeAll(() =>
    reading.database.execute(
      what === 'with' ? 'analyze emails, broadcasts, contact_imports, domains, webhooks, automations, deliveries' : 'select',
    ),
  )

  it('reads one email to know that there is one', async () => {
    expect((await reading.see(() => attention().beginnings(TEAM))).rows.emails).toBe(1)
  })

  it('counts a queue up to a bound', async () => {
    const queue = queueViewRepository(reading.database)
    const { rows } = await reading.see(() => queue.ofTeam(TEAM))
    expect(rows.deliveries).toBeLessThanOrEqual(QUEUE_READ_MAX)
  })

  it('finds what needs attention by the indexes that hold nothing else', async () => {
    const ofTables = ['domains', 'webhooks', 'broadcasts', 'contact_imports', 'automations']
    const indexes = {
      ...Object.fromEntries(ofTables.map((table) => [`${table} that need attention`, [`${table}_attention_idx`]])),
      'disabled automations that need attention': ['automations_disabled_idx'],
    }
    const explaining = openExplaining(testDatabase.superuserUrl, {
      indexes,
      rowsReadMax: READ_MAX,
    })
    const { statements, problems } = await explaining.see(async () => {
      const { domains, broadcasts } = await attentionRepository(explaining.database).ofTeam(TEAM, new Date(0))
      expect([domains.rows.length, domains.hasMore, broadcasts.rows.length, broadcasts.hasMore]).toEqual([3, false, 5, true])
    })
    await explaining.database.close()
    expect({ statements: statements.toSorted(), problems }).toEqual({ statements: Object.keys(indexes).sort(), problems: [] })
  })

  it('finds the broadcasts to a segment by the index of segments', async () => {
    const explaining = openExplaining(testDatabase.superuserUrl, {
      indexes: {
        'broadcasts by segment_id': ['broadcasts_segment_id_id_idx'],
        'broadcasts by topic_id': ['broadcasts_topic_id_id_idx'],
      },
      rowsReadMax: 11,
    })
    const { statements, problems } = await explaining.see(async () => {
      const broadcasts = audienceBroadcastRepository(explaining.database)
      expect((await broadcasts.ofSegment(TEAM, TEAM)).rows).toHaveLength(10)
      expect((await broadcasts.ofSegment(TEAM, createId())).rows).toEqual([])
      expect((await broadcasts.ofTopic(TEAM, TEAM)).hasMore).toBe(false)
    })
    await explaining.database.close()
    expect({ statements, problems }).toEqual({
      statements: ['broadcasts by segment_id', 'broadcasts by segment_id', 'broadcasts by topic_id'],
      problems: [],
    })
  })
})
