import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Database } from '../../../src/db/database.ts'
import { systemClock } from '../../../src/lib/clock.ts'
import { Failure } from '../../../src/lib/failure.ts'
import { StartupProblem } from '../../../src/lib/startup-problem.ts'
import { dataKeyRepository } from '../../../src/modules/secrets/data-keys.repository.ts'
import { openDataKeys, retireDataKey, rotateDataKey } from '../../../src/modules/secrets/data-keys.service.ts'
import { KEY_VERSIONS_MAX, type KeyPurpose, wrapKey } from '../../../src/modules/secrets/data-keys.ts'
import { createLinks } from '../../../src/modules/secrets/links.ts'
import { until } from '../../support/clocks/until.ts'
import { createTestDatabase, type TestDatabase } from '../../support/servers/postgres.ts'
import { startTestService } from '../../support/servers/service.ts'
import { openTestDatabase } from '../../support/servers/test-databases.ts'

const SECRET = 'the secret key of this installation'
const GONE = new Failure('invalidLink', 'This link is not complete, or was changed. Ask for a new one.')

let testDatabase: TestDatabase
let database: Database
let dataKeys: ReturnType<typeof dataKeyRepository>

beforeAll(async () => {
  testDatabase = await createTestDatabase()
  database = openTestDatabase(testDatabase.url)
  dataKeys = dataKeyRepository(database)
})
beforeEach(() => database.execute('delete from data_keys'))
afterAll(async () => {
  await database.close()
  await testDatabase.drop()
})

/** One of the processes that share a database. */
async function startProcess(secretKey = SECRET) {
  const keys = await openDataKeys(dataKeys, { secretKey, secretKeyPrevious: null })
  return { ...createLinks(keys.of, systemClock), readAgain: keys.readAgain }
}

const rotate = (purpose: KeyPurpose) => rotateDataKey(dataKeys, { purpose, secretKey: SECRET })
const retire = (purpose: KeyPurpose, version: number) => retireDataKey(dataKeys, { purpose, version })
/** Makes all existing keys older. */
const age = (seconds: number) => database.execute(`update data_keys set created_at = created_at - $1 * interval '1 second'`, [seconds])
const versions = async () => (await dataKeys.list()).map(({ purpose, version }) => `${purpose} ${version}`)
const versionOf = (token: string) => Number.parseInt(token, 10)

describe('a new version', () => {
  it('is known to every process before one signs with it, so that each opens what the others sign', async () => {
    const [one, other] = [await startProcess(), await startProcess()]
    expect(await rotate('share')).toBe(2)

    for (const [seconds, signing] of [
      [0, 1],
      [30, 1],
      [30, 2],
    ] as const) {
      await age(seconds)
      const late = one.sign('share', { late: true }, null)
      await other.readAgain()
      expect(versionOf(other.sign('share', {}, null))).toBe(signing)
      expect(other.open('share', late)).toEqual({ late: true })
      // A process that read the keys for the last time when they were made opens what is signed a minute later.
      if (seconds === 0) await one.readAgain()
      expect(one.open('share', other.sign('share', { signing }, null))).toEqual({ signing })
    }
    expect(versionOf((await startProcess()).sign('share', {}, null))).toBe(2)
  })

  it('leaves the other purposes alone, and keeps what the older one has signed', async () => {
    const links = await startProcess()
    const old = links.sign('share', { id: 'old' }, null)
    await rotate('share')
    await age(60)
    await links.readAgain()
    expect(links.open('share', old)).toEqual({ id: 'old' })
    expect([versionOf(links.sign('share', {}, null)), versionOf(links.sign('download', {}, null))]).toEqual([2, 1])
  })

  it('made while the clock of the database was ahead counts its age from the next look', async () => {
    const links = await startProcess()
    await age(80)
    await rotate('share')
    await database.execute(`update data_keys set created_at = created_at + interval '1 day' where purpose = 'share' and version = 2`)
    await links.readAgain()
    expect(versionOf(links.sign('share', {}, null))).toBe(1)

    await age(80)
    await links.readAgain()
    expect(versionOf(links.sign('share', {}, null))).toBe(2)
    await retire('share', 1)
    expect((await versions()).filter((key) => key.startsWith('share'))).toEqual(['share 2'])
  })

  it('is not made beside as many as a process keeps in memory', async () => {
    await startProcess()
    for (let version = 2; version < KEY_VERSIONS_MAX; version += 1)
      await dataKeys.add({ purpose: 'share', version, wrapped: wrapKey(SECRET, Buffer.alloc(32), `share ${version}`) })
    expect(await rotate('share')).toBe(KEY_VERSIONS_MAX)
    await expect(rotate('share')).rejects.toThrow(
      `There are ${KEY_VERSIONS_MAX} versions of share already; \`data-keys retire\` removes one.`,
    )

    await age(80)
    await retire('share', 1)
    expect(await rotate('share')).toBe(KEY_VERSIONS_MAX + 1)
  })

  it('gets a number of its own when several are made at once', async () => {
    await startProcess()
    expect((await Promise.all([rotate('share'), rotate('share'), rotate('share')])).sort()).toEqual([2, 3, 4])
  })

  it('is not made for opted-out addresses, which would no longer be recognized', async () => {
    await startProcess()
    await expect(rotate('opt-out')).rejects.toThrow(
      'The key of opt-out is never replaced: addresses that have opted out would no longer be recognized.',
    )
    expect(await versions()).toContain('opt-out 1')
    expect(await versions()).not.toContain('opt-out 2')
  })

  it('is not made under a secret that the running services do not have', async () => {
    await startProcess('another secret key of this installation')
    const before = await versions()
    await expect(rotate('share')).rejects.toThrow(StartupProblem)
    expect(await versions()).toEqual(before)
  })

  it('that a process cannot open is named, and leaves it what it has', async () => {
    const links = await startProcess()
    await dataKeys.add({ purpose: 'share', version: 2, wrapped: wrapKey('a secret that came later', Buffer.alloc(32), 'share 2') })
    await age(60)
    expect(await links.readAgain()).toEqual(['share 2'])
    expect(links.open('share', links.sign('share', { id: 1 }, null))).toEqual({ id: 1 })
  })
})

