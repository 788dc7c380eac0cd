import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { readConfig } from '../../../../src/config/config.ts'
import type { Database } from '../../../../src/db/database.ts'
import { systemClock } from '../../../../src/lib/clock.ts'
import { ensureFirstTeam } from '../../../../src/modules/accounts/teams/first-team.service.ts'
import { createRepositories } from '../../../../src/repositories.ts'
import { createTestDatabase, type TestDatabase } from '../../../support/servers/postgres.ts'
import { openTestDatabase } from '../../../support/servers/test-databases.ts'

let testDatabase: TestDatabase
let database: Database

beforeEach(async () => {
  testDatabase = await createTestDatabase()
  database = openTestDatabase(testDatabase.url)
})
afterEach(async () => {
  await database.close()
  await testDatabase.drop()
})

const startAll = (environment: Record<string, string>) =>
  Promise.all(
    Array.from({ length: 8 }, () =>
      ensureFirstTeam({
        repositories: createRepositories(database, {
          clock: systemClock,
          installation: readConfig(environment).installation,
          softBounces: readConfig(environment).softBounces,
          onLost: () => {},
          onUnreadable: () => {},
        }),
        config: readConfig(environment),
      }),
    ),
  )
const counts = async () => [await database.tables.team.count(), await database.tables.apiKey.count()]

describe('processes that start together on an empty database', () => {
  it('make one team with one key, which one of them hands out', async () => {
    const tokens = await startAll({})
    expect(tokens.filter((token) => token !== null)).toHaveLength(1)
    expect(await counts()).toEqual([1, 1])
  })

  it('make one team with the one bootstrap key', async () => {
    expect(await startAll({ BOOTSTRAP_API_KEY: 're_0123456789abcdefghijklmn' })).toEqual(Array.from({ length: 8 }, () => null))
    expect(await counts()).toEqual([1, 1])
  })

  it.each([
    ['a key of its own', {}],
    ['the bootstrap key', { BOOTSTRAP_API_KEY: 're_0123456789abcdefghijklmn' }],
  ])('leave no team without a key when %s cannot be stored', async (_what, environment) => {
    await database.execute(
      `create function refuse() returns trigger language plpgsql as $$ begin raise 'no keys today'; end $$;
       create trigger refuse before insert on api_keys execute function refuse()`,
    )
    await expect(startAll(environment)).rejects.toThrow('no keys today')
    expect(await counts()).toEqual([0, 0])

    await database.execute('drop trigger refuse on api_keys')
    await startAll(environment)
    expect(await counts()).toEqual([1, 1])
  })

  it('make nothing when there is a team already', async () => {
    await startAll({})
    expect(await startAll({})).toEqual(Array.from({ length: 8 }, () => null))
    expect(await counts()).toEqual([1, 1])
  })
})
