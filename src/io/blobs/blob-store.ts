import { randomUUID } from 'node:crypto'
import { constants, createReadStream } from 'node:fs'
import { access, link, open, readdir, rename, rm, stat, utimes } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { type Clock, systemClock } from '../../lib/clock.ts'
import { notFound } from '../../lib/failure.ts'
import { createId } from '../../lib/ids.ts'
import { StartupProblem } from '../../lib/startup-problem.ts'
import { refuseFull } from '../files/disk-space.ts'
import { createFolder } from '../files/files.ts'

/** The limit for a whole upload: 512 MB over a line of 1 Mbit/s. */
export const UPLOAD_MS_MAX = 75 * 60 * 1_000

// While a backup copies blobs, none is removed: rows are copied first, and each of them must find its blob. Every process that uses the folder sees the
// mark. What is not removed has no row any longer, so the sweep removes it later.

const MARK = 'kept-for-backup'
const RENEWED_EVERY_MS = 10_000
/** The mark of a backup that was killed holds nothing up for longer. */
const VALID_MS = 120_000

/** Returns the function that ends it. */
export async function keepBlobs(folder: string): Promise<() => Promise<void>> {
  const path = join(folder, MARK)
  const renew = async (): Promise<void> => {
    const file = await open(path, 'a', 0o600)
    await file.close()
    const now = new Date()
    await utimes(path, now, now)
  }
  await renew().catch((error) => {
    throw new StartupProblem(
      `${path} cannot be written, and without it the service may remove files that the backup needs: ${error.message}.`,
      {
        cause: error,
      },
    )
  })
  const timer = setInterval(() => void renew().catch(() => {}), RENEWED_EVERY_MS)
  return async () => {
    clearInterval(timer)
    await rm(path, { force: true })
  }
}

export async function areBlobsKept(folder: string, now: Date): Promise<boolean> {
  const mark = await stat(join(folder, MARK)).catch(() => null)
  return mark !== null && Math.abs(now.getTime() - mark.mtimeMs) < VALID_MS
}

/** Stores bytes by UUID. A blob is written before the row that names it, and survives a loss of power once `put` has returned. */
export type BlobStore = {
  /**
   * Stores the whole content or nothing, and replaces what the key held. Fails with `unavailable` if the disk is full; errors of the stream pass
   * through.
   */
  put(key: string, content: Readable | Buffer): Promise<{ bytes: number }>
  /** Stores several, whose folder is synced once, by `end`: only then do they survive a loss of power. */
  putBeside(key: string): BesideBlobs
  /** Stores what a blob holds under another key too. Each is removed on its own. Fails with `notFound` if there is no such blob. */
  copy(key: string, copyKey: string): Promise<void>
  /**
   * Fails with `notFound` if there is no such blob. The caller reads the stream to its end or destroys it.
   *
   * @param range the first and the last byte, both included
   */
  open(key: string, range?: ByteRange): Promise<Readable>
  /** Removing a blob that does not exist is no error. While a backup copies the blobs, it stays for the sweep of those without a row. */
  remove(key: string): Promise<void>
  /**
   * Removes blobs that no row names, or will name. Never fails: the sweep removes what stays, and the caller has something else to tell, such as why
   * they are not needed.
   */
  discard(keys: readonly string[]): Promise<void>
  /** Bytes, or null if there is no such blob. */
  size(key: string): Promise<number | null>
  /** The keys of blobs that have not changed since `since`, in bounded batches. */
  keysBefore(since: Date): AsyncIterable<string[]>
  /** Removes files that were being written when a process was killed, and returns how many. */
  removeOrphans(): Promise<number>
}

/** The keys of these blobs are made here. */
export type BesideBlobs = {
  put(content: Readable | Buffer): Promise<{ key: string; bytes: number }>
  end(): Promise<void>
}

/** Without an end, up to the last. */
export type ByteRange = { start: number; end?: number }

/** Allows for a disk that hangs and a clock that is set. */
const LEFTOVER_MARGIN_MS = 45 * 60 * 1_000
/** No file is written for longer than an upload may take. */
export const LEFTOVER_AGE_MS_MIN = UPLOAD_MS_MAX + LEFTOVER_MARGIN_MS

/** The form of a blob's key. */
export const BLOB_KEY = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/**
 * Stores blobs as files: written to a temporary file, synced, renamed, and the folder synced, so that a name never leads to half a file.
 *
 * @throws StartupProblem if the folder cannot be created or written.
 */