describe('a version that is retired', () => {
  it('opens nothing in any process that has read the keys since, and does not come back with the next start', async () => {
    const links = await startProcess()
    const old = links.sign('share', {}, null)
    await rotate('share')
    await age(80)
    await links.readAgain()

    await retire('share', 1)

    await links.readAgain()
    expect(() => links.open('share', old)).toThrow(GONE)
    const next = await startProcess()
    expect(() => next.open('share', old)).toThrow(GONE)
    expect(links.open('share', next.sign('share', { id: 1 }, null))).toEqual({ id: 1 })
    expect((await versions()).filter((key) => key.startsWith('share'))).toEqual(['share 2'])
  })

  it.each([
    ['unsubscribe', 'what people decided, and links in mail delivered long ago, depend on them.'],
    ['opt-out', 'what people decided, and links in mail delivered long ago, depend on them.'],
    ['dkim', 'the private keys that sign mail are sealed with them.'],
  ] as const)('is never one of %s', async (purpose, reason) => {
    await startProcess()
    if (purpose !== 'opt-out') await rotate(purpose)
    await age(80)
    const before = await versions()
    await expect(retire(purpose, 1)).rejects.toThrow(`Keys of ${purpose} are never retired: ${reason}`)
    expect(await versions()).toEqual(before)
  })

  it('is neither the newest, nor one with which a process may still sign, nor one that is not there', async () => {
    await startProcess()
    await age(80)
    await expect(retire('share', 1)).rejects.toThrow(
      'Version 1 is the newest of share: make another one first, with `data-keys rotate share`.',
    )
    await rotate('share')
    await until(async () => {
      await database.execute(`update data_keys set created_at = now() - interval '60 s' where purpose = 'share' and version = 2`)
      await expect(retire('share', 1)).rejects.toThrow(
        /^Version 1 of share may still sign: try again in (20|1\d) s, when every process uses the newer one\.$/,
      )
    })
    await expect(retire('share', 3)).rejects.toThrow('There is no version 3 of share; `data-keys list` shows all.')
    await age(20)
    await retire('share', 1)
    await expect(retire('share', 2)).rejects.toThrow('Version 2 is the newest of share')
  })
})

describe('a process that runs', () => {
  it('keeps opening links when the table of keys is empty', async () => {
    const links = await startProcess()
    const token = links.sign('share', { id: 1 }, null)
    await database.execute('delete from data_keys')
    await links.readAgain()
    expect(links.open('share', token)).toEqual({ id: 1 })
  })

  it('signs with a new version and refuses a retired one without a restart', async () => {
    const service = await startTestService({ environment: { SECRET_KEY: SECRET } })
    try {
      const { links, repositories } = service.service.context
      const old = links.sign('share', {}, null)
      await rotateDataKey(repositories.dataKeys, { purpose: 'share', secretKey: SECRET })
      await service.database.execute(`update data_keys set created_at = created_at - interval '80 seconds'`)
      await expect.poll(() => versionOf(links.sign('share', {}, null)), { interval: 50 }).toBe(2)
      expect(links.open('share', old)).toEqual({})
      await retireDataKey(repositories.dataKeys, { purpose: 'share', version: 1 })
      const isOpened = () => {
        try {
          return links.open('share', old) !== null
        } catch {
          return false
        }
      }
      await expect.poll(isOpened, { interval: 50 }).toBe(false)
    } finally {
      await service.close()
    }
  })
})
