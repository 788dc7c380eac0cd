// Reads the environment once, by a schema, into a frozen, typed Config. The only reader of process.env.

import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { totalmem } from 'node:os'
import { join, resolve } from 'node:path'
import { Ajv, type ValidateFunction } from 'ajv'
import leven, { closestMatch } from 'leven'
import { planMemory } from '../lib/limits/memory-plan.ts'
import { StartupProblem } from '../lib/startup-problem.ts'
import { Environment, type Variables } from './environment.ts'
import { inbound } from './inbound.ts'
import { databaseConnections, databaseUrl, identityProvider, operators, storage, telemetry } from './platform.ts'
import { publicNames } from './public-names.ts'
import { secretFileNames, withSecretFiles } from './secret-files.ts'
import { deliveryMode, sending, tracking } from './sending.ts'
import { addressRanges, allowed, dnsName, list, origin, wrong } from './values.ts'

/** Shorter ones could be guessed. */
export const SECRET_KEY_LENGTH_MIN = 32
const OPERATOR_KEY_LENGTH_MIN = 32
/** It could not be sent as one word of a header. */
const NOT_A_BEARER_TOKEN = /[^!-~]/

export type Role = 'api' | 'worker' | 'inbound'

export type Config = Readonly<ReturnType<typeof interpret>>

/** What variables were called in 0.1.0. The former names work until the next release. */
const FORMER_NAMES: Readonly<Record<string, string>> = {
  TEAM_RECEIVED_MB_PER_DAY: 'RECEIVED_MB_PER_DAY',
  COMPLAINT_REPORTERS: 'FEEDBACK_REPORTERS',
}

let checkVariables: ValidateFunction<Variables> | undefined

/**
 * Reads the environment.
 *
 * @throws StartupProblem with one line: the variable, what is allowed, and its value unless it is a secret.
 */
export function readConfig(given: Record<string, string | undefined> = process.env): Config {
  const environment = withSecretFiles(given)
  const variables: Record<string, unknown> = {}
  for (const name of Object.keys(Environment.properties)) {
    const value = environment[name]?.trim() || environment[FORMER_NAMES[name] ?? '']?.trim()
    if (value) variables[name] = value
  }
  checkVariables ??= new Ajv({ coerceTypes: true, useDefaults: true, allErrors: false, strict: false }).compile<Variables>(Environment)
  if (!checkVariables(variables)) {
    const error = checkVariables.errors?.[0]
    const name = error?.instancePath.slice(1) ?? ''
    throw wrong(name, allowed(name), environment[name] ?? '')
  }
  return Object.freeze(interpret(variables))
}

/**
 * A line for each unknown variable whose name resembles one of ours, without its value. If the variable that was meant is set too, a slip is
 * reported only if it is in the file, which holds only our variables.
 */
export function misspelledSettings(namesInFile: string[], environment: Record<string, string | undefined> = process.env): string[] {
  const known = [...Object.keys(Environment.properties), ...secretFileNames]
  const slips = resemblingNames(Object.keys(environment), known)
  const former = Object.entries(FORMER_NAMES).filter(([, name]) => Boolean(environment[name]))
  const others = namesInFile.filter(
    (name) => !known.includes(name) && !former.some(([, old]) => old === name) && !slips.some((slip) => slip.name === name),
  )
  return [
    ...former.map(([name, old]) => `${old} is called ${name} now. The former name works until the next release.`),
    ...slips.map(({ name, meant }) => `${name}: did you mean ${meant}?`),
    ...resemblingNames(others, known).map(({ name, meant }) => `${name} is ignored; ${meant} is set too.`),
  ]
}

/** A name that was given, and the known name that was probably meant. */
export type Resemblance = { name: string; meant: string }

/**
 * Finds typing errors among names, most of which are not ours. A name counts as an error if it differs from a known one only in case, or in two
 * letters (in one if the known name is short, because HOME is not HOST), and if the known one was not given too.
 */
export function resemblingNames(given: readonly string[], known: readonly string[]): Resemblance[] {
  const missing = known.filter((name) => !given.includes(name))
  return given
    .filter((name) => !known.includes(name) && name.length <= NAME_LENGTH_MAX)
    .flatMap((name) => {
      const meant = closestMatch(name.toUpperCase(), missing)
      return meant !== undefined && leven(name.toUpperCase(), meant) <= typosMax(meant) ? [{ name, meant }] : []
    })
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
}

const typosMax = (known: string): number => (known.length < SHORT_BELOW ? 1 : 2)
const SHORT_BELOW = 7

/** Longer than any known name with two extra letters. */
const NAME_LENGTH_MAX = 64

