import { afterAll, beforeAll, expect, it } from 'vitest'
import { type BoundedQueries, createBoundedQueries } from '../../../../src/db/bounded-queries.ts'
import type { Database } from '../../../../src/db/database.ts'
import { createId } from '../../../../src/lib/ids.ts'
import { audienceCountRepository } from '../../../../src/modules/audience/segments/audience-counts.repository.ts'
import { createTestDatabase, type TestDatabase } from '../../../support/servers/postgres.ts'
import { openTestDatabase } from '../../../support/servers/test-databases.ts'

const TEAM = createId()
const SEGMENT = createId()
const CONTACTS = 100

let testDatabase: TestDatabase
let database: Database
beforeAll(async () => {
  testDatabase = await createTestDatabase()
  database = openTestDatabase(testDatabase.url)
  await database.execute(
    `with made as (
       insert into contacts (id, team_id, email, address_hash, created_at, updated_at, unsubscribed)
       select uuidv7_at(now(), n), $1, 'person' || n || '@example.com', md5(n::text), now(), now(), n <= 10 from generate_series(1, $3::int) n returning id
     ) insert into contact_segments select $2, id, now() from made`,
    [TEAM, SEGMENT, CONTACTS],
  )
})
afterAll(async () => {
  await database.close()
  await testDatabase.drop()
})

const audience = { segment: { id: SEGMENT, filter: null }, topic: null }

it('counts a segment of many stretches at one moment, and nothing of another team', async () => {
  const counts = audienceCountRepository({ queries: createBoundedQueries(database), stretch: 7 })
  expect(await counts.countSoon(TEAM, audience)).toEqual({
    ...{ contacts: CONTACTS, recipients: 90, unsubscribed: 10, notInTopic: 0, suppressed: 0 },
    isAll: true,
  })
  expect(await counts.countSoon(createId(), audience)).toMatchObject({ contacts: 0, recipients: 0 })
})

it('says that there are at least as many when there is no time for the rest', async () => {
  const bounded = createBoundedQueries(database)
  // No time is left after the first stretches.
  let left = 12
  const queries: BoundedQueries = {
    ...bounded,
    run: (teamId, work) =>
      bounded.run(teamId, (filtering, inside) =>
        work(async (sql, values) => {
          if (left === 0) await filtering('set local statement_timeout = 1; select pg_sleep(1)')
          left -= 1
          return filtering(sql, values)
        }, inside),
      ),
  }
  const { isAll, contacts } = await audienceCountRepository({ queries, stretch: 7 }).countSoon(TEAM, audience)
  expect(isAll).toBe(false)
  expect(contacts).toBeGreaterThan(0)
  expect(contacts).toBeLessThan(CONTACTS)
})
