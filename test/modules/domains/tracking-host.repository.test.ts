import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readConfig } from '../../../src/config/config.ts'
import type { Database } from '../../../src/db/database.ts'
import { createId } from '../../../src/lib/ids.ts'
import type { RecordVerdict } from '../../../src/mail/record-types.ts'
import { toDomain } from '../../../src/modules/domains/domains.routes.ts'
import { createRepositories, type Repositories } from '../../../src/repositories.ts'
import { createMovingClock } from '../../support/clocks/clocks.ts'
import { createTestDatabase, type TestDatabase } from '../../support/servers/postgres.ts'
import { openTestDatabase } from '../../support/servers/test-databases.ts'

const DAY_MS = 24 * 60 * 60 * 1000
const teamId = createId()
const clock = createMovingClock()
let testDatabase: TestDatabase
let database: Database
let repositories: Repositories

beforeAll(async () => {
  testDatabase = await createTestDatabase()
  database = openTestDatabase(testDatabase.url)
  const { installation } = readConfig({})
  repositories = createRepositories(database, {
    clock,
    installation,
    softBounces: { bounces: 0, days: 0 },
    onLost: () => {},
    onUnreadable: () => {},
  })
})
afterAll(async () => {
  await database.close()
  await testDatabase.drop()
})

/** A domain that sends, asks for tracking through `links.`, and is being verified. */
async function create() {
  const name = `${createId()}.example.com`
  const id = createId()
  await database.execute(
    `insert into domains (id, team_id, name, root, region, tls, return_path, tracking_subdomain, open_tracking, click_tracking, sending, receiving, created_at)
     values ($1, $2, $3, $3, 'us-east-1', 'opportunistic', 'send', 'links', true, true, true, false, $4)`,
    [id, teamId, name, clock.now()],
  )
  await repositories.domainChecks.ask(teamId, id)
  return { id, name }
}

/** What one check finds: everything is right but the tracking record, of which this is said. */
async function check(id: string, tracking: RecordVerdict): Promise<void> {
  const records = (await repositories.domains.find(teamId, id))?.records ?? []
  await repositories.domainChecks.record(
    teamId,
    id,
    records.map(({ kind, host, value }) => ({ kind, host, value, found: [], verdict: kind === 'Tracking' ? tracking : 'right' })),
  )
}

/** Where mail of the domain is tracked as it is sent, which is what the API says of the domain. */
async function hostOf({ id, name }: { id: string; name: string }): Promise<string | null> {
  const { host = null, opens = false, clicks = false } = (await repositories.sendingDomains.find(teamId, name))?.tracking ?? {}
  const domain = await repositories.domains.find(teamId, id)
  expect(domain && toDomain(domain).tracked).toEqual({ opens, clicks })
  return host
}

describe('mail is tracked', () => {
  it('from the moment the record of the host is verified, also while it is missing for a while, until it has failed', async () => {
    const { id, name } = await create()
    expect(await hostOf({ id, name })).toBe(null)
    await check(id, 'absent')
    expect(await hostOf({ id, name })).toBe(null)
    await check(id, 'right')
    expect(await hostOf({ id, name })).toBe(`links.${name}`)
    await check(id, 'absent')
    expect(await hostOf({ id, name })).toBe(`links.${name}`)
    clock.advance(4 * DAY_MS)
    await check(id, 'absent')
    expect(await hostOf({ id, name })).toBe(null)
  })

  it('through the old host until the new one is verified', async () => {
    const { id, name } = await create()
    await check(id, 'right')
    await repositories.domains.updateDomain(teamId, id, { trackingSubdomain: 'click' })
    expect(await hostOf({ id, name })).toBe(`links.${name}`)
    await check(id, 'absent')
    clock.advance(4 * DAY_MS)
    await check(id, 'absent')
    expect(await hostOf({ id, name })).toBe(`links.${name}`)
    await check(id, 'right')
    expect(await hostOf({ id, name })).toBe(`click.${name}`)
  })

  it('only as long as the domain wants it', async () => {
    const { id, name } = await create()
    await check(id, 'right')
    await repositories.domains.updateDomain(teamId, id, { openTracking: false, clickTracking: false })
    expect(await hostOf({ id, name })).toBe(null)
    await repositories.domains.updateDomain(teamId, id, { clickTracking: true })
    expect(await repositories.sendingDomains.find(teamId, name)).toMatchObject({
      tracking: { host: `links.${name}`, opens: false, clicks: true },
    })
    expect(await hostOf({ id, name })).toBe(`links.${name}`)
  })
})
