// Whose files are swept: a new or wrong database on a store that is in use must not empty it.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { systemClock } from '../../src/lib/clock.ts'
import { createId } from '../../src/lib/ids.ts'
import { claimStorage } from '../../src/server/storage-owner.ts'
import { sweepBlobs } from '../../src/server/sweeps.ts'
import { run } from '../cli/run-command.ts'
import { ACCESS_KEY_ID, BUCKET, SECRET_ACCESS_KEY, startObjectStorage } from '../support/servers/object-storage.ts'
import { createEmptyDatabase } from '../support/servers/postgres.ts'
import { startTestService, type TestService } from '../support/servers/service.ts'

const DAY_MS = 24 * 60 * 60_000

let folder: string
const closing: (() => Promise<unknown>)[] = []
beforeEach(() => {
  vi.stubEnv('AWS_ACCESS_KEY_ID', ACCESS_KEY_ID)
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', SECRET_ACCESS_KEY)
  folder = mkdtempSync(join(tmpdir(), 'posthaste-test-owner-'))
})
afterEach(async () => {
  vi.unstubAllEnvs()
  for (const close of closing.splice(0).reverse()) await close()
  rmSync(folder, { recursive: true, force: true })
})

async function service(storageUrl: string): Promise<TestService> {
  const started = await startTestService({ environment: { STORAGE_URL: storageUrl } })
  closing.push(() => started.close())
  return started
}

const STORES = [
  [
    'a folder',
    async () => ({ url: `file://${join(folder, 'files')}`, mark: () => readFileSync(join(folder, 'files/owner'), 'utf8').trim() }),
  ],
  [
    'a bucket',
    async () => {
      const storage = await startObjectStorage()
      closing.push(() => storage.close())
      const url = `s3://${BUCKET}/mail?endpoint=${storage.endpoint}`
      return { url, mark: () => storage.objects.get('mail/owner')?.content.toString().trim() }
    },
  ],
] as const

describe.each(STORES)('%s', (_what, open) => {
  it('is marked as that of the database that used it first, and sweeps what no row names', async () => {
    const { url, mark } = await open()
    const { service: first, database } = await service(url)
    const key = createId()
    await first.context.gateways.blobs.put(key, Buffer.from('Of no row.'))

    await sweepBlobs({ ...first.context, clock: later })

    expect(await database.execute('select owner, is_marked from storage_owner')).toEqual([{ owner: mark(), is_marked: true }])
    expect(await first.context.gateways.blobs.size(key)).toBeNull()
  })

  it('is refused to a new database, and to one that has files of its own elsewhere', async () => {
    const { url, mark } = await open()
    const { service: first } = await service(url)
    const { blobs, storeMark } = first.context.gateways
    const key = createId()
    await blobs.put(key, Buffer.from('Of the first.'))
    const before = mark()
    const other = await service(`file://${join(folder, 'elsewhere')}`)
    const owners = other.service.context.repositories.storageOwner
    const store = { mark: storeMark, blobs }

    const own = (await owners.find())?.owner
    await expect(claimStorage(store, owners)).rejects.toThrow(
      `are those of another database, which would delete them as orphans. Set DATABASE_URL, DATA_DIR and STORAGE_URL to what belongs together. If these files are of this database, write ${own} into ${storeMark.where.replace(/\/$/, '')}/owner.`,
    )
    await other.database.execute('delete from storage_owner')
    await expect(claimStorage(store, owners)).rejects.toThrow('The database is new: set DATABASE_URL, DATA_DIR and STORAGE_URL')
    await sweepBlobs({ ...other.service.context, gateways: first.context.gateways, clock: later })

    expect(mark()).toBe(before)
    expect(await blobs.size(key)).toBe(13)
    await expect(claimStorage(store, first.context.repositories.storageOwner)).resolves.toBeUndefined()
  })

  it('that has files and no mark is taken once, by a database from before there were marks', async () => {
    const { url, mark } = await open()
    const { service: first, database } = await service(url)
    const { blobs, storeMark } = first.context.gateways
    await blobs.put(createId(), Buffer.from('A file.'))
    const owners = first.context.repositories.storageOwner
    const known = (await owners.find())?.owner
    const unmarked = { blobs, mark: { ...storeMark, read: async () => null } }

    await expect(claimStorage(unmarked, owners)).rejects.toThrow('has files that are not marked as those of this database')
    await database.execute('update storage_owner set is_marked = false')
    await claimStorage(unmarked, owners)

    expect([mark(), await owners.find()]).toEqual([known, { owner: known, isMarked: true }])
  })
})

it('a start with an empty database on files that are in use ends with a sentence, and leaves them', async () => {
  const first = await service(`file://${join(folder, 'files')}`)
  const key = createId()
  await first.service.context.gateways.blobs.put(key, Buffer.from('Of the first.'))
  const empty = await createEmptyDatabase()
  closing.push(() => empty.drop())
  const environment = { DATABASE_URL: empty.url, DATA_DIR: join(folder, 'data'), STORAGE_URL: `file://${join(folder, 'files')}`, PORT: '0' }

  expect(await run(['start'], { folder, environment })).toMatchObject({
    status: 1,
    errors: expect.stringContaining(`The files in ${join(folder, 'files')} are those of another database`),
  })
  expect(await first.service.context.gateways.blobs.size(key)).toBe(13)
})

const later = { ...systemClock, now: () => new Date(Date.now() + 2 * DAY_MS) }
