import { spawnSync } from 'node:child_process'
import { mkdirSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../session/database-session.ts'
import {
  createPassword,
  type DataFolder,
  explainingFiles,
  fileProblem,
  finishCluster,
  hasCluster,
  openDataFolder,
  readPassword,
} from './data-folder.ts'
import { lockDataFolder } from './data-folder-lock.ts'
import { createSocketName, embeddedUrl, prepareRole, SUPERUSER } from './embedded-role.ts'
import {
  findLauncher,
  findPostgresBinaries,
  giveTo,
  type Launcher,
  launchEnvironment,
  type PostgresBinaries,
  programProblem,
} from './postgres-launcher.ts'
import { stopOrphan } from './postgres-orphan.ts'
import {
  answersLocally,
  FormerServerAttached,
  PortTaken,
  type PostgresServer,
  type ServerOptions,
  SocketRefused,
  startServer,
} from './postgres-server.ts'
import { finishReplacement } from './replaced-cluster.ts'

export type EmbeddedPostgres = {
  /** Has user and password of a role that owns its database and nothing else. Valid until `stop`, also across restarts of the server. */
  url: string
  /** Lets commands in other processes use it from now on. Until then they wait. */
  share(): void
  /** Shuts the server down and releases the data folder; a second call waits for the first. */
  stop(): Promise<void>
}

export type EmbeddedPostgresOptions = {
  /** The service's data folder; the database lives in `postgres` below it. */
  dataDir: string
  log: Log
  /** Called when the server ended unasked, before it is started again, with how it ended. */
  onDeath?: (reason: string) => void
  /** false trades durability across power cuts for speed. Only for tests. */
  durable?: boolean
}

/**
 * Starts PostgreSQL on 127.0.0.1, on a free port, and on a local socket where there can be one. Creates its database at the first start, and restarts it
 * when it dies. Ends with this process on Linux; elsewhere the next start stops a leftover server. Throws a StartupProblem (one line: what is wrong,
 * and what to do) if it cannot.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const { dataDir, log, onDeath, durable = true } = options
  const binaries = findPostgresBinaries()
  const folder = openDataFolder(dataDir)
  const lock = lockDataFolder(folder.root)
  try {
    const { launcher, password } = await prepareCluster(folder, binaries, { isDurable: durable, log })
    const socketName = createSocketName()
    const server = await startOnFreePort({ binaries, launcher, cluster: folder.cluster, password, socketName, isDurable: durable, log })
    const keeper = keepAlive(server, onDeath)
    try {
      await prepareRole(server.options)
    } catch (error) {
      await keeper.stop()
      throw fileProblem(folder.cluster, error) ?? error
    }
    let stopped: Promise<void> | undefined
    return {
      url: embeddedUrl(server.options),
      share: () => lock.share(),
      stop: () => {
        stopped ??= keeper.stop().then(() => lock.release())
        return stopped
      },
    }
  } catch (error) {
    lock.release()
    throw error
  }
}

/** Creates the database unless it exists, and finds out how to run it. */
async function prepareCluster(folder: DataFolder, binaries: PostgresBinaries, { isDurable, log }: { isDurable: boolean; log: Log }) {
  finishReplacement(folder)
  const exists = hasCluster(folder, binaries.majorVersion)
  if (exists) await stopOrphan(folder.cluster, log)
  const launcher = findLauncher(folder, binaries, exists)
  if (exists) {
    if (launcher.owner) giveTo(launcher.owner, folder.cluster)
    return { launcher, password: readPassword(folder) }
  }
  const password = createPassword(folder)
  createCluster({ folder, binaries, launcher, isDurable })
  log.info({ folder: folder.cluster }, 'database created')
  return { launcher, password }
}

type ClusterCreate = { folder: DataFolder; binaries: PostgresBinaries; launcher: Launcher; isDurable: boolean }

export function createCluster({ folder, binaries, launcher, isDurable }: ClusterCreate): void {
  explainingFiles(folder.unfinishedCluster, () => {
    rmSync(folder.unfinishedCluster, { recursive: true, force: true })
    mkdirSync(folder.unfinishedCluster, { mode: 0o700 })
  })
  if (launcher.owner) giveTo(launcher.owner, folder.unfinishedCluster)
  const [file = binaries.initdb, ...prefix] = [...launcher.prefix, binaries.initdb]
  // Sorted by code point, so the same on every machine, but with upper and lower case beyond ASCII.
  const locale = ['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8']
  const access = [`--username=${SUPERUSER}`, '--auth=scram-sha-256', `--pwfile=${folder.password}`]
  const initdb = [`--pgdata=${folder.unfinishedCluster}`, ...access, ...locale, ...(isDurable ? [] : ['--no-sync'])]
  const result = spawnSync(file, [...prefix, ...initdb], { ...launchEnvironment, encoding: 'utf8', windowsHide: true })
  if (result.status !== 0) {
    rmSync(folder.unfinishedCluster, { recursive: true, force: true })
    throw programProblem(
      folder.cluster,
      `${result.error?.message ?? ''}\n${result.stderr}`.split('\n').filter((line) => line.trim() !== ''),
    )
  }
  finishCluster(folder)
}

type RunningServer = { server: PostgresServer; options: ServerOptions }

/** With a local socket if it was given a name for one, and if that answers. */
export async function startOnFreePort(options: Omit<ServerOptions, 'port'>): Promise<RunningServer> {
  const deadline = performance.now() + ATTACHED_MS_MAX
  for (let attempt = 1; ; attempt++) {
    const complete = { ...options, port: await freePort() }
    try {
      const server = await startServer(complete)
      const { socketName } = complete
      return { server, options: { ...complete, socketName: (await answersLocally(complete)) ? socketName : null } }
    } catch (error) {
      if (error instanceof SocketRefused && options.socketName !== null) return startOnFreePort({ ...options, socketName: null })
      if (error instanceof FormerServerAttached && performance.now() < deadline) await sleep(ATTACHED_POLL_MS)
      else if (!(error instanceof PortTaken) || attempt >= PORT_ATTEMPTS_MAX) throw error
    }
  }
}

// Another program would have to take this one port out of 28,000 within milliseconds. Twice in a row is no accident.
const PORT_ATTEMPTS_MAX = 5

// A session whose server was killed ends after the statement that it runs.
const ATTACHED_MS_MAX = 30_000
const ATTACHED_POLL_MS = 200

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address()
      probe.close(() => (typeof address === 'object' && address ? resolve(address.port) : reject(new Error('A TCP server has a port'))))
    })
  })
}

