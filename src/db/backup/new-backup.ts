// The folder of a backup that is being made. It has another name until it is whole, so that what a kill leaves is never taken for a backup.

import { constants } from 'node:fs'
import { access, lstat, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { Readable } from 'node:stream'
import { type Digest, writeDigested } from '../../io/files/digested-files.ts'
import { askDisk, createDiskSpace, FREE_BYTES_MIN } from '../../io/files/disk-space.ts'
import { createFolder } from '../../io/files/files.ts'
import { systemClock } from '../../lib/clock.ts'
import { errorCode } from '../../lib/problem.ts'
import { StartupProblem } from '../../lib/startup-problem.ts'

export type NewBackup = {
  /** Where it is until it is whole. */
  path: string
  /** Bytes that the backup may still write. What a service leaves free is left free here, because it may be the same disk. */
  room(): Promise<number>
  /** Writes a file, by its path in the backup. @throws StartupProblem when the room ends, and the reason of the signal when that ends. */
  write(name: string, content: Readable | string): Promise<Digest>
  /** Removes a file that the backup needs no longer. */
  remove(name: string): Promise<void>
  /** Gives it its name, once everything in it survives a loss of power. */
  finish(): Promise<void>
  /** Removes it. */
  discard(): Promise<void>
}

const MARK = 'this-backup-is-not-finished'

export type BackupLimits = {
  signal?: AbortSignal | undefined
  freeBytesOf?:
    | ((folder: string) => Promise<number>)
    | undefined /** The database: what another one has begun at the same place is left alone. */
  owner?: string | undefined
}

/** @throws StartupProblem if the folder has something in it, or cannot be made. */
export async function createBackup(folder: string, { signal, freeBytesOf = askDisk, owner = '' }: BackupLimits = {}): Promise<NewBackup> {
  const target = resolve(folder)
  const path = `${target}.unfinished`
  await explaining(target, () => expectNone(target))
  await explaining(path, async () => {
    await removeUnfinished(path, owner)
    await createFolder(path)
    await writeDigested(join(path, MARK), Readable.from([Buffer.from(owner)]))
  })
  const folders = new Set([path])
  const disk = createDiskSpace({ folders: [path], clock: systemClock, freeBytesOf })

  async function allow(bytes: number): Promise<void> {
    signal?.throwIfAborted()
    if (await disk.isLow()) throw new StartupProblem(fullDisk(target))
    disk.use(bytes)
  }

  return {
    path,
    room: async () => (await disk.freeBytes()) - FREE_BYTES_MIN,
    async write(name, content) {
      const file = join(path, name)
      return explaining(path, async () => {
        if (!folders.has(dirname(file))) await createFolder(dirname(file))
        for (let parent = dirname(file); parent !== path; parent = dirname(parent)) folders.add(parent)
        return writeDigested(file, typeof content === 'string' ? Readable.from([Buffer.from(content)]) : content, allow)
      })
    },
    remove: (name) => rm(join(path, name)),
    finish: () =>
      explaining(target, async () => {
        signal?.throwIfAborted()
        await rm(join(path, MARK))
        for (const each of folders) await syncFolder(each)
        await rename(path, target)
        await syncFolder(dirname(target))
      }),
    discard: () => rm(path, { recursive: true, force: true }),
  }
}

const fullDisk = (target: string): string =>
  `The disk of ${dirname(target)} is nearly full, so the backup was ended and nothing of it kept: free some space, or name a folder elsewhere. ${FREE_BYTES_MIN / 1024 / 1024} MB are left free, because the service accepts nothing with less.`

async function expectNone(target: string): Promise<void> {
  const found = await readdir(target).catch((error) => {
    if (errorCode(error) === 'ENOENT') return null
    throw error
  })
  if (found === null) return access(dirname(target), constants.W_OK).catch(() => createFolder(dirname(target)).then(() => {}))
  if (found.length > 0) throw new StartupProblem(`${target} is not empty: name a folder that does not exist yet.`)
  const [own, parent] = await Promise.all([stat(target), stat(dirname(target))])
  // What is mounted there cannot be replaced.
  if (own.dev !== parent.dev)
    throw new StartupProblem(`${target} is a disk of its own: name a new folder in it, such as ${join(target, 'backup')}.`)
}

/** What a backup of the same database to the same place has left that was killed. Everything else that has this name is left alone. */
async function removeUnfinished(path: string, owner: string): Promise<void> {
  const inTheWay = (what: string) =>
    new StartupProblem(`${path} is in the way${what}: move it elsewhere. ${basename(path)} is where the backup is made.`)
  const found = await lstat(path).catch((error) => {
    if (errorCode(error) === 'ENOENT') return null
    throw error
  })
  if (found === null) return
  // Another owner of the folder, or of what a link leads to, could read and replace what is written there.
  if (!found.isDirectory() || (process.getuid !== undefined && found.uid !== process.getuid())) throw inTheWay('')
  const names = await readdir(path)
  const mark = await readFile(join(path, MARK), 'utf8').catch(() => null)
  if (names.length > 0 && mark === null) throw inTheWay('')
  // One that was killed before its owner was written has nothing else in it.
  const isUnmarked = mark === '' && names.length === 1
  if (mark !== null && mark !== owner && !isUnmarked) throw inTheWay(', and is a backup that another database has begun')
  await rm(path, { recursive: true })
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

async function explaining<T>(path: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act()
  } catch (error) {
    const remedy = REMEDIES[errorCode(error)]
    throw remedy === undefined ? error : new StartupProblem(`${path} ${remedy}`, { cause: error })
  }
}

const REMEDIES: Record<string, string> = {
  ENOSPC: 'is on a disk that is full: free some space, or name a folder elsewhere.',
  EDQUOT: 'is on a disk that is full for this user: free some space, or name a folder elsewhere.',
  EROFS: 'is on a disk that is read-only: name a folder elsewhere.',
  EACCES: 'may not be written by this user: change its owner, or name a folder elsewhere.',
  EPERM: 'may not be written by this user: change its owner, or name a folder elsewhere.',
  ENOTDIR: 'cannot be a folder, because a file is in its place: name another one.',
}
