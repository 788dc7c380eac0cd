// Whose the files of a store are: the id of their database, in a file beside them. No database removes the files of another.
import { randomUUID } from 'node:crypto'
import { open, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { StartupProblem } from '../../lib/startup-problem.ts'
import { refuseFull } from '../files/disk-space.ts'
import type { BlobStore } from './blob-store.ts'

export const STORE_MARK = 'owner'

export type StoreMark = {
  /** The address of the store, as messages name it. */
  where: string
  /** Null if there is none. */
  read(): Promise<string | null>
  /** Replaces what it was. Fails with `unavailable` if the disk is full, or the object store does not take it. */
  write(owner: string): Promise<void>
}

export const createFolderMark = (folder: string): StoreMark => ({
  where: folder,
  async read() {
    try {
      return (await readFile(join(folder, STORE_MARK), 'utf8')).trim()
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
      throw new StartupProblem(`${join(folder, STORE_MARK)} cannot be read: make it readable by this user.`, { cause: error })
    }
  },
  async write(owner) {
    const temporary = join(folder, `${STORE_MARK}.${randomUUID()}`)
    try {
      const file = await open(temporary, 'wx', 0o600)
      await file
        .writeFile(`${owner}\n`)
        .then(() => file.sync())
        .finally(() => file.close())
      // Another process of the service may write the same at the same time.
      await rename(temporary, join(folder, STORE_MARK))
    } catch (error) {
      await rm(temporary, { force: true })
      refuseFull(error)
    }
  },
})

/** Stores a file, and says how long it was. */
export type StoreBeside = (file: Readable) => Promise<{ blobKey: string; bytes: number }>

/**
 * Does work that stores files in the folder of a blob.
 *
 * @throws what the work and storing throw; then nothing stays stored.
 */
export async function storedBeside<Result>(
  blobs: Pick<BlobStore, 'putBeside' | 'discard'>,
  besideKey: string,
  work: (store: StoreBeside) => Promise<Result>,
): Promise<Result> {
  const files = blobs.putBeside(besideKey)
  const stored: string[] = []
  try {
    const result = await work(async (file) => {
      const { key, bytes } = await files.put(file)
      stored.push(key)
      return { blobKey: key, bytes }
    })
    await files.end()
    return result
  } catch (error) {
    await blobs.discard(stored)
    throw error
  }
}
