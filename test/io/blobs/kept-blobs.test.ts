import { randomUUID } from 'node:crypto'
import { mkdtemp, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createFileBlobStore, keepBlobs } from '../../../src/io/blobs/blob-store.ts'
import { StartupProblem } from '../../../src/lib/startup-problem.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'posthaste-test-blobs-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

async function storeWithBlob() {
  const store = await createFileBlobStore(folder)
  const key = randomUUID()
  await store.put(key, Buffer.from('content'))
  return { store, key }
}

it('removes no blob while they are kept, and lists it for the sweep afterwards', async () => {
  const { store, key } = await storeWithBlob()
  const end = await keepBlobs(folder)
  await store.remove(key)
  expect(await store.size(key)).toBe(7)

  await end()
  const listed: string[] = []
  for await (const keys of store.keysBefore(new Date(Date.now() + 60_000))) listed.push(...keys)
  expect(listed).toEqual([key])
  await store.remove(key)
  expect(await store.size(key)).toBeNull()
})

it('removes blobs again two minutes after a backup was killed', async () => {
  const { store, key } = await storeWithBlob()
  const killedAt = new Date(Date.now() - 121_000)
  await writeFile(join(folder, 'kept-for-backup'), '')
  await utimes(join(folder, 'kept-for-backup'), killedAt, killedAt)
  await store.remove(key)
  expect(await store.size(key)).toBeNull()
})

it('says why blobs cannot be kept', async () => {
  await expect(keepBlobs(join(folder, 'missing'))).rejects.toThrow(StartupProblem)
})
