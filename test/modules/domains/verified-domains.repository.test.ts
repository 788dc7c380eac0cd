import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Database } from '../../../src/db/database.ts'
import { createId } from '../../../src/lib/ids.ts'
import { verifiedDomainRepository } from '../../../src/modules/domains/sender.repository.ts'
import { createMovingClock } from '../../support/clocks/clocks.ts'
import { createTestDatabase, type TestDatabase } from '../../support/servers/postgres.ts'
import { openTestDatabase } from '../../support/servers/test-databases.ts'

let testDatabase: TestDatabase
let database: Database
const clock = createMovingClock()

beforeAll(async () => {
  testDatabase = await createTestDatabase()
  database = openTestDatabase(testDatabase.url)
})
afterAll(async () => {
  await database.close()
  await testDatabase.drop()
})

async function createDomain(name: string, { canSend = true, dmarc }: { canSend?: boolean; dmarc?: string } = {}): Promise<void> {
  clock.advance(1_000)
  const id = createId(clock)
  await database.execute(
    `insert into domains (id, team_id, name, root, region, tls, return_path, open_tracking, click_tracking, sending, receiving, can_send, created_at)
     values ($1, $2, $3, 'example.com', 'us-east-1', 'opportunistic', 'send', false, false, true, false, $4, now())`,
    [id, createId(clock), name, canSend],
  )
  // The state of another record says nothing.
  await database.execute(`insert into domain_records (domain_id, kind, status) values ($1, 'SPF', 'failed')`, [id])
  if (dmarc) await database.execute(`insert into domain_records (domain_id, kind, status) values ($1, 'DMARC', $2)`, [id, dmarc])
}

it('lists the domains of all teams that may send: those without a DMARC record first, then the newest', async () => {
  await createDomain('seen-first.example.com', { dmarc: 'verified' })
  await createDomain('missing.example.com', { dmarc: 'failed' })
  await createDomain('unverified.example.com', { canSend: false })
  await createDomain('seen.example.com', { dmarc: 'verified' })
  await createDomain('never-asked.example.com')
  const { listAcrossTeams } = verifiedDomainRepository(database)

  const domains = await listAcrossTeams(10)
  expect(domains).toEqual(
    ['never-asked', 'missing', 'seen', 'seen-first'].map((label) => ({ name: `${label}.example.com`, root: 'example.com' })),
  )
  expect(await listAcrossTeams(2)).toEqual(domains.slice(0, 2))
})
