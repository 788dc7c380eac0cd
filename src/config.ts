// Reads the environment once, by a schema, into a frozen, typed Config. The only reader of process.env.

import { randomBytes } from 'node:crypto'
import { resolve } from 'node:path'
import { Ajv, type ValidateFunction } from 'ajv'
import { databaseConnections, databaseUrl } from './configuration/database.ts'
import { telemetry } from './configuration/exports.ts'
import { identityProvider } from './configuration/identity-provider.ts'
import { inbound } from './configuration/inbound.ts'
import { publicNames } from './configuration/public-names.ts'
import { secretFileNames, withSecretFiles } from './configuration/secret-files.ts'
import { deliveryMode, sending } from './configuration/sending.ts'
import { storage } from './configuration/storage.ts'
import { tracking } from './configuration/tracking.ts'
import { addressRanges, dnsName, list, origin } from './configuration/values.ts'
import { allowed, wrong } from './configuration/wrong-values.ts'
import { Environment, type Variables } from './environment.ts'
import { memoryOfMachine, planMemory } from './lib/limits/memory-plan.ts'
import { resemblingNames } from './lib/resembling-names.ts'
import { StartupProblem } from './lib/startup-problem.ts'

/** Shorter ones could be guessed. */
export const SECRET_KEY_LENGTH_MIN = 32

export type Role = 'api' | 'worker' | 'inbound'

export type Config = Readonly<ReturnType<typeof interpret>>

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
    const value = environment[name]?.trim()
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
export function slipsOf(namesInFile: string[], environment: Record<string, string | undefined> = process.env): string[] {
  const known = [...Object.keys(Environment.properties), ...secretFileNames]
  const slips = resemblingNames(Object.keys(environment), known)
  const others = namesInFile.filter((name) => !known.includes(name) && !slips.some((slip) => slip.name === name))
  return [
    ...slips.map(({ name, meant }) => `${name}: did you mean ${meant}?`),
    ...resemblingNames(others, known).map(({ name, meant }) => `${name} is ignored; ${meant} is set too.`),
  ]
}

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
    emailRetentionDays: variables.EMAIL_RETENTION_DAYS,
    /** Null: people sign in to the console with keys and links only. */
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

function roles(value: string): Role[] {
  const names = list(value)
  const known = names.filter((name): name is Role => name === 'api' || name === 'worker' || name === 'inbound')
  if (known.length === 0 || known.length < names.length)
    throw wrong('ROLES', 'api, worker and inbound, or some of them, separated by commas', value)
  return [...new Set(known)]
}

/** A SECRET_KEY for an installation without one. */
export const generateSecretKey = (): string => randomBytes(32).toString('hex')
