// The overview of a team that has very much of everything reads a bounded number of rows.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createId } from '../../../src/lib/ids.ts'
import { queueViewRepository } from '../../../src/repositories/engine/queue-view.ts'
import { attentionRepository } from '../../../src/repositories/team/attention.ts'
import { openExplaining } from '../../support/servers/explaining.ts'
import { createTestDatabase, type TestDatabase } from '../../support/servers/postgres.ts'
import { openReading } from '../../support/servers/rows-read.ts'

const TEAM = createId()
const OTHER = createId()
const RECORDS = 50_000
const DELIVERIES = 50_000
/** Only the 200 newest are looked through where a team may have any number. Rows of another team may be between them. */
const LOOKED_THROUGH_MAX = 300
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
  ])
    await execute(insert, [TEAM, OTHER, RECORDS])
  await execute(
    `insert into deliveries (id, team_id, class, destination, email_id, due_at, is_ready)
     select id, team, 'bulk', 'example-' || n % 100 || '.com', id, now(), n % 2 = 0 from ${NUMBERED}`,
    [TEAM, OTHER, DELIVERIES],
  )
}, 120_000)
afterAll(async () => {
  await reading.database.close()
  await testDatabase.drop()
})

const attention = () => attentionRepository(reading.database)

describe.each(['without', 'with'])('%s statistics', (what) => {
  beforeAll(() => reading.database.execute(what === 'with' ? 'analyze emails, broadcasts, contact_imports, deliveries' : 'select'))

  it('reads one email to know that there is one', async () => {
    expect((await reading.see(() => attention().beginnings(TEAM))).rows.emails).toBe(1)
  })

  it('counts a queue up to a bound', async () => {
    const queue = queueViewRepository(reading.database)
    const { rows } = await reading.see(() => queue.ofTeam(TEAM))
    expect(rows.deliveries).toBeLessThanOrEqual(QUEUE_READ_MAX)
  })

  it('looks through the newest of each kind, by their index', async () => {
    const explaining = openExplaining(testDatabase.superuserUrl, {
      indexes: {
        'broadcasts to look through': ['broadcasts_team_id_id_idx'],
        'imports to look through': ['contact_imports_team_id_id_idx'],
      },
      rowsReadMax: LOOKED_THROUGH_MAX,
    })
    const { statements, problems } = await explaining.see(async () => {
      await attentionRepository(explaining.database).ofTeam(TEAM, new Date(0))
    })
    await explaining.database.close()
    expect({ statements, problems }).toEqual({ statements: ['broadcasts to look through', 'imports to look through'], problems: [] })
  })
})
