import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Database } from '../../../src/db/database.ts'
import { StartupProblem } from '../../../src/lib/startup-problem.ts'
import { dataKeyRepository } from '../../../src/modules/secrets/data-keys.repository.ts'
import { openDataKeys } from '../../../src/modules/secrets/data-keys.service.ts'
import { KEY_PURPOSES, wrapKey } from '../../../src/modules/secrets/data-keys.ts'
import { createTestDatabase, type TestDatabase } from '../../support/servers/postgres.ts'
import { openTestDatabase } from '../../support/servers/test-databases.ts'

const FIRST = 'the first secret key of this installation'
const SECOND = 'the second secret key of this installation'

let testDatabase: TestDatabase
let database: Database
let dataKeys: ReturnType<typeof dataKeyRepository>

beforeAll(async () => {
  testDatabase = await createTestDatabase()
  database = openTestDatabase(testDatabase.url)
  dataKeys = dataKeyRepository(database)
})
beforeEach(async () => {
  await database.execute('delete from data_keys')
})
afterAll(async () => {
  await database.close()
  await testDatabase.drop()
})

/** The versions of each purpose, in a process that starts with these secrets. */
async function open(secretKey: string, secretKeyPrevious: string | null = null) {
  const opened = await openDataKeys(dataKeys, { secretKey, secretKeyPrevious })
  return Object.fromEntries(KEY_PURPOSES.map((purpose) => [purpose, opened.of(purpose)]))
}
const wrapped = async () =>
  (await dataKeys.list()).map(({ purpose, wrapped }) => `${purpose} ${Buffer.from(wrapped).toString('hex')}`).sort()

describe('openDataKeys', () => {
  it('makes one random key per purpose, of 256 bits, and finds them again', async () => {
    const made = await open(FIRST)
    const keys = KEY_PURPOSES.map((purpose) => made[purpose]?.keys.get(1))
    expect(keys.map((key) => key?.length)).toEqual(KEY_PURPOSES.map(() => 32))
    expect(new Set(keys.map((key) => key?.toString('hex'))).size).toBe(KEY_PURPOSES.length)
    expect(await open(FIRST)).toEqual(made)
  })

  it('stores nothing from which a key could be read', async () => {
    const made = await open(FIRST)
    const stored = (await wrapped()).join()
    for (const purpose of KEY_PURPOSES) expect(stored).not.toContain(made[purpose]?.keys.get(1)?.toString('hex').slice(0, 16))
  })

  it('gives two processes that start at once the same keys', async () => {
    const [first, ...others] = await Promise.all([open(FIRST), open(FIRST), open(FIRST), open(FIRST)])
    for (const other of others) expect(other).toEqual(first)
  })

  it('wraps the keys anew when SECRET_KEY has changed and the previous one is given; then the new one alone opens them', async () => {
    const made = await open(FIRST)
    const before = await wrapped()
    expect(await open(SECOND, FIRST)).toEqual(made)
    expect(await wrapped()).not.toEqual(before)
    expect(await open(SECOND)).toEqual(made)
    await expect(open(FIRST)).rejects.toThrow(StartupProblem)
  })

  it('continues where a change of the secret was cut short', async () => {
    const made = await open(FIRST)
    const [some] = await dataKeys.list()
    await open(SECOND, FIRST)
    if (some) await dataKeys.rewrap({ ...some, wrapped: Buffer.from(some.wrapped) })
    expect(await open(SECOND, FIRST)).toEqual(made)
    expect(await open(SECOND)).toEqual(made)
  })

  it('ends the start when no secret opens the keys, and leaves them as they are', async () => {
    await open(FIRST)
    const before = await wrapped()
    const refusal = new StartupProblem(
      'SECRET_KEY does not open the keys in the database: set the SECRET_KEY they were made with, or that one as SECRET_KEY_PREVIOUS.',
    )
    await expect(open(SECOND)).rejects.toThrow(refusal)
    await expect(open(SECOND, 'neither does this one, although it is long')).rejects.toThrow(refusal)
    expect(await wrapped()).toEqual(before)
  })

  it('adds no key of a new purpose under a secret that does not open the others', async () => {
    await open(FIRST)
    await database.execute(`delete from data_keys where purpose = 'opt-out'`)
    const before = await wrapped()
    await expect(open(SECOND)).rejects.toThrow(StartupProblem)
    expect(await wrapped()).toEqual(before)
    expect((await open(FIRST))['opt-out']?.keys.get(1)?.length).toBe(32)
  })

  it('ends the start in the same way for a key that is broken in the database', async () => {
    await open(FIRST)
    await database.execute(`update data_keys set wrapped = '' where purpose = 'share'`)
    await expect(open(FIRST)).rejects.toThrow(StartupProblem)
  })

  it('opens every version of a key', async () => {
    const made = await open(FIRST)
    await dataKeys.add({ purpose: 'share', version: 2, wrapped: wrapKey(FIRST, Buffer.alloc(32, 7), 'share 2') })
    expect((await open(FIRST)).share).toEqual({ signing: 1, keys: new Map([...(made.share?.keys ?? []), [2, Buffer.alloc(32, 7)]]) })
  })
})
