// What the authorization server remembers is bounded, whatever programs do.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Database } from '../../../src/db/database.ts'
import { createId } from '../../../src/lib/ids.ts'
import { teamRepository } from '../../../src/modules/accounts/teams/teams.repository.ts'
import { oauthClientRepository } from '../../../src/modules/oauth/clients.repository.ts'
import { CODES_KEPT, oauthRecordRepository, REFRESH_TOKENS_KEPT } from '../../../src/modules/oauth/records.repository.ts'
import { createMovingClock } from '../../support/clocks/clocks.ts'
import { createTestDatabase, type TestDatabase } from '../../support/servers/postgres.ts'
import { openTestDatabase } from '../../support/servers/test-databases.ts'

const clock = createMovingClock()
const CLIENT_ID = '7136aa0b-625c-4c9c-8820-e9784c8eb141'
let testDatabase: TestDatabase
let database: Database
let grantId: string

beforeAll(async () => {
  testDatabase = await createTestDatabase()
  database = openTestDatabase(testDatabase.url)
  const { id: teamId } = await teamRepository(database, { clock }).create('Team')
  grantId = createId(clock)
  await database.execute(
    `insert into oauth_grants (id, team_id, client_id, scopes, created_at) values ($1, $2, $3, '{emails:send}', now())`,
    [grantId, teamId, CLIENT_ID],
  )
})
beforeEach(() => database.execute('delete from oauth_records'))
afterAll(async () => {
  await database.close()
  await testDatabase.drop()
})

const inDays = (days: number) => new Date(clock.now().getTime() + days * 86_400_000)
const count = async (kind: string) => (await database.execute('select digest from oauth_records where kind = $1', [kind])).length

describe('the tokens of a grant', () => {
  /** A chain of `used` tokens that were used, and the one that is next. */
  async function chain(used: number, turn: number): Promise<string> {
    await database.execute(
      `insert into oauth_records (kind, digest, payload, grant_id, consumed_at, expires_at)
       select 'RefreshToken', 'used ' || n, '{}', $1, now() - make_interval(mins => n), now() + interval '60 days' from generate_series(1, $2) n`,
      [grantId, used],
    )
    const next = { kind: 'RefreshToken', digest: 'next', payload: { turn, follows: 'used 1' }, grantId, expiresAt: inDays(60) }
    await oauthRecordRepository(database, { clock }).save(next)
    return next.digest
  }
  const GRACE = { graceMs: 60_000, usesMax: 4 }

  it('are shortened every hundredth time, and the newest stay', async () => {
    const records = oauthRecordRepository(database, { clock })
    const digest = await chain(1_100, 1_199)
    expect(await records.useRefreshToken(digest, GRACE)).toBe(1_199)
    expect(await count('RefreshToken')).toBe(REFRESH_TOKENS_KEPT)
    const [oldest] = await database.execute(`select digest from oauth_records where consumed_at is not null order by consumed_at limit 1`)
    expect(oldest).toEqual({ digest: `used ${REFRESH_TOKENS_KEPT - 1}` })
  })

  it('are counted from what was rotated, and used by their heir only', async () => {
    const records = oauthRecordRepository(database, { clock })
    const digest = await chain(3, 3)
    await records.save({ kind: 'RefreshToken', digest: 'rival', payload: { follows: 'used 1' }, grantId, expiresAt: inDays(60) })
    expect(await records.useRefreshToken(digest, GRACE)).toBe(3)
    expect(await records.useRefreshToken('rival', GRACE)).toBe(null)
    expect(await records.useRefreshToken('unknown', GRACE)).toBe(null)
    expect(await count('RefreshToken')).toBe(5)
  })

  it('are shortened with each code, and so are its codes', async () => {
    const records = oauthRecordRepository(database, { clock })
    await chain(1_100, 1)
    for (let code = 0; code < CODES_KEPT + 5; code += 1)
      await records.save({ kind: 'AuthorizationCode', digest: `code ${code}`, payload: {}, grantId, expiresAt: inDays(1 + code) })
    expect(await count('AuthorizationCode')).toBe(CODES_KEPT)
    expect(await count('RefreshToken')).toBe(REFRESH_TOKENS_KEPT)
    const rows = await database.execute<{ digest: string }>(`select digest from oauth_records where kind = 'AuthorizationCode'`)
    expect(rows.map(({ digest }) => digest)).toContain(`code ${CODES_KEPT + 4}`)
    expect(rows.map(({ digest }) => digest)).not.toContain('code 0')
  })
})

it('takes so many open requests for access, and more once some have expired', async () => {
  const records = oauthRecordRepository(database, { clock, interactionsMax: 2 })
  const begin = (digest: string) => records.save({ kind: 'Interaction', digest, payload: {}, grantId: null, expiresAt: inDays(1) })
  await begin('a')
  expect(await records.areTooManyAsked()).toBe(false)
  await begin('b')
  clock.advance(5_000)
  expect(await records.areTooManyAsked()).toBe(true)
  await database.execute(`update oauth_records set expires_at = $1 where digest = 'a'`, [clock.now()])
  clock.advance(5_000)
  expect(await records.areTooManyAsked()).toBe(false)
})

it('registers so many clients that no one gave access to, and older ones make room', async () => {
  const clients = oauthClientRepository(database, { clock, unusedMax: 2 })
  const register = async () => {
    const clientId = createId(clock)
    await clients.register({ clientId, name: 'Editor', logoUri: null, metadata: {} })
    return clientId
  }
  const first = await register()
  expect(await clients.makeRoom()).toBe(true)
  const second = await register()
  expect(await clients.makeRoom()).toBe(false)
  await database.execute(`update oauth_clients set created_at = created_at - interval '25 hours' where client_id = $1`, [first])
  expect(await clients.makeRoom()).toBe(true)
  expect([await clients.find(first), (await clients.find(second))?.clientId, (await clients.find(CLIENT_ID))?.origin]).toEqual([
    null,
    second,
    'built_in',
  ])
})