/** Restarts the server whenever it ends, on the same port, so that pools find it. */
function keepAlive(started: RunningServer, onDeath: ((reason: string) => void) | undefined): { stop(): Promise<void> } {
  const { options } = started
  const { log } = options
  const stopping = new AbortController()
  let current = started.server
  // Some kernels do not tell the server that its parent has died.
  const onExit = () => current.signal()
  process.once('exit', onExit)

  const restart = async (): Promise<void> => {
    for (let waitMs = RESTART_WAIT_MIN_MS; !stopping.signal.aborted; waitMs = Math.min(waitMs * 2, RESTART_WAIT_MAX_MS)) {
      // The process waits too: a command may have nothing else that is open.
      await sleep(waitMs, undefined, { signal: stopping.signal }).catch(() => {})
      if (stopping.signal.aborted) return
      try {
        await startServer(options, (server) => {
          current = server
        })
        log.warn({ port: options.port }, 'database restarted')
        return
      } catch (error) {
        if (!stopping.signal.aborted) log.error({ err: error }, 'database not restarted')
      }
    }
  }
  const watch = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      const reason = await current.ended
      if (stopping.signal.aborted) return
      log.error({ reason }, 'database ended unexpectedly, restarting it')
      onDeath?.(reason)
      await restart()
    }
  }
  const watching = watch()
  return {
    stop: async () => {
      stopping.abort()
      process.removeListener('exit', onExit)
      await current.stop()
      await watching
    },
  }
}

// A killed server is restarted at once; with a full disk the restart is retried every few seconds.
const RESTART_WAIT_MIN_MS = 100
const RESTART_WAIT_MAX_MS = 5000
