// Lets commands use the database of a running service, so that an operator need not stop the service to use them.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { StartupProblem } from '../../lib/startup-problem.ts'
import { dataFolderAt, isMissingOrEmpty, readPassword } from './data-folder.ts'
import { DataFolderInUse, lockDataFolder } from './data-folder-lock.ts'
import { type EmbeddedPostgres, type EmbeddedPostgresOptions, startEmbeddedPostgres } from './embedded-postgres.ts'
import { embeddedUrl } from './embedded-role.ts'
import { isReplacementUnfinished } from './replaced-cluster.ts'

export type OpenEmbeddedOptions = EmbeddedPostgresOptions & {
  /** A service creates the database at its first start; a command never does. */
  purpose: 'service' | 'command'
}

/**
 * For a service, a PostgreSQL of its own. For a command, that of the service that runs on this data folder, or else one for the duration of the
 * command. It waits for commands, and a command also waits for a service that is just starting or stopping. Throws a StartupProblem if there is
 * another service, if the wait takes too long, and if there is no database for a command.
 */
export async function openEmbeddedPostgres({ purpose, ...options }: OpenEmbeddedOptions): Promise<EmbeddedPostgres> {
  const deadline = performance.now() + WAIT_MAX_MS
  for (;;) {
    try {
      if (purpose === 'command') expectDatabase(options.dataDir)
      return await startEmbeddedPostgres(options)
    } catch (error) {
      if (!(error instanceof DataFolderInUse) || (purpose === 'service' && error.isShared)) throw error
      const url = error.isShared ? runningUrl(options.dataDir) : null
      // The process that started the server stops it.
      if (url !== null) return { url, share() {}, stop: async () => {} }
      if (performance.now() > deadline) throw error
    }
    await sleep(POLL_MS)
  }
}

// On a slow disk a first start takes up to a minute, and the end of a service that is sending mail takes seconds.
const WAIT_MAX_MS = 120_000
const POLL_MS = 100

/** Leaves no trace in an empty folder. Throws DataFolderInUse while a service creates its database. */
export function expectDatabase(dataDir: string): void {
  const folder = dataFolderAt(dataDir)
  const { root, cluster, lock } = folder
  if (!isMissingOrEmpty(cluster) || isReplacementUnfinished(folder)) return
  if (existsSync(lock)) lockDataFolder(root).release()
  throw new StartupProblem(
    `There is no database in ${root}, and only \`start\` makes one: start the service first, or set DATA_DIR or DATABASE_URL to what it uses.`,
  )
}

const PORT_LINE = 3
const STATUS_LINE = 7

/** Null until the server accepts connections, which it records in its lock file (PostgreSQL, `miscadmin.h`, "LOCK_FILE_LINE_PORT"). */
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
    // Not there yet, or removed.
    return []
  }
}
