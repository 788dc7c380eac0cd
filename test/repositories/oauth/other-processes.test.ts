// A grant that is ended in one process, as another one sees it.
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import { createId } from '../../../src/lib/ids.ts'
import { type Database, openDatabase } from '../../../src/repositories/database.ts'
import { oauthGrantRepository } from '../../../src/repositories/oauth/oauth-grants.ts'
import { teamRepository } from '../../../src/repositories/team/teams.ts'
import { createMovingClock } from '../../support/clocks/moving-clock.ts'
import { createTestDatabase, type TestDatabase } from '../../support/servers/postgres.ts'

const CLIENT_ID = '7136aa0b-625c-4c9c-8820-e9784c8eb141'
const clock = createMovingClock()
let testDatabase: TestDatabase
let database: Database
beforeAll(async () => {
  testDatabase = await createTestDatabase()
  database = openDatabase({ databaseUrl: testDatabase.url, onError: () => {} })
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
