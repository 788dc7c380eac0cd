// A list of received emails reads a bounded number of rows, whatever address is asked for and however many emails the team has.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Database } from '../../../src/db/database.ts'
import { createId } from '../../../src/lib/ids.ts'
import { receivedEmailRepository } from '../../../src/modules/inbound/received.repository.ts'
import { createTestDatabase, type TestDatabase } from '../../support/servers/postgres.ts'
import { openExplaining } from '../../support/servers/statements.ts'
import { openTestDatabase } from '../../support/servers/test-databases.ts'

const TEAM = createId()
const EMAILS = 50_000
const LIMIT = 20
/** An email, its recipient, and one more that shows that there are more. */
const ROWS_READ_MAX = 2 * (LIMIT + 1)

let testDatabase: TestDatabase
let database: Database
beforeAll(async () => {
  testDatabase = await createTestDatabase()
  database = openTestDatabase(testDatabase.url)
  await database.execute(
    `with received as (
       insert into received_emails (id, team_id, blob_key, bytes, mail_from, rcpt_to, peer, helo, created_at, state, "from", "to", subject)
       select uuidv7_at('2001-02-03T00:00Z'::timestamptz + n * interval '1 second', n), $1, gen_random_uuid(), 1, '', '{}', '127.0.0.1', 'h',
         '2001-02-03T00:00Z'::timestamptz, 'read', case when n = 7 then 'Rare@example.org' else 'many@example.org' end, '{}', 'Email ' || n
       from generate_series(1, $2::int) n returning id, subject)
     insert into received_recipients (team_id, address, email_id)
     select $1, case when subject = 'Email 9' then 'rare@example.com' else 'many@example.com' end, id from received`,
    [TEAM, EMAILS],
  )
})
afterAll(async () => {
  await database.close()
  await testDatabase.drop()
})

const BACKWARD = { limit: LIMIT, after: null, before: null }
const FORWARD = { ...BACKWARD, before: '00000000-0000-7000-8000-000000000000' }
const SEARCHED_MAX = 1_000
const FOUND = ['received_recipients_pkey', 'received_emails_pkey', 'received_emails_from_idx', 'received_attachments_email_id_id_idx']
const INDEXES = Object.fromEntries(
  ['desc', 'asc'].flatMap((order) =>
    ['from a sender', 'to an address', 'to an address from a sender'].map((what) => [`received emails ${what}, ${order}`, FOUND]),
  ),
)

describe.each(['without', 'with'])('%s statistics', (what) => {
  beforeAll(() => database.execute(what === 'with' ? 'analyze received_emails, received_recipients' : 'select'))

  it.each([
    ['an address without mail', { to: 'nobody@example.com', from: null }, []],
    ['an address that got one', { to: 'Rare@example.com', from: null }, ['Email 9']],
    ['a sender of whom there is none', { to: null, from: 'nobody@example.org' }, []],
    ['a sender of one', { to: null, from: 'rare@example.org' }, ['Email 7']],
    ['an address without mail, of a sender', { to: 'nobody@example.com', from: 'many@example.org' }, []],
  ])('reads few rows for %s', async (_what, filter, subjects) => {
    for (const request of [BACKWARD, FORWARD]) {
      const explaining = openExplaining(testDatabase.superuserUrl, { indexes: INDEXES, rowsReadMax: ROWS_READ_MAX })
      const found: (string | null)[] = []
      const { statements, problems } = await explaining.see(async () => {
        const { rows } = await receivedEmailRepository(explaining.database).list(TEAM, filter, request)
        found.push(...rows.map(({ subject }) => subject))
      })
      await explaining.database.close()
      expect({ found, problems }).toEqual({ found: subjects, problems: [] })
      expect(statements).toHaveLength(1)
    }
  })
  it('reads no more than so many emails to an address for those from one sender, and says where to go on', async () => {
    for (const [request, last] of [
      [BACKWARD, EMAILS - SEARCHED_MAX + 1],
      [FORWARD, SEARCHED_MAX + 1],
    ] as const) {
      const rowsReadMax = 2 * SEARCHED_MAX + 1
      const explaining = openExplaining(testDatabase.superuserUrl, { indexes: INDEXES, rowsReadMax })
      const repository = receivedEmailRepository(explaining.database, { searchedMax: SEARCHED_MAX })
      let page: unknown
      const { problems } = await explaining.see(async () => {
        page = await repository.list(TEAM, { to: 'many@example.com', from: 'nobody@example.org' }, request)
      })
      await explaining.database.close()
      const [row] = await database.execute<{ id: string }>('select id from received_emails where subject = $1', [`Email ${last}`])
      expect({ page, problems }).toEqual({ page: { rows: [], hasMore: true, searchedTo: row?.id }, problems: [] })
    }
  })
})
