// Allows one live service per DATA_DIR. The kernel holds the lock and releases it with its process, so that no killed service, reused process id or
// restarted container can leave the folder locked. Node itself cannot lock a file, but its SQLite can.
import { appendFileSync, chmodSync, closeSync, openSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { StartupProblem } from '../../lib/startup-problem.ts'
import { dataFolderAt, explainingFiles, fileProblem } from './data-folder.ts'

export type DataFolderLock = {
  /** Records that commands may use the database from now on. */
  share(): void
  release(): void
}

/** Another process holds the folder. */
export class DataFolderInUse extends StartupProblem {
  /** Whether that process lets others use its database. */
  readonly isShared: boolean
  constructor(line: string, isShared: boolean) {
    super(line)
    this.isShared = isShared
  }
}

/** Takes the lock of the folder `root` until `release` or the end of the process. Throws DataFolderInUse, which names the holder's process id. */
export function lockDataFolder(root: string): DataFolderLock {
  const { lock: file, owner } = dataFolderAt(root)
  explainingFiles(file, () => closeToOthers(file))
  const lock = explainingFiles(file, () => new DatabaseSync(file, { timeout: 0 }))
  try {
    // Without the pragma the lock would leave a journal file beside it.
    lock.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE')
    // In a separate file: opening and closing the locked file again would release the lock (POSIX, fcntl).
    explainingFiles(owner, () => writeFileSync(owner, `${process.pid}\n`, { mode: OWNER_ONLY }))
  } catch (error) {
    lock.close()
    if (isBusy(error)) throw heldBy(root, owner)
    throw error instanceof StartupProblem ? error : (fileProblem(file, error) ?? unlockable(file, error))
  }
  return {
    share: () => explainingFiles(owner, () => appendFileSync(owner, SHARED)),
    release: () => lock.close(),
  }
}

/** Anyone who can read the file can hold its lock. An existing file is not opened, because closing it would release a lock of this process. */
function closeToOthers(file: string): void {
  try {
    closeSync(openSync(file, 'wx', OWNER_ONLY))
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
    if ((statSync(file).mode & 0o777) !== OWNER_ONLY) chmodSync(file, OWNER_ONLY)
  }
}

const OWNER_ONLY = 0o600

const SQLITE_BUSY = 5

const isBusy = (error: unknown): boolean => error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY

// Second line of the owner's file.
const SHARED = 'shared\n'

function heldBy(root: string, file: string): DataFolderInUse {
  const owner = readOwner(file)
  return new DataFolderInUse(
    `${root} is in use by another Posthaste${owner.process}: stop that one, give this one its own DATA_DIR, or let both share a server by DATABASE_URL.`,
    owner.isShared,
  )
}

function readOwner(file: string): { process: string; isShared: boolean } {
  try {
    const text = readFileSync(file, 'utf8')
    return { process: ` (process ${Number.parseInt(text, 10)})`, isShared: text.endsWith(SHARED) }
  } catch {
    // The other process holds the lock and has not written its id yet, or it runs as another user.
    return { process: '', isShared: false }
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
