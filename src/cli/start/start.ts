// The command `start`: starts everything, prints where it is, and stops it in good order.

import { createServer } from 'node:net'
import closeWithGrace from 'close-with-grace'
import { compose, type Service } from '../../compose.ts'
import { type Config, misspelledSettings, readConfig } from '../../config/config.ts'
import { namesInEnvFile, publicUrlOf } from '../../config/environment.ts'
import { openMigratedDatabase } from '../../db/open-database.ts'
import { findOpenMode } from '../../io/files/files.ts'
import { createLog, type Log } from '../../io/log.ts'
import { errorCode } from '../../lib/problem.ts'
import { StartupProblem } from '../../lib/startup-problem.ts'
import { checkPhraseFiles } from '../../mail/bounces/phrase-files.schema.ts'
import { ensureFirstOwner, ensureOperators } from '../../modules/accounts/people/people.service.ts'
import { ensureFirstTeam } from '../../modules/accounts/teams/first-team.service.ts'
import { firstKey, introduction, relayLine } from './introduction.ts'

/** The time limit for stopping everything. */
const STOP_MS = 10_000

export async function start({ force }: { force: boolean }): Promise<void> {
  checkPhraseFiles()
  // Before the configuration is read, because a misspelled name may be the reason that it is wrong.
  for (const slip of misspelledSettings(namesInEnvFile())) process.stderr.write(`${slip}\n`)
  const given = readConfig()
  const config = { ...given, port: await choosePort(given) }
  const log = createLog(config)
  const publicUrl = publicUrlOf(config)
  const opened = await openMigratedDatabase(config, log, { force })
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
  void service.outdated.then(async (migration) => {
    log.fatal({ migration }, 'the tables are of a newer version that this one cannot work with: service stopping')
    setTimeout(() => process.exit(1), STOP_MS).unref()
    await service.close()
    process.exit(1)
  })
  onStopSignal(async (signal) => {
    const drainSeconds = signal === 'SIGTERM' ? config.drainSeconds : 0
    log.info({ signal, ...(drainSeconds > 0 && { drainSeconds }) }, 'service stopping')
    // Ctrl-C comes from someone who waits for the prompt.
    if (signal === 'SIGTERM') await service.drain()
    await graceful.close()
  })
  let token: string | null = null
  try {
    token = await ensureFirstTeam(service.context)
    await ensureFirstOwner(service.context)
    await ensureOperators(service.context)
    await service.app?.listen({ host: config.host, port: config.port })
    await listenForHealth(config, service)
    await listenForLinks(config, service)
    const inboundPort = await listenForMail(config, service)
    const submissionPorts = await listenForSubmissions(config, service)
    process.stdout.write(await introduction({ ...config, ...submissionPorts, inboundPort }, service.context, token))
    // Last, because the first key must not wait for a remote server.
    process.stdout.write(`${await relayLine(service)}\n`)
  } catch (error) {
    graceful.uninstall()
    await service.close()
    // The first key is made only once, so it must not be lost if the start fails after that.
    if (token !== null) process.stdout.write(`${await firstKey(config, token)}\n`)
    throw listenProblem(error, { ...config, names: API_PLACE })
  }
}

/** The variables that say where something listens. */
const API_PLACE = { host: 'HOST', port: 'PORT' }
const HEALTH_PLACE = { host: 'HOST', port: 'HEALTH_PORT' }
const INBOUND_PLACE = { host: 'INBOUND_HOST', port: 'INBOUND_PORT' }
const TRACKING_PLACE = { host: 'TRACKING_TLS_HOST', port: 'TRACKING_TLS_PORT' }

/** @returns the port; null if this process does not receive mail. */
async function listenForMail({ inboundHost: host, inboundPort: port, roles }: Config, { inbound }: Service): Promise<number | null> {
  if (inbound === null) return null
  return inbound.listen({ host, port }).catch((error) => continueWithoutPort(error, { host, port, names: INBOUND_PLACE, roles }))
}

async function listenForHealth({ host, healthPort: port }: Config, { health, context: { log } }: Service): Promise<void> {
  if (health === null || port === null) return
  const address = await health.listen({ host, port }).catch((error) => {
    throw listenProblem(error, { host, port, names: HEALTH_PLACE })
  })
  log.info({ address }, 'health and metrics are answered')
}

