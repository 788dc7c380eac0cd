import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Database } from '../../../src/db/database.ts'
import { sweepClockRepository } from '../../../src/db/jobs/sweep-clock.repository.ts'
import { createTestDatabase, type TestDatabase } from '../../support/servers/postgres.ts'
import { openTestDatabase } from '../../support/servers/test-databases.ts'

const HOUR_MS = 3_600_000
const START = new Date('2026-11-20T12:00:00Z')
const hoursLater = (hours: number) => new Date(START.getTime() + hours * HOUR_MS)

let testDatabase: TestDatabase
let database: Database
beforeAll(async () => {
  testDatabase = await createTestDatabase()
  database = openTestDatabase(testDatabase.url)
})
afterAll(async () => {
  await database.close()
  await testDatabase.drop()
})
beforeEach(() => database.execute('truncate sweep_clock'))

/** What each check finds, in hours after the start. */
async function looks(...hours: number[]): Promise<(number | null)[]> {
  const found: (number | null)[] = []
  for (const hour of hours) {
    const { waitsUntil } = await sweepClockRepository(database).lookAcrossTeams(hoursLater(hour))
    found.push(waitsUntil && (waitsUntil.getTime() - START.getTime()) / HOUR_MS)
  }
  return found
}

describe('the clock of the sweeps', () => {
  it('is believed at the first look, and while it continues', async () => {
    expect(await looks(0, 1, 2, 3, 20, 45)).toEqual([null, null, null, null, null, null])
  })

  it('is believed when it is corrected by minutes', async () => {
    expect(await looks(1, 0.2, 1.2)).toEqual([null, null, null])
  })

  it('is not believed for a day after a leap ahead, and then again', async () => {
    const ahead = 400 * 24
    expect(await looks(0, ahead, ahead + 1, ahead + 23.9, ahead + 24, ahead + 25)).toEqual([
      null,
      ahead + 24,
      ahead + 24,
      ahead + 24,
      null,
      null,
    ])
  })

  it('is not believed for a day after it was set back, whatever the leap before had to wait for', async () => {
    expect(await looks(0, 400 * 24, 1, 2, 24, 25, 26)).toEqual([null, 401 * 24, 25, 25, 25, null, null])
  })

  it('is not believed for a day after a service that was off for nine days', async () => {
    expect(await looks(0, 9 * 24, 9 * 24 + 24)).toEqual([null, 10 * 24, null])
  })

  it('is said to have jumped once', async () => {
    const { lookAcrossTeams } = sweepClockRepository(database)
    const found = [await lookAcrossTeams(hoursLater(0)), await lookAcrossTeams(hoursLater(100)), await lookAcrossTeams(hoursLater(101))]
    expect(found.map(({ hasJumped }) => hasJumped)).toEqual([false, true, false])
  })

  it('is looked at by several processes at once', async () => {
    const repository = sweepClockRepository(database)
    const found = await Promise.all(Array.from({ length: 8 }, () => repository.lookAcrossTeams(hoursLater(5))))
    expect(found.map(({ waitsUntil }) => waitsUntil)).toEqual(Array(8).fill(null))
  })
})