export async function createFileBlobStore(folder: string, clock: Clock = systemClock): Promise<BlobStore> {
  const temporaryFolder = temporaryFolderOf(folder)
  await checkUsable(folder, temporaryFolder)
  await removeOrphans(temporaryFolder, clock)

  async function remove(key: string): Promise<void> {
    if (await areBlobsKept(folder, clock.now())) return
    await rm(pathOf(folder, key), { force: true })
  }

  return {
    async put(key, content) {
      const bytes = await write(key, content)
      await syncFolder(dirname(pathOf(folder, key))).catch(refuseFull)
      return { bytes }
    },

    putBeside(key) {
      let isEmpty = true
      return {
        async put(content) {
          const ownKey = besideKey(key)
          const bytes = await write(ownKey, content)
          isEmpty = false
          return { key: ownKey, bytes }
        },
        async end() {
          if (!isEmpty) await syncFolder(dirname(pathOf(folder, key))).catch(refuseFull)
        },
      }
    },

    async copy(key, copyKey) {
      const path = pathOf(folder, copyKey)
      try {
        await createFolderSynced(dirname(path))
        // A blob never changes, so both can be names of one file.
        await link(pathOf(folder, key), path)
        await syncFolder(dirname(path))
      } catch (error) {
        if (isMissing(error)) throw notFound('File')
        return refuseFull(error)
      }
    },

    open: (key, range) => openBlob(folder, key, range),

    remove,

    async discard(keys) {
      await Promise.allSettled(keys.map(remove))
    },

    size: (key) => blobSize(folder, key),

    async *keysBefore(since) {
      for (const name of await readdir(folder)) {
        if (!FOLDER_NAME.test(name)) continue
        const keys = (await readdir(join(folder, name))).filter((key) => BLOB_KEY.test(key))
        for (let from = 0; from < keys.length; from += KEYS_PER_BATCH)
          yield await keepBefore(since, keys.slice(from, from + KEYS_PER_BATCH))
      }
    },

    removeOrphans: () => removeOrphans(temporaryFolder, clock),
  }

  /** Its name is not synced yet. */
  async function write(key: string, content: Readable | Buffer): Promise<number> {
    const path = pathOf(folder, key)
    const temporaryPath = join(temporaryFolder, `${key}.${randomUUID()}`)
    try {
      const bytes = await writeSynced(temporaryPath, content)
      await createFolderSynced(dirname(path))
      await rename(temporaryPath, path)
      return bytes
    } catch (error) {
      await rm(temporaryPath, { force: true })
      return refuseFull(error)
    }
  }

  async function keepBefore(since: Date, keys: string[]): Promise<string[]> {
    const old: string[] = []
    for (const key of keys) {
      // Another process may have just removed it.
      const { mtimeMs } = await stat(pathOf(folder, key)).catch(() => ({ mtimeMs: Number.POSITIVE_INFINITY }))
      if (mtimeMs < since.getTime()) old.push(key)
    }
    return old
  }
}

/** A folder is named by so many digits, in which its keys end: the first ones of a UUIDv7 are its time, and would fill one folder after another. */
const FOLDER_DIGITS = 2
const FOLDER_NAME = /^[0-9a-f]{2}$/
const KEYS_PER_BATCH = 500

/** For commands, which leave the folder as it is. @throws Failure `notFound` if there is no such blob. */
export async function openBlob(folder: string, key: string, range?: ByteRange): Promise<Readable> {
  try {
    const file = await open(pathOf(folder, key), 'r')
    return createReadStream('', { fd: file, ...range })
  } catch (error) {
    throw isMissing(error) ? notFound('File') : error
  }
}

/** For commands, like `openBlob`. Bytes, or null if there is no such blob. */
export async function blobSize(folder: string, key: string): Promise<number | null> {
  try {
    return (await stat(pathOf(folder, key))).size
  } catch (error) {
    if (isMissing(error)) return null
    throw error
  }
}

/** Where contents are while they arrive. */
export const temporaryFolderOf = (folder: string): string => join(folder, 'temporary')

/** A new key in the folder of another. */
const besideKey = (key: string): string => createId().slice(0, -FOLDER_DIGITS) + key.slice(-FOLDER_DIGITS)

function pathOf(folder: string, key: string): string {
  if (!BLOB_KEY.test(key)) throw new Error('A blob is named by a UUID in lower case')
  return join(folder, key.slice(-FOLDER_DIGITS), key)
}

async function writeSynced(path: string, content: Readable | Buffer): Promise<number> {
  const file = await open(path, 'wx', 0o600)
  try {
    await file.writeFile(content)
    await file.sync()
    return (await file.stat()).size
  } finally {
    await file.close()
  }
}

async function createFolderSynced(path: string): Promise<void> {
  const created = await createFolder(path)
  if (created !== undefined) await syncFolder(dirname(created))
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

/** Checks without writing: a service whose disk is full starts, and delivers what it has accepted. */
export async function checkUsable(folder: string, temporaryFolder: string): Promise<void> {
  try {
    await createFolder(temporaryFolder)
    for (const path of [folder, temporaryFolder]) await access(path, constants.R_OK | constants.W_OK | constants.X_OK)
    await readdir(temporaryFolder)
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? String(error.code) : String(error)
    throw new StartupProblem(
      `Attachments cannot be stored in ${folder} (${reason}): make it a folder that this user may write, or choose another one with STORAGE_URL.`,
      { cause: error },
    )
  }
}

async function removeOrphans(temporaryFolder: string, clock: Clock): Promise<number> {
  const oldest = clock.now().getTime() - LEFTOVER_AGE_MS_MIN
  let removed = 0
  for (const name of await readdir(temporaryFolder)) {
    const path = join(temporaryFolder, name)
    // Another process that uses the folder may be writing or cleaning up.
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Number.POSITIVE_INFINITY }))
    if (mtimeMs >= oldest) continue
    await rm(path, { force: true })
    removed += 1
  }
  return removed
}

const isMissing = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'ENOENT'