/** @returns the ports on which mail may be submitted. */
async function listenForSubmissions(
  { submissionHost: host, submissionPort, submissionsPort, roles }: Config,
  { submission }: Service,
): Promise<Pick<Config, 'submissionPort' | 'submissionsPort'>> {
  async function listen(port: number | null, isTls: boolean): Promise<number | null> {
    if (submission === null || port === null) return null
    const names = { host: 'SUBMISSION_HOST', port: isTls ? 'SUBMISSIONS_PORT' : 'SUBMISSION_PORT' }
    return submission.listen({ host, port, isTls }).catch((error) => continueWithoutPort(error, { host, port, names, roles }))
  }
  return { submissionPort: await listen(submissionPort, false), submissionsPort: await listen(submissionsPort, true) }
}

async function listenForLinks({ tracking: { tls } }: Config, { tracking }: Service): Promise<void> {
  if (tls === null || tracking === null) return
  await tracking.listen(tls).catch((error) => {
    throw listenProblem(error, { ...tls, names: TRACKING_PLACE })
  })
}

/** That folder contains keys, passwords and mail. */
async function warnOfOthers({ dataDir }: Config, log: Log): Promise<void> {
  const mode = await findOpenMode(dataDir).catch(() => null)
  if (mode !== null) log.warn({ folder: dataDir, mode }, 'other users of this machine may enter DATA_DIR: close it with chmod 700')
}

const STOP_SIGNALS = ['SIGINT', 'SIGTERM'] as const
/** npm passes on a Ctrl-C that the terminal has already sent to this process. A second signal within this time is the same request. */
const SAME_SIGNAL_MS = 1_000

/** The first signal stops in good order, a later one at once. */
function onStopSignal(stop: (signal: NodeJS.Signals) => Promise<void>): void {
  let firstAtMs: number | null = null
  for (const signal of STOP_SIGNALS) {
    process.on(signal, () => {
      if (firstAtMs === null) {
        firstAtMs = performance.now()
        void stop(signal)
      } else if (performance.now() - firstAtMs > SAME_SIGNAL_MS) process.exit(1)
    })
  }
}

type Place = Pick<Config, 'host' | 'port'> & { names: { host: string; port: string } }

/** A program that has the port of an SMTP server does not stop the API. */
function continueWithoutPort(error: unknown, { roles, ...place }: Place & Pick<Config, 'roles'>): null {
  const problem = listenProblem(error, place)
  if (errorCode(error) !== 'EADDRINUSE' || !roles.includes('api')) throw problem
  process.stderr.write(`${(problem as StartupProblem).message} Until the next start, no mail arrives there; everything else runs.\n`)
  return null
}

/** Why the service cannot listen, in one line; any other error unchanged. */
function listenProblem(error: unknown, { host, port, names }: Place): unknown {
  const code = errorCode(error)
  if (code === 'EADDRINUSE')
    return new StartupProblem(`Port ${port} of ${host} is taken: stop what uses it, or set ${names.port}.`, { cause: error })
  if (code === 'EACCES')
    return new StartupProblem(
      `Port ${port} of ${host} may not be used by this user: set ${names.port} to one above 1023, or allow lower ones (CAP_NET_BIND_SERVICE).`,
      { cause: error },
    )
  if (!NOT_AN_ADDRESS_HERE.has(code)) return error
  return new StartupProblem(
    `${names.host} must be an address of this machine, for example 127.0.0.1, or 0.0.0.0 for all of them; it is ${JSON.stringify(host)} (${code}).`,
    { cause: error },
  )
}

/** The address of another machine, an address family that is switched off, or a name that the resolver does not know or cannot resolve now. */
const NOT_AN_ADDRESS_HERE: ReadonlySet<string> = new Set(['EADDRNOTAVAIL', 'EAFNOSUPPORT', 'EINVAL', 'ENOTFOUND', 'EAI_AGAIN', 'EAI_FAIL'])

/**
 * Links contain the port, so it is chosen before anything is built. HOST is tried too, because an address of another machine would otherwise stop a
 * start whose database and worker already run.
 */
async function choosePort({ host, port, roles }: Config): Promise<number> {
  if (port !== 0 && !roles.includes('api')) return port
  try {
    const free = await freePort(host)
    return port === 0 ? free : port
  } catch (error) {
    throw listenProblem(error, { host, port, names: API_PLACE })
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
