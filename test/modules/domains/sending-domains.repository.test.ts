import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Database } from '../../../src/db/database.ts'
import { createId } from '../../../src/lib/ids.ts'
import { sendingDomainRepository } from '../../../src/modules/domains/sender.repository.ts'
import { createTestDatabase, type TestDatabase } from '../../support/servers/postgres.ts'
import { openTestDatabase } from '../../support/servers/test-databases.ts'

let testDatabase: TestDatabase
let database: Database
let sendingDomains: ReturnType<typeof sendingDomainRepository>
const teamId = createId()

beforeAll(async () => {
  testDatabase = await createTestDatabase()
  database = openTestDatabase(testDatabase.url)
  sendingDomains = sendingDomainRepository(database)
})
afterAll(async () => {
  await database.close()
  await testDatabase.drop()
})

/** A domain of a name of its own, with records in these states. */
async function create(states: Record<string, string>, { team = teamId, name = `${createId()}.example.com`, ownsName = true } = {}) {
  const id = createId()
  await database.execute(
    `insert into domains (id, team_id, name, root, region, tls, return_path, open_tracking, click_tracking, sending, receiving, owns_name, created_at)
     values ($1, $2, $3, 'example.com', 'us-east-1', 'opportunistic', 'bounces', false, false, true, false, $4, now())`,
    [id, team, name, ownsName],
  )
  for (const [kind, status] of Object.entries(states))
    await database.execute('insert into domain_records (domain_id, kind, status) values ($1, $2, $3)', [id, kind, status])
  return { id, name }
}
const returnPathOf = async (name: string, team = teamId) => (await sendingDomains.find(team, name))?.returnPathHost

describe('the return path of a domain', () => {
  it.each([
    ['verified', 'verified'],
    ['verified', 'temporary_failure'],
    ['temporary_failure', 'temporary_failure'],
  ])('is at its own host while its records are %s and %s', async (mx, spf) => {
    const { name } = await create({ ReturnPathMX: mx, SPF: spf, DKIM: 'pending' })
    expect(await returnPathOf(name)).toBe(`bounces.${name}`)
  })

  it.each<[string, Record<string, string>]>([
    ['one of its records is pending', { ReturnPathMX: 'verified', SPF: 'pending' }],
    ['one of its records has failed', { ReturnPathMX: 'failed', SPF: 'verified' }],
    ['one of its records was never looked for', { SPF: 'verified', DKIM: 'verified' }],
    ['none of them was', {}],
  ])('is not there when %s', async (_what, states) => {
    const { name } = await create(states)
    expect(await returnPathOf(name)).toBe(null)
  })

  it('is only that of the team that has verified the name', async () => {
    const other = createId()
    const verified = { ReturnPathMX: 'verified', SPF: 'verified' }
    const { name } = await create(verified)
    await create(verified, { team: other, name, ownsName: false })
    expect([await returnPathOf(name), await returnPathOf(name, other)]).toEqual([`bounces.${name}`, null])
  })
})

it('the setting of TLS is that of the team', async () => {
  const { id, name } = await create({})
  await database.execute(`update domains set tls = 'enforced' where id = $1`, [id])
  expect([await sendingDomains.find(teamId, name), await sendingDomains.find(createId(), name)]).toEqual([
    { id, requiresTls: true, returnPathHost: null, tracking: null },
    null,
  ])
})

describe('the tracking of a domain', () => {
  async function tracked(changes: string, options: Parameters<typeof create>[1] = {}) {
    const { id, name } = await create({}, options)
    await database.execute(`update domains set ${changes} where id = $1`, [id])
    return (await sendingDomains.find(teamId, name))?.tracking
  }

  it('leads to the host whose record was verified last, for what was switched on', async () => {
    expect(await tracked(`tracking_host = 'links.example.com', open_tracking = true`)).toEqual({
      host: 'links.example.com',
      opens: true,
      clicks: false,
    })
  })

  it.each([
    ['nothing is switched on', `tracking_host = 'links.example.com'`, true],
    ['no host was verified', `tracking_subdomain = 'links', open_tracking = true, click_tracking = true`, true],
    ['the name is that of another team', `tracking_host = 'links.example.com', click_tracking = true`, false],
  ])('is off when %s', async (_when, changes, ownsName) => {
    expect(await tracked(changes, { ownsName })).toBe(null)
  })
})
