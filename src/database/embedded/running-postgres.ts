// Commands beside a running service: what an operator types while the service is up must not ask for it to be stopped first.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { StartupProblem } from '../../lib/startup-problem.ts'
import { dataFolderAt, isMissingOrEmpty, readPassword } from './data-folder.ts'
import { DataFolderInUse, lockDataFolder } from './data-folder-lock.ts'
import { type EmbeddedPostgres, type EmbeddedPostgresOptions, startEmbeddedPostgres } from './embedded-postgres.ts'
import { embeddedUrl } from './embedded-role.ts'

export type OpenEmbeddedOptions = EmbeddedPostgresOptions & {
  /** A service makes the database at its first start; a command never makes one. */
  forWhom: 'service' | 'command'
}

/**
 * For a service a PostgreSQL of its own; for a command that of the service that runs on this data folder, or one for the time of the command when
 * none does. Commands are waited for, and by commands also a service that is just starting or stopping.
 * Throws a StartupProblem when there is another service, when waiting takes too long, and when there is no database for a command.
 */
export async function openEmbeddedPostgres({ forWhom, ...options }: OpenEmbeddedOptions): Promise<EmbeddedPostgres> {
  const deadline = performance.now() + WAIT_MAX_MS
  for (;;) {
    try {
      if (forWhom === 'command') expectDatabase(options.dataDir)
      return await startEmbeddedPostgres(options)
    } catch (error) {
      if (!(error instanceof DataFolderInUse) || (forWhom === 'service' && error.isShared)) throw error
      const url = error.isShared ? runningUrl(options.dataDir) : null
      // Whoever started the server stops it.
      if (url !== null) return { url, share() {}, stop: async () => {} }
      if (performance.now() > deadline) throw error
    }
    await sleep(POLL_MS)
  }
}

// A first start takes seconds on a slow disk, and so does the end of a service that has mail on its way.
const WAIT_MAX_MS = 30_000
const POLL_MS = 100

/** Leaves no trace in a folder in which nothing is. Throws DataFolderInUse while a service makes its database. */
function expectDatabase(dataDir: string): void {
  const { root, cluster, lock } = dataFolderAt(dataDir)
  if (!isMissingOrEmpty(cluster)) return
  if (existsSync(lock)) lockDataFolder(root).release()
  throw new StartupProblem(
    `There is no database in ${root}, and only \`start\` makes one: start the service first, or set DATA_DIR or DATABASE_URL to what it uses.`,
  )
}

const PORT_LINE = 3
const STATUS_LINE = 7

/** Null until the server takes connections, which it notes in its lock file (PostgreSQL, `miscadmin.h`, "LOCK_FILE_LINE_PORT"). */
function runningUrl(dataDir: string): string | null {
  const folder = dataFolderAt(dataDir)
  const lines = readLines(join(folder.cluster, 'postmaster.pid'))
  const port = Number(lines[PORT_LINE])
  const isReady = lines[STATUS_LINE]?.trim() === 'ready'
  return isReady && port > 0 ? embeddedUrl({ password: readPassword(folder), port }) : null
}

function readLines(file: string): string[] {
  try {
    return readFileSync(file, 'utf8').split('\n')
  } catch {
    // Not there yet, or not any more.
    return []
  }
}
