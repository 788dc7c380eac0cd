import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Database } from '../../../src/db/database.ts'
import { createApiToken, digestToken } from '../../../src/lib/ids.ts'
import { apiKeyRepository } from '../../../src/modules/accounts/api-keys.repository.ts'
import { teamRepository } from '../../../src/modules/accounts/teams/teams.repository.ts'
import { endGrantsOf } from '../../../src/modules/oauth/grants.repository.ts'
import { createMovingClock } from '../../support/clocks/clocks.ts'
import { until } from '../../support/clocks/until.ts'
import { createTestDatabase, type TestDatabase } from '../../support/servers/postgres.ts'
import { openTestDatabase } from '../../support/servers/test-databases.ts'

let testDatabase: TestDatabase
let database: Database
let teamId: string
const clock = createMovingClock()

/** The keys of one process. The reads of its cache misses are counted, and held back while `gate` is not open. */
function createProcess() {
  const reads: string[] = []
  const state = { gate: async () => {}, rowsRead: 0, writes: 0 }
  const tables = {
    ...database.tables,
    apiKey: new Proxy(database.tables.apiKey, {
      get(target, property) {
        if (property !== 'findUnique') return Reflect.get(target, property)
        return async (query: { where: { digest: string } }) => {
          reads.push(query.where.digest)
          const row = await target.findUnique({ where: query.where })
          state.rowsRead += 1
          await state.gate()
          return row
        }
      },
    }),
  } as Database['tables']
  const execute: Database['execute'] = (sql, values) => {
    if (typeof sql === 'string' && sql.startsWith('update api_keys')) state.writes += 1
    return database.execute(sql, values)
  }
  return {
    keys: apiKeyRepository(
      { tables, execute, records: database.records },
      { clock, onLost: () => {}, endGrants: endGrantsOf, onGrantsEnded: () => {} },
    ),
    reads,
    state,
  }
}

async function createKey(keys = createProcess().keys) {
  const digest = digestToken(createApiToken())
  const { id } = await keys.create(teamId, { name: 'Key', permission: 'sending_access', digest })
  return { id, digest, holder: { teamId, apiKeyId: id, permission: 'sending_access', domainId: null } }
}

beforeAll(async () => {
  testDatabase = await createTestDatabase()
  database = openTestDatabase(testDatabase.url)
  teamId = (await teamRepository(database, { clock }).create('Team')).id
})
beforeEach(async () => {
  await database.execute('delete from api_keys')
})
afterAll(async () => {
  await database.close()
  await testDatabase.drop()
})

describe('the key cache', () => {
  it('reads a key once for many requests, also when they come at the same moment', async () => {
    const { keys, reads } = createProcess()
    const { digest, holder } = await createKey()
    const found = await Promise.all(Array.from({ length: 50 }, () => keys.recognizeAcrossTeams(digest)))
    expect(found).toEqual(Array(50).fill(holder))
    expect(await keys.recognizeAcrossTeams(digest)).toEqual(holder)
    expect(reads).toEqual([digest])
  })

  it('forgets a key at once when this process deletes it', async () => {
    const { keys } = createProcess()
    const { id, digest } = await createKey()
    await keys.recognizeAcrossTeams(digest)
    expect(await keys.deleteApiKey(teamId, id)).toEqual({ id })
    expect(await keys.recognizeAcrossTeams(digest)).toBeNull()
  })

  it('does not bring a deleted key back by a lookup that was on its way', async () => {
    const { keys, state } = createProcess()
    const { id, digest, holder } = await createKey()
    const { promise, resolve } = Promise.withResolvers<void>()
    state.gate = () => promise
    const early = keys.recognizeAcrossTeams(digest)
    await until(() => expect(state.rowsRead).toBe(1))
    await keys.deleteApiKey(teamId, id)
    resolve()

    // The request that came before the deletion may still see the key; none after it.
    expect([holder, null]).toContainEqual(await early)
    expect(await keys.recognizeAcrossTeams(digest)).toBeNull()
  })

  it('gives a request after the deletion an answer of its own, although an older lookup still runs', async () => {
    const { keys, state } = createProcess()
    const { id, digest } = await createKey()
    const { promise, resolve } = Promise.withResolvers<void>()
    state.gate = () => promise
    const early = keys.recognizeAcrossTeams(digest)
    await until(() => expect(state.rowsRead).toBe(1))
    await keys.deleteApiKey(teamId, id)
    state.gate = async () => {}
    expect(await keys.recognizeAcrossTeams(digest)).toBeNull()
    resolve()
    await early
    expect(await keys.recognizeAcrossTeams(digest)).toBeNull()
  })

  it('sees what another process deleted within a second', async () => {
    const [one, other] = [createProcess(), createProcess()]
    const { id, digest, holder } = await createKey()
    let nowMs = performance.now()
    const time = vi.spyOn(performance, 'now').mockImplementation(() => nowMs)
    try {
      expect(await one.keys.recognizeAcrossTeams(digest)).toEqual(holder)
      await other.keys.deleteApiKey(teamId, id)
      nowMs += 1_001
      expect(await one.keys.recognizeAcrossTeams(digest)).toBeNull()
    } finally {
      time.mockRestore()
    }
  })

  it('keeps the known keys through any number of unknown ones', async () => {
    const { keys, reads } = createProcess()
    const { digest, holder } = await createKey()
    // Time stands still for the cache, so that only its bounds can make it forget.
    const still = vi.spyOn(performance, 'now').mockReturnValue(performance.now())
    try {
      await keys.recognizeAcrossTeams(digest)
      for (let start = 0; start < 10_001; start += 500)
        await Promise.all(Array.from({ length: 500 }, (_, index) => keys.recognizeAcrossTeams(`unknown ${start + index}`)))
      reads.length = 0
      expect(await keys.recognizeAcrossTeams(digest)).toEqual(holder)
      expect(reads).toEqual([])
    } finally {
      still.mockRestore()
    }
  })

  it('asks again after a lookup that failed', async () => {
    const { keys, state } = createProcess()
    const { digest, holder } = await createKey()
    state.gate = () => Promise.reject(new Error('connection lost'))
    await expect(keys.recognizeAcrossTeams(digest)).rejects.toThrow('connection lost')
    state.gate = async () => {}
    expect(await keys.recognizeAcrossTeams(digest)).toEqual(holder)
  })
})

