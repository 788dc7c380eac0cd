import { randomBytes } from 'node:crypto'
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { StartupProblem } from '../../lib/startup-problem.ts'

/** Where the embedded database keeps its files, below DATA_DIR. */
export type DataFolder = {
  root: string
  /** PostgreSQL's own data folder. */
  cluster: string
  /** Where a new one is made before it is renamed, so that a crash in the middle leaves nothing that blocks the next start. */
  unfinishedCluster: string
  /** The new database of an upgrade, while it is filled. */
  fillingCluster: string
  /** Where it is once it is complete, until its last rename. */
  upgradedCluster: string
  /** The rows that an upgrade copies. */
  upgradeRows: string
  /** The superuser's password, readable by its owner only. */
  password: string
  /** Held by the process that uses the folder. */
  lock: string
  /** The id of that process. */
  owner: string
}

/** Creates DATA_DIR if it is missing. Throws a StartupProblem if it cannot be made or written. */
export function openDataFolder(dataDir: string): DataFolder {
  const folder = dataFolderAt(dataDir)
  explainingFiles(folder.root, () => {
    createFolder(folder.root)
    accessSync(folder.root, constants.R_OK | constants.W_OK | constants.X_OK)
  })
  return folder
}

/** The paths of all files, whether they exist or not. */
export function dataFolderAt(dataDir: string): DataFolder {
  const root = resolve(dataDir)
  return {
    root,
    cluster: join(root, 'postgres'),
    unfinishedCluster: join(root, 'postgres.unfinished'),
    fillingCluster: join(root, 'postgres.filling'),
    upgradedCluster: join(root, 'postgres.upgraded'),
    upgradeRows: join(root, 'postgres.rows'),
    password: join(root, 'postgres-password'),
    lock: join(root, 'postgres.lock'),
    owner: join(root, 'postgres.owner'),
  }
}

/** Whether a database exists. Throws a StartupProblem for one of another major version, and for a folder with other content. */
export function hasCluster(folder: DataFolder, majorVersion: string): boolean {
  const found = clusterVersion(folder)
  if (found === null) return false
  if (found === majorVersion) return true
  const versions = `${folder.cluster} was made by PostgreSQL ${found}, and this Posthaste includes PostgreSQL ${majorVersion}`
  throw new StartupProblem(
    Number(found) > Number(majorVersion)
      ? `${versions}: install the Posthaste that made it, or a later one. Nothing was changed.`
      : `${versions}: stop the service, and run \`upgrade-database --programs FOLDER\` with the folder of the programs of PostgreSQL ${found} (docs/operation.md, "A newer PostgreSQL"). Nothing was changed.`,
  )
}

/** The major version of PostgreSQL that made the database; null if there is none. Throws a StartupProblem for a folder with other content. */
export function clusterVersion(folder: DataFolder): string | null {
  if (isMissingOrEmpty(folder.cluster)) return null
  const found = readIfThere(join(folder.cluster, 'PG_VERSION'))?.trim()
  if (found !== undefined) return found
  throw new StartupProblem(
    `${folder.cluster} is not empty and holds no PostgreSQL database: move it away, choose another DATA_DIR, or set DATABASE_URL.`,
  )
}

/** The password of an existing database. */
export function readPassword(folder: DataFolder): string {
  const password = readIfThere(folder.password)?.trim()
  if (password) return password
  throw new StartupProblem(`The password of the database in ${folder.cluster} is missing: restore ${folder.password} from a backup.`)
}

/** A new password for a database that is being made: 192 bits, in characters that need no escaping in a URL. */
export function createPassword(folder: DataFolder): string {
  const password = randomBytes(24).toString('base64url')
  explainingFiles(folder.password, () => {
    const unfinished = `${folder.password}.unfinished`
    writeFileSync(unfinished, password, { mode: 0o600, flush: true })
    renameSync(unfinished, folder.password)
    syncFolder(folder.root)
  })
  return password
}

/** Moves the database that initdb has finished to its place. */
export function finishCluster(folder: DataFolder): void {
  moveWithin(folder, folder.unfinishedCluster, folder.cluster)
}

/** A rename that survives a loss of power, and is done before the next one begins. */
export function moveWithin(folder: DataFolder, from: string, to: string): void {
  explainingFiles(to, () => {
    renameSync(from, to)
    syncFolder(folder.root)
  })
}

/** Runs `act`, and turns a refusal of the file system into a StartupProblem that names `path` and says what to do. */
export function explainingFiles<T>(path: string, act: () => T): T {
  try {
    return act()
  } catch (error) {
    throw fileProblem(path, error) ?? error
  }
}

/** The sentence for an operating system's error code or message about `path`; undefined for any other error. */
export function fileProblem(path: string, error: unknown): StartupProblem | undefined {
  const text = error instanceof Error ? error.message : String(error)
  const remedy = remedies.find(([pattern]) => pattern.test(text))?.[1]
  return remedy === undefined ? undefined : new StartupProblem(`${path} ${remedy}`, { cause: error })
}

// Node writes the code; PostgreSQL's programs and SQLite write the sentence.
const FULL_DISK = /ENOSPC|EDQUOT|No space left on device|Disk quota exceeded|disk is full/i
const remedies: [pattern: RegExp, remedy: string][] = [
  [FULL_DISK, 'is on a disk that is full: free some space and start again.'],
  [/EROFS|Read-only file system|readonly database/i, 'is on a read-only disk: make it writable, or choose another DATA_DIR.'],
  [
    /EACCES|EPERM|Permission denied|Operation not permitted/i,
    'may not be written by this user: change its owner, or choose another DATA_DIR.',
  ],
  [/EBUSY/i, 'is in use as a place where something is mounted: make a backup, and restore it into another DATA_DIR.'],
  [/ENOTDIR|EEXIST|Not a directory/i, 'cannot be a folder, because a file is in its place: move that away, or choose another DATA_DIR.'],
  [/ENOENT|unable to open database file/i, 'cannot be opened: check that DATA_DIR exists and may be written by this user.'],
]

export const isFullDisk = (error: unknown): boolean => error instanceof Error && FULL_DISK.test(error.message)

export function isMissingOrEmpty(path: string): boolean {
  return explainingFiles(path, () => {
    try {
      return readdirSync(path).length === 0
    } catch (error) {
      if (isMissing(error)) return true
      throw error
    }
  })
}

function readIfThere(path: string): string | undefined {
  return explainingFiles(path, () => {
    try {
      return readFileSync(path, 'utf8')
    } catch (error) {
      if (isMissing(error)) return undefined
      throw error
    }
  })
}

/** Not `mkdirSync` with `recursive`, which never returns if a file system refuses new folders with ENOENT, as /proc does. */
function createFolder(path: string): void {
  if (!existsSync(dirname(path))) createFolder(dirname(path))
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) throw error
  }
}

const isMissing = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'ENOENT'

// A rename is durable only once the folder is synced. Windows cannot open a folder.
function syncFolder(path: string): void {
  if (process.platform === 'win32') return
  const descriptor = openSync(path, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
