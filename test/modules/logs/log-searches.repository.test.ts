// How PostgreSQL executes searches among very many requests: what they read must depend on their bound, never on how many requests there are.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createBoundedQueries } from '../../../src/db/bounded-queries.ts'
import type { Database } from '../../../src/db/database.ts'
import { createId } from '../../../src/lib/ids.ts'
import { type LogFindings, type LogSearch, logSearchRepository } from '../../../src/modules/logs/logs.repository.ts'
import { createTestDatabase, type TestDatabase } from '../../support/servers/postgres.ts'
import { keepStatistics, openExplaining } from '../../support/servers/statements.ts'
import { openTestDatabase } from '../../support/servers/test-databases.ts'

/** A hundred times what a search may read. */
const LOGS = 100_000
/** A statement has 30 seconds, on any machine. */
const LOGS_AT_ONCE = 50_000
const SEARCHED = 1_000
const LIMIT = 50
const TEAM = createId()
const OTHER = createId()
const KEYS = { busy: createId(), rare: createId() }

const INDEXES: Record<string, string[]> = {
  'search logs by time': ['request_logs_pkey'],
  'search logs by problem': ['request_logs_team_id_id_idx'],
  'search logs by key': ['request_logs_team_id_api_key_id_id_idx'],
}

let testDatabase: TestDatabase
let database: Database
let explaining: ReturnType<typeof openExplaining>

// Ids of one millisecond after another, and each thousandth request by another key and refused.
beforeAll(async () => {
  testDatabase = await createTestDatabase()
  database = openTestDatabase(testDatabase.url)
  await keepStatistics(database, /^request_logs/)
  const [clock] = await database.execute<{ now: Date }>('select now()')
  for (let first = 1; first <= LOGS; first += LOGS_AT_ONCE)
    await database.execute(
      `insert into request_logs (id, team_id, api_key_id, method, endpoint, response_status, created_at)
       select (left(h, 8) || '-' || substr(h, 9, 4) || '-7' || lpad(to_hex(n % 4096), 3, '0') || '-8000-' || lpad(to_hex(n), 12, '0'))::uuid,
         case when n % 10 = 3 then $2 else $1 end::uuid, case when n % 1000 = 0 then $4 else $3 end::uuid, 'GET', '/emails/' || n,
         case when n % 1000 = 0 then 404 else 200 end, $5
       from (
         select n, lpad(to_hex((extract(epoch from $5::timestamptz) * 1000)::bigint - (${LOGS} - n) / 100), 12, '0') as h
         from generate_series($6::int, $7::int) n
       ) m`,
      [TEAM, OTHER, KEYS.busy, KEYS.rare, clock?.now, first, first + LOGS_AT_ONCE - 1],
    )
  await database.execute('analyze request_logs')
  explaining = openExplaining(testDatabase.superuserUrl, { indexes: INDEXES, rowsReadMax: SEARCHED })
})
afterAll(async () => {
  await explaining.database.close()
  await database.close()
  await testDatabase.drop()
})

const ANYTHING = { path: null, method: null, status: null, apiKeyId: null, from: null, until: null, after: null, limit: LIMIT }

async function search(sought: Partial<LogSearch>, teamId = TEAM): Promise<LogFindings & { seen: object }> {
  let findings: LogFindings | undefined
  const searches = createBoundedQueries(explaining.database)
  const seen = await explaining.see(async () => {
    findings = await logSearchRepository({ searches, searchedMax: SEARCHED }).search(teamId, { ...ANYTHING, ...sought })
  })
  if (!findings) throw new Error('Nothing was searched')
  return { ...findings, seen }
}

const by = (walk: string) => ({ statements: [`search logs by ${walk}`], problems: [] })

describe('a search among very many requests', () => {
  it('of a path reads the newest ones, and says where it stopped', async () => {
    const { rows, next, seen } = await search({ path: '/emails/1' })
    expect(seen).toEqual(by('time'))
    expect(rows.map(({ endpoint }) => endpoint)).toEqual(['/emails/100000'])
    expect(next).toEqual({ after: expect.any(String), isBecauseOfBound: true })
    const older = await search({ path: '/emails/98', after: next?.after ?? null })
    expect(older.seen).toEqual(by('time'))
    expect(older.rows).toHaveLength(LIMIT)
    expect(older.rows[0]?.endpoint).toBe('/emails/98889')
  })

  it('of what was refused reads only that', async () => {
    const { rows, next, seen } = await search({ status: { from: 400, to: 499 } })
    expect(seen).toEqual(by('problem'))
    expect(rows).toHaveLength(LIMIT)
    expect(next).toEqual({ after: rows.at(-1)?.id, isBecauseOfBound: false })
    expect((await search({ status: { from: 500, to: 599 } })).rows).toEqual([])
  })

  it('of a key reads only its requests', async () => {
    const { rows, seen } = await search({ apiKeyId: KEYS.rare, path: '/emails/' })
    expect(seen).toEqual(by('key'))
    expect(rows).toHaveLength(LIMIT)
    expect(rows.every(({ responseStatus }) => responseStatus === 404)).toBe(true)
    expect(await search({ apiKeyId: createId() })).toMatchObject({ rows: [], next: null, seen: by('key') })
  })

  it('of a time reads what is in it', async () => {
    const [newest] = (await search({})).rows
    const until = new Date((newest?.createdAt.getTime() ?? 0) - 500)
    const { rows, seen } = await search({ until, from: new Date(until.getTime() - 1), limit: 200 })
    expect(seen).toEqual(by('time'))
    expect(rows.length).toBeGreaterThan(0)
    expect(rows.length).toBeLessThan(200)
  })

  it('of a team with few reads only those, and of one with nothing nothing', async () => {
    expect((await search({ path: '/emails/' }, OTHER)).seen).toEqual(by('time'))
    expect(await search({ path: '/emails/' }, createId())).toMatchObject({ rows: [], next: null, seen: by('time') })
  })
})