describe('10,000 keys', () => {
  it('are each found by their own digest, and listed page by page', async () => {
    await database.execute(
      `insert into api_keys (id, team_id, name, permission, digest, created_at)
       select ('01990000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, $1, 'Key ' || n, 'full_access', 'digest ' || n, now() from generate_series(1, 10000) n`,
      [teamId],
    )
    const { keys } = createProcess()
    for (const number of [1, 5_000, 10_000]) {
      const apiKeyId = `01990000-0000-7000-8000-${number.toString(16).padStart(12, '0')}`
      expect(await keys.recognizeAcrossTeams(`digest ${number}`)).toEqual({ teamId, apiKeyId, permission: 'full_access', domainId: null })
    }
    const names: string[] = []
    let after: string | null = null
    for (let hasMore = true; hasMore; ) {
      const page: Awaited<ReturnType<typeof keys.list>> = await keys.list(teamId, { limit: 1_000, after, before: null })
      names.push(...page.rows.map(({ name }) => name))
      after = page.rows.at(-1)?.id ?? null
      hasMore = page.hasMore
    }
    expect(names).toEqual(Array.from({ length: 10_000 }, (_, index) => `Key ${10_000 - index}`))
  })
})

describe('last uses', () => {
  const lastUses = async () => {
    const rows = await database.execute<{ id: string; last_used_at: Date | null }>('select id, last_used_at from api_keys order by id')
    return new Map(rows.map(({ id, last_used_at }) => [id, last_used_at]))
  }

  it('are written together, in one statement for many keys and many uses', async () => {
    const { keys, state } = createProcess()
    const ids = await Promise.all(Array.from({ length: 20 }, async () => (await createKey()).id))
    const at = clock.now()
    for (let count = 0; count < 5; count += 1) for (const id of ids) keys.used(id)
    await keys.flush()
    expect(state.writes).toBe(1)
    expect(await lastUses()).toEqual(new Map(ids.map((id) => [id, at])))
  })

  it('never go back, whichever process writes last', async () => {
    const [early, late] = [createProcess(), createProcess()]
    const { id } = await createKey()
    early.keys.used(id)
    clock.advance(60_000)
    late.keys.used(id)
    await late.keys.flush()
    await early.keys.flush()
    expect((await lastUses()).get(id)).toEqual(clock.now())
  })

  it('of keys that were deleted meanwhile are no fault', async () => {
    const { keys } = createProcess()
    const [gone, kept] = [await createKey(), await createKey()]
    keys.used(gone.id)
    keys.used(kept.id)
    await keys.deleteApiKey(teamId, gone.id)
    await keys.flush()
    expect(await lastUses()).toEqual(new Map([[kept.id, clock.now()]]))
  })
})
