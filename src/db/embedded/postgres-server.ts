import { type ChildProcess, spawn } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { within } from '../../lib/clock.ts'
import { StartupProblem } from '../../lib/startup-problem.ts'
import type { Log } from '../session/database-session.ts'
import { CALM_DATABASE, embeddedUrl, SUPERUSER, socketSetting, socketStream } from './embedded-role.ts'
import { followLog, type Launcher, LOG_LINE_PREFIX, launchEnvironment, type PostgresBinaries, programProblem } from './postgres-launcher.ts'

export type ServerOptions = {
  binaries: Omit<PostgresBinaries, 'initdb'>
  launcher: Launcher
  cluster: string
  password: string
  port: number
  /** Where it listens besides; null for on the port alone. */
  socketName: string | null
  /** false trades durability across power cuts for speed; for tests. */
  isDurable: boolean
  log: Log
}

export type PostgresServer = {
  /** Resolves with how the process ended. */
  ended: Promise<string>
  /** Shuts it down, in good order if possible; resolves when it has ended. */
  stop(): Promise<void>
  /** Asks it to shut down and does not wait. */
  signal(): void
}

/** Starts PostgreSQL and waits until it accepts connections. If it does not, throws a StartupProblem and leaves no process. */
export async function startServer(options: ServerOptions, onSpawn: (server: PostgresServer) => void = () => {}): Promise<PostgresServer> {
  const [file = options.binaries.postgres, ...prefix] = [...options.launcher.prefix, options.binaries.postgres]
  // In its own session, so that Ctrl-C in a terminal reaches only the service, which stops its database last.
  const child = spawn(file, [...prefix, ...serverArguments(options)], {
    ...launchEnvironment,
    detached: true,
    windowsHide: true,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const lastLines = followLog(child, options.log)
  const server = toServer(child)
  onSpawn(server)
  try {
    await untilReady(server, options, lastLines)
    return server
  } catch (error) {
    await server.stop()
    throw error
  }
}

/** A port that another program has taken between choosing it and using it. */
export class PortTaken extends StartupProblem {}

/** Processes of a server that was killed still work in its folder. */
export class FormerServerAttached extends StartupProblem {}

/** This system lets the server have no local socket. */
export class SocketRefused extends Error {
  constructor() {
    super('The embedded PostgreSQL could not create its local socket.')
  }
}

function serverArguments({ binaries, cluster, port, socketName, isDurable }: ServerOptions): string[] {
  const settings = {
    listen_addresses: '127.0.0.1',
    port,
    unix_socket_directories: socketSetting(socketName),
    max_connections: 100,
    shared_buffers: '128MB',
    // Workers for reading ahead and compiled queries cost memory and only help long scans. Versions before 18 have no such workers.
    ...(Number(binaries.majorVersion) >= 18 ? { io_method: 'sync' } : {}),
    jit: 'off',
    timezone: 'UTC',
    log_timezone: 'UTC',
    password_encryption: 'scram-sha-256',
    // Checkpoints make every commit wait for the disk. With more room they come by the clock and are spread, and not in the middle of a rush.
    max_wal_size: '2GB',
    checkpoint_completion_target: '0.9',
    wal_compression: 'on',
    // Otherwise a new log file is first filled with 16 MB of zeros while every commit waits: up to 50 ms for every 6,000 emails, until a checkpoint
    // leaves files to reuse. The price: its space on the disk is taken when it is written, not before.
    wal_init_zero: 'off',
    logging_collector: 'off',
    log_checkpoints: 'off',
    // Statements and the rows that violate constraints contain our users' data, so they stay out of the log.
    log_min_error_statement: 'panic',
    log_error_verbosity: 'terse',
    log_line_prefix: LOG_LINE_PREFIX,
    ...(isDurable ? {} : { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }),
  }
  return ['-D', cluster, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])]
}

function toServer(child: ChildProcess): PostgresServer {
  const ended = new Promise<string>((resolve) => {
    child.once('exit', (status, signal) => resolve(signal ? `signal ${signal}` : `exit status ${status}`))
    child.once('error', (error) => resolve(error.message))
  })
  const stop = async () => {
    // Fast (open transactions are rolled back), immediate (recovery at the next start), and finally by force.
    for (const signal of ['SIGINT', 'SIGQUIT', 'SIGKILL'] as const) {
      child.kill(signal)
      const hasEnded = await within(
        STOP_STEP_MS,
        ended.then(() => true),
        () => false,
      )
      if (hasEnded) return
    }
  }
  return { ended, stop, signal: () => void child.kill('SIGINT') }
}

// All steps together take less than the 10 s that the whole service has for stopping.
const STOP_STEP_MS = 4000

async function untilReady(server: PostgresServer, options: ServerOptions, lastLines: readonly string[]): Promise<void> {
  const deadline = performance.now() + READY_TIMEOUT_MS
  let ending: string | undefined
  void server.ended.then((how) => {
    ending = how
  })
  while (!(await answers(options))) {
    if (ending !== undefined) {
      // Its last output may arrive after the news of its end.
      await sleep(LAST_LINES_MS)
      if (lastLines.some((line) => /could not create any Unix-domain sockets/.test(line))) throw new SocketRefused()
      if (lastLines.some((line) => /could not bind|Address already in use/.test(line)))
        throw new PortTaken(`Port ${options.port} is taken.`)
      const problem = programProblem(options.cluster, lastLines.length > 0 ? lastLines : [ending])
      throw lastLines.some((line) => /pre-existing shared memory block/.test(line)) ? new FormerServerAttached(problem.message) : problem
    }
    if (performance.now() > deadline)
      throw new StartupProblem(
        `The embedded PostgreSQL in ${options.cluster} accepted no connection within ${READY_TIMEOUT_MS / 60_000} minutes: see the log.`,
      )
    await sleep(READY_POLL_MS)
  }
}

// After a crash of the machine it first replays up to 1 GB of its log.
const READY_TIMEOUT_MS = 600_000
const READY_POLL_MS = 10
const LAST_LINES_MS = 50

/** Whether one can sign in through its local socket; false if it has none. */
export async function answersLocally(options: ServerOptions): Promise<boolean> {
  const stream = socketStream(embeddedUrl(options))
  return stream !== undefined && answers(options, { stream }).catch(() => false)
}

async function answers({ port, password, cluster }: ServerOptions, through: Pick<pg.ClientConfig, 'stream'> = {}): Promise<boolean> {
  const client = new pg.Client({
    ...through,
    host: '127.0.0.1',
    port,
    user: SUPERUSER,
    password,
    database: CALM_DATABASE,
    connectionTimeoutMillis: 5000,
  })
  client.on('error', () => {})
  try {
    await client.connect()
    return true
  } catch (error) {
    if (error instanceof pg.DatabaseError && error.code === '28P01')
      throw new StartupProblem(`The password in postgres-password beside ${cluster} does not open it: restore that file from a backup.`, {
        cause: error,
      })
    return false
  } finally {
    await client.end().catch(() => {})
  }
}
