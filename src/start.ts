// The command `start`: brings everything up, says where it is, and takes it down in good order.
import { createServer } from 'node:net'
import closeWithGrace from 'close-with-grace'
import { compose, type Service } from './compose.ts'
import { type Config, readConfig, slipsOf } from './config.ts'
import { namesInEnvFile } from './gateways/files/env-file.ts'
import { openModeOf } from './gateways/files/folder-access.ts'
import { firstKey, introduction, relayLine } from './introduction.ts'
import { publicUrlOf } from './lib/public-url.ts'
import { StartupProblem } from './lib/startup-problem.ts'
import { openMigratedDatabase } from './open-database.ts'
import { createLog, type Log } from './process-log.ts'
import { ensureFirstTeam } from './services/ensure-first-team.ts'

/** Within this time everything has ended, one way or the other. */
const STOP_MS = 10_000

export async function start(): Promise<void> {
  // Before the configuration is read: what is wrong with it may be just that.
  for (const slip of slipsOf(namesInEnvFile())) process.stderr.write(`${slip}\n`)
  const given = readConfig()
  const config = { ...given, port: await portOf(given) }
  const log = createLog(config)
  const publicUrl = publicUrlOf(config)
  const opened = await openMigratedDatabase(config, log)
  await warnOfOthers(config, log)
  let service: Service
  try {
    service = await compose(config, opened, log, { publicUrl })
  } catch (error) {
    await opened.close()
    throw error
  }
  const graceful = closeWithGrace({ delay: STOP_MS, logger: log, skip: [...STOP_SIGNALS] }, async ({ err, signal }) => {
    if (err) log.fatal({ err }, 'service failed')
    else if (signal) log.info({ signal }, 'service stopping')
    await service.close()
    log.info('service stopped')
  })
  onStopSignal((signal) => {
    log.info({ signal }, 'service stopping')
    void graceful.close()
  })
  let token: string | null = null
  try {
    token = await ensureFirstTeam(service.context)
    await service.app?.listen({ host: config.host, port: config.port })
    print(await introduction(config, service, token))
    // Last, because the first key must not wait for a server elsewhere.
    print(`${await relayLine(service)}\n`)
  } catch (error) {
    graceful.uninstall()
    await service.close()
    // The first key is made once: it must not be lost with a start that failed after that.
    if (token !== null) print(`${await firstKey(config, token)}\n`)
    throw listenProblem(error, config)
  }
}

/** Keys, passwords and mail lie in that folder. */
async function warnOfOthers({ dataDir }: Config, log: Log): Promise<void> {
  const mode = await openModeOf(dataDir).catch(() => null)
  if (mode !== null) log.warn({ folder: dataDir, mode }, 'other users of this machine may enter DATA_DIR: close it with chmod 700')
}

const STOP_SIGNALS = ['SIGINT', 'SIGTERM'] as const
/** npm hands Ctrl-C on to a process that the terminal has told already: what comes again so soon is the same wish. */
const SAME_WISH_MS = 1_000

/** The first signal stops in good order, a later one at once. */
function onStopSignal(stop: (signal: NodeJS.Signals) => void): void {
  let firstAtMs: number | null = null
  for (const signal of STOP_SIGNALS) {
    process.on(signal, () => {
      if (firstAtMs === null) {
        firstAtMs = performance.now()
        stop(signal)
      } else if (performance.now() - firstAtMs > SAME_WISH_MS) process.exit(1)
    })
  }
}

const print = (text: string): void => {
  process.stdout.write(text)
}

/** What keeps the API from listening, in one line; any other error as it is. */
function listenProblem(error: unknown, { host, port }: Pick<Config, 'host' | 'port'>): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (code === 'EADDRINUSE' || code === 'EACCES')
    return new StartupProblem(`Port ${port} of ${host} is taken: stop what uses it, or set PORT.`, { cause: error })
  if (!NOT_AN_ADDRESS_HERE.has(code)) return error
  return new StartupProblem(
    `HOST must be an address of this machine, for example 127.0.0.1, or 0.0.0.0 for all of them; it is ${JSON.stringify(host)} (${code}).`,
    { cause: error },
  )
}

/** Another machine's address, a kind of address that is switched off, and names that the resolver does not know, or cannot tell now. */
const NOT_AN_ADDRESS_HERE: ReadonlySet<string> = new Set(['EADDRNOTAVAIL', 'EAFNOSUPPORT', 'EINVAL', 'ENOTFOUND', 'EAI_AGAIN', 'EAI_FAIL'])

/**
 * Links must bear the port, so it is chosen before anything is built. So is HOST tried, because an address that is not of this machine would
 * otherwise end a start whose database and worker run already.
 */
async function portOf({ host, port, roles }: Config): Promise<number> {
  if (port !== 0 && !roles.includes('api')) return port
  try {
    const free = await freePort(host)
    return port === 0 ? free : port
  } catch (error) {
    throw listenProblem(error, { host, port })
  }
}

function freePort(host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject)
    server.listen(0, host, () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })
}
