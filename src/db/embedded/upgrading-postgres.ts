// Two PostgreSQLs at once: one of the former major version, with its own programs, and a new one whose database takes the place of the other.
import { spawnSync } from 'node:child_process'
import { mkdirSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { StartupProblem } from '../../lib/startup-problem.ts'
import type { Log } from '../session/database-session.ts'
import { clusterVersion, type DataFolder, explainingFiles, hasCluster, openDataFolder, readPassword } from './data-folder.ts'
import { lockDataFolder } from './data-folder-lock.ts'
import { createCluster, startOnFreePort } from './embedded-postgres.ts'
import { embeddedUrl, prepareRole } from './embedded-role.ts'
import { findLauncher, findPostgresBinaries, giveTo, type Launcher, launchEnvironment, type PostgresBinaries } from './postgres-launcher.ts'
import { stopOrphan } from './postgres-orphan.ts'
import type { ServerOptions } from './postgres-server.ts'
import { discardUpgrade, expectReplaceable, finishReplacement, replaceCluster } from './replaced-cluster.ts'
import { expectDatabase } from './running-postgres.ts'

export type UpgradingPostgres = {
  /** The major versions. */
  versions: { former: string; next: string }
  formerUrl: string
  nextUrl: string
  /** An empty folder for the rows. */
  rowsFolder: string
  /** Shuts both down, and puts the new database in the place of the former. Returns where that one is kept. */
  replace(): Promise<string>
  /** Shuts both down. Removes what is not in its place, and releases the data folder. */
  close(): Promise<void>
}

type UpgradeOptions = {
  dataDir: string
  /** The folder of the former programs. */
  programs: string
  log: Log
}

/**
 * Null if an earlier upgrade had only its last rename to do, which is done now. Throws a StartupProblem if there is nothing to upgrade, if a service
 * uses the data folder, and if these are not the programs of the former version.
 */
export async function startUpgradingPostgres({ dataDir, programs, log }: UpgradeOptions): Promise<UpgradingPostgres | null> {
  const binaries = findPostgresBinaries()
  expectDatabase(dataDir)
  const folder = openDataFolder(dataDir)
  const lock = lockDataFolder(folder.root)
  const servers: { stop(): Promise<void> }[] = []
  const stopServers = async () => void (await Promise.all(servers.splice(0).map((server) => server.stop())))
  const close = async () => {
    try {
      await stopServers()
      await discardUpgrade(folder, log)
    } finally {
      lock.release()
    }
  }
  try {
    if (finishReplacement(folder)) {
      await close()
      return null
    }
    const version = formerVersion(folder, binaries.majorVersion)
    const former = findFormerPrograms(programs, version)
    expectReplaceable(folder, version)
    await stopOrphan(folder.cluster, log)
    await discardUpgrade(folder, log)
    explainingFiles(folder.upgradeRows, () => mkdirSync(folder.upgradeRows, { mode: 0o700 }))

    const password = readPassword(folder)
    const launcher = findLauncher(folder, former, true)
    if (launcher.owner) giveTo(launcher.owner, folder.cluster)
    const nextFolder = { ...folder, cluster: folder.fillingCluster }
    const nextLauncher = ownedLikeFormer(folder, findLauncher(folder, binaries, true))
    createCluster({ folder: nextFolder, binaries, launcher: nextLauncher, isDurable: true })
    const start = async (options: Pick<ServerOptions, 'binaries' | 'launcher' | 'cluster'>): Promise<string> => {
      const started = await startOnFreePort({ ...options, password, socketName: null, isDurable: true, log })
      const onExit = () => started.server.signal()
      process.once('exit', onExit)
      servers.push({
        async stop() {
          await started.server.stop()
          // What is renamed must have been written.
          await started.server.ended
          process.removeListener('exit', onExit)
        },
      })
      await prepareRole(started.options)
      return embeddedUrl(started.options)
    }
    return {
      versions: { former: version, next: binaries.majorVersion },
      formerUrl: await start({ binaries: former, launcher, cluster: folder.cluster }),
      nextUrl: await start({ binaries, launcher: nextLauncher, cluster: nextFolder.cluster }),
      rowsFolder: folder.upgradeRows,
      async replace() {
        await stopServers()
        return replaceCluster(folder, version)
      },
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

/** Throws a StartupProblem unless the database is of a former version. */
function formerVersion(folder: DataFolder, majorVersion: string): string {
  const version = clusterVersion(folder)
  if (version !== null && Number(version) < Number(majorVersion)) return version
  // Refuses one of a later version.
  hasCluster(folder, majorVersion)
  throw new StartupProblem(`${folder.cluster} is of PostgreSQL ${majorVersion} already: there is nothing to upgrade.`)
}

/** Throws a StartupProblem if the folder has no such program, or one of another major version. */
function findFormerPrograms(programs: string, version: string): Omit<PostgresBinaries, 'initdb'> {
  const postgres = join(resolve(programs), process.platform === 'win32' ? 'postgres.exe' : 'postgres')
  const asked = spawnSync(postgres, ['--version'], { ...launchEnvironment, encoding: 'utf8', timeout: ASK_MS_MAX, windowsHide: true })
  const found = /\(PostgreSQL\) (\d+)/.exec(asked.stdout ?? '')?.[1]
  if (found === version) return { postgres, majorVersion: version }
  const reason =
    found === undefined
      ? `${postgres} cannot be run (${asked.error?.message ?? (asked.stderr.trim() || `exit status ${asked.status}`)})`
      : `${postgres} is of PostgreSQL ${found}, and the database was made by PostgreSQL ${version}`
  throw new StartupProblem(
    `${reason}: name with --programs the folder of the programs of PostgreSQL ${version}, such as /usr/lib/postgresql/${version}/bin of Debian's package postgresql-${version}, or native/bin of the package @embedded-postgres/* of the former Posthaste. Nothing was changed.`,
  )
}

// Printing a version takes milliseconds. The rest is for a machine that swaps.
const ASK_MS_MAX = 10_000

/** Root may run the command for a service that is another user's. */
function ownedLikeFormer({ cluster }: DataFolder, launcher: Launcher): Launcher {
  if (process.getuid?.() !== 0) return launcher
  const { uid, gid } = statSync(cluster)
  return { ...launcher, owner: { uid, gid } }
}
