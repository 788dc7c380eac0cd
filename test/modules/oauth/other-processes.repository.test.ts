// A grant that is ended in one process, as another one sees it.
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import type { Database } from '../../../src/db/database.ts'
import { createId } from '../../../src/lib/ids.ts'
import { teamRepository } from '../../../src/modules/accounts/teams/teams.repository.ts'
import { oauthGrantRepository } from '../../../src/modules/oauth/grants.repository.ts'
import { createMovingClock } from '../../support/clocks/clocks.ts'
import { createTestDatabase, type TestDatabase } from '../../support/servers/postgres.ts'
import { openTestDatabase } from '../../support/servers/test-databases.ts'

const CLIENT_ID = '7136aa0b-625c-4c9c-8820-e9784c8eb141'
const clock = createMovingClock()
let testDatabase: TestDatabase
let database: Database
beforeAll(async () => {
  testDatabase = await createTestDatabase()
  database = openTestDatabase(testDatabase.url)
})
afterEach(() => vi.restoreAllMocks())
afterAll(async () => {
  await database.close()
  await testDatabase.drop()
})

it('is active there for a second at most', async () => {
  const { id: teamId } = await teamRepository(database, { clock }).create('Team')
  const id = createId(clock)
  await database.execute(
    `insert into oauth_grants (id, team_id, client_id, scopes, created_at) values ($1, $2, $3, '{emails:send}', now())`,
    [id, teamId, CLIENT_ID],
  )
  let nowMs = performance.now()
  vi.spyOn(performance, 'now').mockImplementation(() => nowMs)
  const [here, elsewhere] = [oauthGrantRepository(database, { clock }), oauthGrantRepository(database, { clock })]
  for (const repository of [here, elsewhere]) expect(await repository.recognizeAcrossTeams(id)).toMatchObject({ id, teamId })
  await here.revoke(teamId, id, 'revoked_from_api')
  expect(await here.recognizeAcrossTeams(id)).toBeNull()
  nowMs += 1_001
  expect(await elsewhere.recognizeAcrossTeams(id)).toBeNull()
})

it('ends there within a second when its person has left the team', async () => {
  const { id: teamId } = await teamRepository(database, { clock }).create('Team')
  const [id, personId] = [createId(clock), createId(clock)]
  const person = 'insert into persons (id, email, name, created_at) values ($1, $2, $2, now())'
  await database.execute(person, [personId, `${personId}@people.example`])
  await database.execute(
    `insert into members (team_id, person_id, role, is_by_groups, created_at) values ($1, $2, 'admin', false, now())`,
    [teamId, personId],
  )
  await database.execute(
    `insert into oauth_grants (id, team_id, client_id, person_id, scopes, created_at) values ($1, $2, $3, $4, '{emails:send}', now())`,
    [id, teamId, CLIENT_ID, personId],
  )
  let nowMs = performance.now()
  vi.spyOn(performance, 'now').mockImplementation(() => nowMs)
  const elsewhere = oauthGrantRepository(database, { clock })
  expect(await elsewhere.recognizeAcrossTeams(id)).toMatchObject({ id, role: 'admin' })
  await database.execute(`update members set role = 'viewer' where person_id = $1`, [personId])
  nowMs += 1_001
  expect(await elsewhere.recognizeAcrossTeams(id)).toMatchObject({ id, role: 'viewer' })
  await database.execute('delete from members where person_id = $1', [personId])
  nowMs += 1_001
  expect(await elsewhere.recognizeAcrossTeams(id)).toBeNull()
})
