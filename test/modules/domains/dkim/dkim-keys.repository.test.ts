import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Database } from '../../../../src/db/database.ts'
import type { DkimAlgorithm } from '../../../../src/lib/crypto/keys.ts'
import { createId } from '../../../../src/lib/ids.ts'
import { createDkimKey, dkimKeyRepository, listDkimKeys, takeSeenKeys } from '../../../../src/modules/domains/dkim/dkim-keys.repository.ts'
import { createMovingClock } from '../../../support/clocks/clocks.ts'
import { createTestDatabase, type TestDatabase } from '../../../support/servers/postgres.ts'
import { openTestDatabase } from '../../../support/servers/test-databases.ts'

let testDatabase: TestDatabase
let database: Database
let keys: ReturnType<typeof dkimKeyRepository>
let domainId: string
const clock = createMovingClock()
const teamId = createId()
const otherTeamId = createId()

beforeAll(async () => {
  testDatabase = await createTestDatabase()
  database = openTestDatabase(testDatabase.url)
  keys = dkimKeyRepository(database)
})
beforeEach(async () => {
  domainId = createId()
  await database.execute(
    `insert into domains (id, team_id, name, root, region, tls, return_path, open_tracking, click_tracking, sending, receiving, created_at)
     values ($1, $2, $3, $3, 'us-east-1', 'opportunistic', 'send', false, false, true, false, now())`,
    [domainId, teamId, `${domainId}.example.com`],
  )
})
afterAll(async () => {
  await database.close()
  await testDatabase.drop()
})

const newKey = (selector: string, algorithm: DkimAlgorithm = 'rsa-sha256') => ({
  id: createId(clock),
  domainId,
  selector,
  algorithm,
  publicKey: `public ${selector}`,
  privateKey: Uint8Array.from([1, 2, 3]),
  keyVersion: 1,
  createdAt: clock.now(),
})

/** The id of a new key. */
async function create(selector: string, algorithm?: DkimAlgorithm): Promise<string> {
  const key = newKey(selector, algorithm)
  expect(await database.records((inside) => createDkimKey(inside, teamId, key))).toBe(true)
  clock.advance(1)
  return key.id
}
/** The records of these keys are seen. True if they replace others. */
const see = (selectors: string[], by = teamId) =>
  database.records(async ({ tables }) => {
    const all = await listDkimKeys(tables, { teamId: by, domainIds: [domainId] })
    return takeSeenKeys(tables, { teamId: by, all, seen: selectors, now: clock.now() })
  })
async function seen(selector: string, algorithm?: DkimAlgorithm): Promise<string> {
  const id = await create(selector, algorithm)
  await see([selector])
  return id
}
const signing = async () => (await keys.signingKeysOf(teamId, domainId)).map(({ selector }) => selector)

describe('a key', () => {
  it('is listed without its private key, newest first', async () => {
    const createdAt = clock.now()
    const [first, second] = [await create('ph1'), await create('ph2', 'ed25519-sha256')]
    const rest = { domainId, seenAt: null, retiredAt: null }
    expect(await keys.listOf(teamId, domainId)).toEqual([
      {
        id: second,
        selector: 'ph2',
        algorithm: 'ed25519-sha256',
        publicKey: 'public ph2',
        createdAt: new Date(createdAt.getTime() + 1),
        ...rest,
      },
      { id: first, selector: 'ph1', algorithm: 'rsa-sha256', publicKey: 'public ph1', createdAt, ...rest },
    ])
  })

  it('is not made with a selector that the domain has already', async () => {
    const id = await create('ph1')
    expect(await database.records((inside) => createDkimKey(inside, teamId, newKey('ph1', 'ed25519-sha256')))).toBe(false)
    expect((await keys.listOf(teamId, domainId)).map((key) => key.id)).toEqual([id])
  })

  it('is not made if its transaction fails', async () => {
    const failing = database.records(async (inside) => {
      await createDkimKey(inside, teamId, newKey('ph1'))
      throw new Error('something else')
    })
    await expect(failing).rejects.toThrow('something else')
    expect(await keys.listOf(teamId, domainId)).toEqual([])
  })

  it('goes with its domain', async () => {
    await seen('ph1')
    await database.execute('delete from domains where id = $1', [domainId])
    expect(await keys.listOf(teamId, domainId)).toEqual([])
  })

  it('is out of reach of other teams', async () => {
    await seen('ph1')
    await create('ph2')
    expect(await see(['ph2'], otherTeamId)).toBe(false)
    expect(await keys.listOf(otherTeamId, domainId)).toEqual([])
    expect(await keys.signingKeysOf(otherTeamId, domainId)).toEqual([])
    expect(await signing()).toEqual(['ph1'])
  })
})

describe('the keys that sign', () => {
  it('are those whose record was seen, RSA first, with what is needed to open them', async () => {
    await create('ph1')
    const ed25519 = await seen('ph2', 'ed25519-sha256')
    const rsa = await seen('ph3')
    const rest = { privateKey: Uint8Array.from([1, 2, 3]), keyVersion: 1 }
    expect(await keys.signingKeysOf(teamId, domainId)).toEqual([
      { id: rsa, selector: 'ph3', algorithm: 'rsa-sha256', ...rest },
      { id: ed25519, selector: 'ph2', algorithm: 'ed25519-sha256', ...rest },
    ])
  })

  it('are the old ones until a new one was seen, and then the new one', async () => {
    await seen('ph1')
    await create('ph2')
    expect(await signing()).toEqual(['ph1'])
    expect(await see(['ph2'])).toBe(true)
    expect(await signing()).toEqual(['ph2'])
  })
})

it('the times at which a key was seen and retired are those of the first time', async () => {
  await seen('ph1')
  await seen('ph2')
  const before = await keys.listOf(teamId, domainId)
  clock.advance(1_000)
  expect(await see(['ph1', 'ph2'])).toBe(false)
  expect(await keys.listOf(teamId, domainId)).toEqual(before)
})

it('a key whose record is seen replaces the one that signed, although a clock that is behind made it', async () => {
  const old = await seen('ph1')
  await seen('ph2', 'ed25519-sha256')
  clock.advance(-3_600_000)
  await create('ph3')
  expect(await see(['ph1', 'ph2'])).toBe(false)
  expect(await see(['ph2', 'ph3'])).toBe(true)
  expect(await signing()).toEqual(['ph3', 'ph2'])
  const retired = (await keys.listOf(teamId, domainId)).filter(({ retiredAt }) => retiredAt !== null)
  expect(retired.map(({ id }) => id)).toEqual([old])
})
