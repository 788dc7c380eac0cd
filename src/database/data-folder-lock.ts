// One live service per DATA_DIR. The kernel holds the lock and frees it with its process, so that no killed service, reused
// process id or restarted container can leave it behind. Node itself cannot lock a file; its SQLite can.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { StartupProblem } from '../lib/startup-problem.ts'
import { explainingFiles, fileProblem } from './data-folder.ts'

export type DataFolderLock = { release(): void }

/** Takes the lock of the folder `root` until `release` or the end of the process. Throws a StartupProblem that names the holder's process id. */
export function lockDataFolder(root: string): DataFolderLock {
  const file = join(root, 'postgres.lock')
  const owner = join(root, 'postgres.owner')
  const lock = explainingFiles(file, () => new DatabaseSync(file, { timeout: 0 }))
  try {
    // Without the pragma the lock would leave a journal file beside it.
    lock.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE')
    // In a file of its own: opening and closing the locked file again would free the lock (POSIX, fcntl).
    explainingFiles(owner, () => writeFileSync(owner, `${process.pid}\n`, { mode: 0o600 }))
  } catch (error) {
    lock.close()
    if (isBusy(error)) throw heldBy(root, owner)
    throw error instanceof StartupProblem ? error : (fileProblem(file, error) ?? unlockable(file, error))
  }
  return { release: () => lock.close() }
}

const SQLITE_BUSY = 5

const isBusy = (error: unknown): boolean => error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY

function heldBy(root: string, owner: string): StartupProblem {
  return new StartupProblem(
    `${root} is in use by another Posthaste${processOf(owner)}: stop that one, give this one its own DATA_DIR, or let both share a server by DATABASE_URL.`,
  )
}

function processOf(owner: string): string {
  try {
    return ` (process ${readFileSync(owner, 'utf8').trim()})`
  } catch {
    // The other one holds the lock and has not written its id yet, or it runs as another user.
    return ''
  }
}

function unlockable(file: string, error: unknown): StartupProblem {
  const reason = error instanceof Error ? error.message : String(error)
  return new StartupProblem(
    `${file} cannot be locked (${reason}): remove that file if no Posthaste uses it, or choose a DATA_DIR on a local disk.`,
    {
      cause: error,
    },
  )
}
