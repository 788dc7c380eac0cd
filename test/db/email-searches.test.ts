import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type BoundedQueries, createEmailSearches, createRecordSearches, WAITING_PER_TEAM_MAX } from '../../src/db/bounded-queries.ts'
import { type Database, openDatabase } from '../../src/db/database.ts'
import { createTestDatabase, type TestDatabase } from '../support/servers/postgres.ts'

let testDatabase: TestDatabase
let database: Database
beforeAll(async () => {
  testDatabase = await createTestDatabase()
  database = openDatabase({ databaseUrl: testDatabase.url, onError: () => {} })
})
afterAll(async () => {
  await database.close()
  await testDatabase.drop()
})

const BUSY = {
  kind: 'unavailable',
  message: 'Other searches are being run already. Please try again in a few seconds.',
  retryAfterSeconds: 2,
}

/** A search that lasts until it is ended. */
function begin(searches: BoundedQueries, team: string): { began: Promise<void>; end: () => void; done: Promise<void> } {
  const [began, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const done = searches.run(team, async () => {
    began.resolve()
    await ended.promise
  })
  done.catch(began.reject)
  return { began: began.promise, end: ended.resolve, done }
}

const find = (searches: BoundedQueries, team: string) =>
  searches.run(team, (searching) => searching<{ found: number }>('select 1 as found'))

describe.each([
  ['that read very many rows', createEmailSearches, 1],
  ['for any record', createRecordSearches, 2],
])('searches %s', (_what, create, perTeam) => {
  it('leave places to other teams, and let ten more of a team wait, when one team asks for all of them', async () => {
    const searches = create({ ...database, patience: 30 })
    const running = Array.from({ length: perTeam }, () => begin(searches, 'a'))
    await Promise.all(running.map(({ began }) => began))
    const waiting = Array.from({ length: WAITING_PER_TEAM_MAX }, () => find(searches, 'a'))
    await expect(find(searches, 'a')).rejects.toMatchObject(BUSY)
    for (const team of ['b', 'c', 'd']) expect(await find(searches, team)).toEqual([{ found: 1 }])
    for (const { end, done } of running) {
      end()
      await done
    }
    expect(await Promise.all(waiting)).toEqual(waiting.map(() => [{ found: 1 }]))
  })

  it('are at most four at once', async () => {
    const searches = create(database)
    const running = ['a', 'b', 'c', 'd'].map((team) => begin(searches, team))
    await Promise.all(running.map(({ began }) => began))
    await expect(find(searches, 'e')).rejects.toMatchObject(BUSY)
    for (const { end, done } of running) {
      end()
      await done
    }
    expect(await find(searches, 'e')).toEqual([{ found: 1 }])
  })

  it('do not wait for those of the other kind', async () => {
    const [ours, theirs] = [
      create(database),
      create === createEmailSearches ? createRecordSearches(database) : createEmailSearches(database),
    ]
    const running = ['a', 'b', 'c', 'd'].map((team) => begin(theirs, team))
    await Promise.all(running.map(({ began }) => began))
    expect(await find(ours, 'a')).toEqual([{ found: 1 }])
    for (const { end, done } of running) {
      end()
      await done
    }
  })
})