function interpret(variables: Variables) {
  const dataDir = resolve(variables.DATA_DIR)
  const delivery = deliveryMode(variables)
  const rolesHere = roles(variables.ROLES)
  if (variables.SECRET_KEY && variables.SECRET_KEY.length < SECRET_KEY_LENGTH_MIN)
    throw new StartupProblem(`SECRET_KEY must have at least ${SECRET_KEY_LENGTH_MIN} characters; \`openssl rand -hex 32\` makes one.`)
  return {
    host: variables.HOST,
    port: variables.PORT,
    /** Null: a process without the API answers nothing over HTTP. */
    healthPort: variables.HEALTH_PORT ?? null,
    /** Null until the port is known: then http://localhost:PORT. */
    publicUrl: variables.PUBLIC_URL === undefined ? null : origin('PUBLIC_URL', variables.PUBLIC_URL),
    drainSeconds: variables.DRAIN_SECONDS,
    trustProxy: addressRanges('TRUST_PROXY', variables.TRUST_PROXY),
    databaseUrl: variables.DATABASE_URL === undefined ? null : databaseUrl(variables.DATABASE_URL),
    ...databaseConnections(variables, rolesHere),
    dataDir,
    roles: rolesHere,
    secretKey: variables.SECRET_KEY ?? null,
    secretKeyPrevious: variables.SECRET_KEY_PREVIOUS ?? null,
    /** None: there are no operations on teams. */
    operatorKeys: operatorKeys(variables),
    operators: operators(variables),
    bootstrapApiKey: variables.BOOTSTRAP_API_KEY ?? null,
    ...sending(variables, delivery),
    ...inbound(variables),
    ...publicNames(variables),
    tracking: tracking(variables),
    ...storage(variables, dataDir),
    /** How the memory of this process is divided. */
    memory: planMemory({
      limitBytes: variables.MEMORY_MB === undefined ? memoryOfMachine() : variables.MEMORY_MB * 1024 * 1024,
      requestBytesMax: variables.REQUEST_BYTES_MAX,
      hasDatabase: variables.DATABASE_URL === undefined,
    }),
    requestBytesMax: variables.REQUEST_BYTES_MAX,
    importBytesMax: variables.IMPORT_BYTES_MAX,
    rateLimitPerSecond: variables.RATE_LIMIT_PER_SECOND,
    rateLimitBytesPerSecond: variables.RATE_LIMIT_BYTES_PER_SECOND,
    consoleStreamsMax: variables.CONSOLE_STREAMS_MAX,
    logRetentionDays: variables.LOG_RETENTION_DAYS,
    auditRetentionDays: variables.AUDIT_RETENTION_DAYS,
    emailRetentionDays: variables.EMAIL_RETENTION_DAYS,
    sessions: { idleHours: variables.SESSION_IDLE_HOURS, days: variables.SESSION_DAYS },
    /** The first owner of the first team; null: the start makes none. */
    ownerEmail: variables.OWNER_EMAIL?.trim().toLowerCase() ?? null,
    /** Null: people sign in with links and passkeys only. */
    oidc: identityProvider(variables),
    webhooksMax: variables.WEBHOOKS_MAX,
    logLevel: variables.LOG_LEVEL,
    metricsToken: variables.METRICS_TOKEN ?? null,
    /** Null: no traces and metrics are sent. */
    telemetry: telemetry(variables),
    resendApiKey: variables.RESEND_API_KEY ?? null,
    allowPrivateNetworks: variables.ALLOW_PRIVATE_NETWORKS === 'true',
    simulatorDomains: list(variables.SIMULATOR_DOMAINS).map((domain) =>
      dnsName('SIMULATOR_DOMAINS', domain, 'domains such as simulator.test, separated by commas'),
    ),
  }
}

function operatorKeys({ OPERATOR_KEY, OPERATOR_KEY_PREVIOUS }: Variables): string[] {
  for (const [name, key] of Object.entries({ OPERATOR_KEY, OPERATOR_KEY_PREVIOUS }))
    if (key !== undefined && (key.length < OPERATOR_KEY_LENGTH_MIN || NOT_A_BEARER_TOKEN.test(key)))
      throw new StartupProblem(
        `${name} must have at least ${OPERATOR_KEY_LENGTH_MIN} characters of ASCII, without spaces; \`openssl rand -hex 32\` makes one.`,
      )
  if (OPERATOR_KEY === undefined && OPERATOR_KEY_PREVIOUS !== undefined)
    throw new StartupProblem('OPERATOR_KEY_PREVIOUS is set without OPERATOR_KEY: set OPERATOR_KEY too, or remove both.')
  return [OPERATOR_KEY, OPERATOR_KEY_PREVIOUS].filter((key) => key !== undefined)
}

function roles(value: string): Role[] {
  const names = list(value)
  const known = names.filter((name): name is Role => name === 'api' || name === 'worker' || name === 'inbound')
  if (known.length === 0 || known.length < names.length)
    throw wrong('ROLES', 'api, worker and inbound, or some of them, separated by commas', value)
  return [...new Set(known)]
}

/** A SECRET_KEY for an installation without one. */
export const generateSecretKey = (): string => randomBytes(32).toString('hex')

/** What the kernel says about the process, and the folders of the control groups. */
type Place = { membership?: string; groups?: string }

/** Returns bytes. A limit can be that of any control group above the process; Node.js reads only the one that the process is in. */
export function memoryOfMachine({ membership = '/proc/self/cgroup', groups = '/sys/fs/cgroup' }: Place = {}): number {
  const limits = (read(membership) ?? '').split('\n').flatMap((line) => readLimits(line, groups))
  return Math.min(totalmem(), ...limits)
}

/** @param line `4:memory:/path` of version 1, `0::/path` of version 2 */
function readLimits(line: string, groups: string): number[] {
  const [, controllers, path] = /^\d+:([^:]*):(\/.*)$/.exec(line) ?? []
  if (path === undefined) return []
  if (controllers === '') return ancestorFolders(path).flatMap((folder) => readBytes(join(groups, folder, 'memory.max')))
  if (!controllers?.split(',').includes('memory')) return []
  return ancestorFolders(path).flatMap((folder) => readBytes(join(groups, 'memory', folder, 'memory.limit_in_bytes')))
}

/** The folder of a group, and those above it. In a container the first ones may be out of sight: then the last is its own group. */
function ancestorFolders(path: string): string[] {
  const names = path.split('/').filter((name) => name !== '' && name !== '..')
  return names.map((_name, index) => names.slice(0, names.length - index).join('/')).concat('')
}

/** Version 2 writes `max` where there is no limit, version 1 a number beyond all memory. */
function readBytes(file: string): number[] {
  const text = read(file)?.trim() ?? ''
  return /^\d+$/.test(text) ? [Number(text)] : []
}

function read(file: string): string | null {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return null
  }
}
