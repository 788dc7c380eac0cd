import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Database, openDatabase } from '../../../src/repositories/database.ts'
import { apiKeyRepository } from '../../../src/repositories/team/api-keys.ts'
import { signInLinkRepository } from '../../../src/repositories/team/sign-in-links.ts'
import { teamRepository } from '../../../src/repositories/team/teams.ts'
import { createMovingClock } from '../../support/clocks/moving-clock.ts'
import { createTestDatabase, type TestDatabase } from '../../support/servers/postgres.ts'

const NOW = new Date('2026-11-20T12:00:00Z')
const LATER = new Date('2026-11-20T13:00:00Z')

const clock = createMovingClock(NOW)

let testDatabase: TestDatabase
let database: Database
let teamId: string
let apiKeyId: string

beforeAll(async () => {
  testDatabase = await createTestDatabase()
  database = openDatabase({ databaseUrl: testDatabase.url, onError: () => {} })
  ;({ id: teamId } = await teamRepository(database, { clock }).create('Acme'))
})
beforeEach(async () => {
  await database.execute('delete from sign_in_links')
  ;({ id: apiKeyId } = await keys().create(teamId, { name: 'Key', permission: 'full_access', digest: crypto.randomUUID() }))
  await links().add({ digest: 'link', teamId, apiKeyId, person: null, expiresAt: LATER }, NOW)
})
afterAll(async () => {
  await database.close()
  await testDatabase.drop()
})

const links = () => signInLinkRepository(database)
const keys = () => apiKeyRepository(database, { clock, onLost: () => {}, onGrantsEnded: () => {} })
const redeem = (now = NOW) => links().redeemAcrossTeams('link', now)

describe('a sign-in link', () => {
  it('signs in one of many who redeem it at the same time', async () => {
    const found = await Promise.all(Array.from({ length: 10 }, () => redeem()))
    expect(found.filter((holder) => holder !== null)).toEqual([{ teamId, apiKeyId, person: null }])
    expect(await redeem()).toBeNull()
  })

  it('names its team without being used up', async () => {
    expect(await links().teamAcrossTeams('link', NOW)).toBe(teamId)
    expect(await redeem()).toEqual({ teamId, apiKeyId, person: null })
  })

  it('signs in no one after it expires', async () => {
    expect([await links().teamAcrossTeams('link', LATER), await redeem(LATER)]).toEqual([null, null])
    expect(await redeem()).toEqual({ teamId, apiKeyId, person: null })
  })

  it('signs in no one when its key was deleted', async () => {
    await keys().remove(teamId, apiKeyId)
    expect([await links().teamAcrossTeams('link', NOW), await redeem()]).toEqual([null, null])
  })

  it('is removed when another is added after its time', async () => {
    await links().add({ digest: 'another', teamId, apiKeyId, person: null, expiresAt: new Date('2026-11-20T14:00:00Z') }, LATER)
    expect(await database.execute('select digest from sign_in_links')).toEqual([{ digest: 'another' }])
  })
})
