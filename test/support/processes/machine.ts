import { accessSync, constants, existsSync, readdirSync, statfsSync } from 'node:fs'
import { freemem } from 'node:os'
import { delimiter, join } from 'node:path'

const MEMORY_FOLDER = '/dev/shm'
/** Several times what the temporary files of a run take at once. */
const ROOM_BYTES_MIN = 6 * 1024 ** 3

/**
 * A folder for temporary files that is kept in memory, if this machine has one with enough room, and as much memory again. The tests kill
 * processes, not machines, so nothing that they show depends on a disk; and for what is written through to a disk, they would wait a fifth of
 * their time.
 */
export function memoryFolder(): string | null {
  try {
    const { bavail, bsize } = statfsSync(MEMORY_FOLDER)
    return bavail * bsize >= ROOM_BYTES_MIN && freemem() >= 2 * ROOM_BYTES_MIN ? MEMORY_FOLDER : null
  } catch {
    return null
  }
}

// Programs of the machine that some tests need. If one is missing, its tests are left out, and a line at the beginning says so. If CI is set,
// nothing may be left out, and the run stops.

/** The major version that Posthaste brings. */
const EMBEDDED_VERSION = 18

/** Where Debian's packages of PostgreSQL are, each version in a folder of its own; `POSTGRESQL_VERSIONS` names another place. */
export const postgresVersions = (environment: NodeJS.ProcessEnv = process.env): string =>
  environment.POSTGRESQL_VERSIONS || '/usr/lib/postgresql'

/** The first that is installed of a former major version, with its server. */
export function otherPostgresVersion(environment: NodeJS.ProcessEnv = process.env): string | undefined {
  const folder = postgresVersions(environment)
  if (!existsSync(folder)) return undefined
  return readdirSync(folder).find((version) => Number(version) < EMBEDDED_VERSION && isExecutable(join(folder, version, 'bin', 'initdb')))
}

type Program = {
  name: string
  isThere(environment: NodeJS.ProcessEnv): boolean
  tests: string
  remedy: string
}

/** Debian's, or the one that `CHROMIUM` names. */
export const chromiumPath = (environment: NodeJS.ProcessEnv = process.env): string => environment.CHROMIUM || '/usr/bin/chromium'

const HEADLESS_SHELL = '/usr/bin/chromium-headless-shell'

/**
 * Debian's headless engine, where it is installed: without what a browser has around it, it needs a third less time. It opens no connection in
 * advance.
 */
export const headlessPath = (environment: NodeJS.ProcessEnv = process.env): string =>
  environment.CHROMIUM || !isExecutable(HEADLESS_SHELL) ? chromiumPath(environment) : HEADLESS_SHELL

const PROGRAMS: Program[] = [
  {
    name: 'Chromium',
    isThere: (environment) => isExecutable(chromiumPath(environment)),
    tests: 'test/browser/**/*.test.ts',
    remedy: 'apt-get install chromium, or set CHROMIUM to the path of a Chromium or Chrome',
  },
  {
    name: 'openssl',
    isThere: (environment) => isInstalled('openssl', environment),
    tests: 'test/{io/smtp/client/direct-tls,modules/deliverability/https-probe.client}.test.ts',
    remedy: 'apt-get install openssl',
  },
  {
    name: 'Caddy',
    isThere: (environment) => isInstalled('caddy', environment),
    tests: 'test/journeys/rolling-restart.test.ts',
    remedy: 'apt-get install caddy',
  },
  {
    name: 'A former PostgreSQL',
    isThere: (environment) => otherPostgresVersion(environment) !== undefined,
    tests: 'test/journeys/{other-postgres,upgrade-database}.test.ts',
    remedy: 'apt-get install postgresql',
  },
]

/** Whether a program is found by its name. */
export const isInstalled = (name: string, { PATH = '' }: NodeJS.ProcessEnv = process.env): boolean =>
  PATH.split(delimiter).some((folder) => isExecutable(join(folder, name)))

export type MissingPrograms = {
  /** Patterns of the test files that cannot run. */
  tests: string[]
  /** One line for each program: what is left out, and how to get it. */
  lines: string[]
  /** Whether the run must stop because of them. */
  isFatal: boolean
}

export function findMissingPrograms(environment: NodeJS.ProcessEnv = process.env): MissingPrograms {
  const missing = PROGRAMS.filter((program) => !program.isThere(environment))
  const isFatal = missing.length > 0 && !NOT_SET.includes(environment.CI ?? '')
  const consequence = isFatal ? 'cannot run, and with CI set nothing is left out' : 'is left out'
  return {
    tests: missing.map(({ tests }) => tests),
    lines: missing.map(({ name, tests, remedy }) => `${name} is missing, so ${tests} ${consequence}. To have it: ${remedy}.`),
    isFatal,
  }
}

/** Values of CI that mean that it is not set. */
const NOT_SET = ['', '0', 'false']

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
