// What the service uses outside of itself: its database, the receiver of its traces and metrics, an identity provider, and the store of its files.

import { resolve } from 'node:path'
import { type Bucket, parseStorageUrl } from '../io/blobs/storage-url.ts'
import { isId } from '../lib/ids.ts'
import { isMemberRole, type MemberRole } from '../lib/member-roles.ts'
import { isLoopback } from '../lib/peer-addresses.ts'
import { isProblem } from '../lib/problem.ts'
import { StartupProblem } from '../lib/startup-problem.ts'
import { parseAddressAlone } from '../mail/addresses.ts'
import type { Variables } from './environment.ts'
import { list, shown, url, wrong } from './values.ts'

/**
 * The address of DATABASE_URL. `sslmode=require` and `verify-ca` become `verify-full`: the driver does the same for all three, and warns of the first two
 * in lines of its own.
 */
export function databaseUrl(value: string): string {
  const parsed = namesOneHost(value) ? url('DATABASE_URL', value, ['postgres:', 'postgresql:']) : null
  if (parsed === null || (parsed.searchParams.get('host') ?? '').includes(','))
    throw new StartupProblem(
      'DATABASE_URL names several hosts, and Posthaste connects to one: name the primary, or an address that always points to it.',
    )
  const schema = parsed.searchParams.get('schema')
  if (schema !== null && schema !== 'public')
    throw new StartupProblem(
      `DATABASE_URL asks for the schema ${JSON.stringify(schema)}, and Posthaste needs a database of its own, with its tables in the schema public: make one (\`create database posthaste\`), name it there, and leave out ?schema=.`,
    )
  const mode = parsed.searchParams.get('sslmode')
  if (mode && !TLS_MODES.includes(mode))
    throw new StartupProblem(`DATABASE_URL has the sslmode ${JSON.stringify(mode)}: it may be ${TLS_MODES.join(', ')}.`)
  const followsLibpq = parsed.searchParams.get('uselibpqcompat') === 'true'
  if (!followsLibpq && LIKE_VERIFY_FULL.has(mode ?? '')) parsed.searchParams.set('sslmode', 'verify-full')
  return parsed.href
}

/** What the driver knows: any other word is the same to it as verify-full. */
const TLS_MODES = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify']
const LIKE_VERIFY_FULL: ReadonlySet<string> = new Set(['prefer', 'require', 'verify-ca'])

/** With the role worker, four of them listen. */
const WORKER_CONNECTIONS_MIN = 8
const CONNECTIONS_MIN = 4

/** `databaseConnectionsMin`: without that many the service does not start. */
export function databaseConnections(
  { DATABASE_CONNECTIONS: databaseConnections }: Variables,
  roles: readonly string[],
): { databaseConnections: number; databaseConnectionsMin: number } {
  const databaseConnectionsMin = roles.includes('worker') ? WORKER_CONNECTIONS_MIN : CONNECTIONS_MIN
  if (databaseConnections >= databaseConnectionsMin) return { databaseConnections, databaseConnectionsMin }
  throw new StartupProblem(
    `DATABASE_CONNECTIONS must be at least ${databaseConnectionsMin} in a process with the role worker, of which 4 only listen; it is ${databaseConnections}.`,
  )
}

/** Looks at the text, because several hosts with ports cannot be parsed as a URL. */
function namesOneHost(value: string): boolean {
  const authority = value.split('//', 2)[1]?.split(/[/?#]/, 1)[0] ?? ''
  return !authority.slice(authority.lastIndexOf('@') + 1).includes(',')
}

// Where traces and metrics are sent, and how often.

/** The standard variables of OpenTelemetry. The exporters read further ones themselves, such as those of certificates and compression. */
export function telemetry(variables: Variables) {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_SDK_DISABLED: isDisabled } = variables
  if (endpoint === undefined || isDisabled === 'true') return null
  const base = url('OTEL_EXPORTER_OTLP_ENDPOINT', endpoint, ['http:', 'https:']).href.replace(/\/$/, '')
  const urlOf = (name: 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT' | 'OTEL_EXPORTER_OTLP_METRICS_ENDPOINT', path: string) =>
    variables[name] === undefined ? `${base}/${path}` : url(name, variables[name], ['http:', 'https:']).href
  return {
    /** Null: none are sent. */
    tracesUrl: variables.OTEL_TRACES_EXPORTER === 'none' ? null : urlOf('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'v1/traces'),
    metricsUrl: variables.OTEL_METRICS_EXPORTER === 'none' ? null : urlOf('OTEL_EXPORTER_OTLP_METRICS_ENDPOINT', 'v1/metrics'),
    /** Keys and values, as the variables have them. */
    headers: variables.OTEL_EXPORTER_OTLP_HEADERS ?? null,
    resourceAttributes: variables.OTEL_RESOURCE_ATTRIBUTES,
    serviceName: variables.OTEL_SERVICE_NAME,
    timeoutMs: variables.OTEL_EXPORTER_OTLP_TIMEOUT,
    sampler: { name: variables.OTEL_TRACES_SAMPLER, ratio: variables.OTEL_TRACES_SAMPLER_ARG },
    metricIntervalMs: variables.OTEL_METRIC_EXPORT_INTERVAL,
    spanDelayMs: variables.OTEL_BSP_SCHEDULE_DELAY,
    spansMax: variables.OTEL_BSP_MAX_QUEUE_SIZE,
  }
}

// The identity provider by which people sign in to the console, and what its groups may sign in to.

/** More groups than any installation has teams. */
const OIDC_GROUPS_MAX = 1_000

export function identityProvider(variables: Variables) {
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: clientSecret } = variables
  if (issuer === undefined) return null
  if (clientId === undefined || clientSecret === undefined)
    throw new StartupProblem('OIDC_ISSUER needs OIDC_CLIENT_ID and OIDC_CLIENT_SECRET: those of this service at the identity provider.')
  const { protocol, hostname } = url('OIDC_ISSUER', issuer, ['http:', 'https:'])
  if (protocol === 'http:' && !isLoopback(hostname)) throw wrong('OIDC_ISSUER', 'a URL that begins with https://', issuer)
  const groups = list(variables.OIDC_GROUPS)
  if (groups.length === 0 || groups.length > OIDC_GROUPS_MAX)
    throw new StartupProblem(`OIDC_ISSUER needs OIDC_GROUPS: 1 to ${OIDC_GROUPS_MAX} groups such as support=TEAM_ID or admins=operator.`)
  return {
    ...{ issuer, clientId, clientSecret, groupsClaim: variables.OIDC_GROUPS_CLAIM, scopes: variables.OIDC_SCOPES },
    groups: groups.map(signInGroup),
  }
}

/** The addresses of people who are operators, in lower case. One that is none would be no one's, and a link could not be mailed there. */
export const operators = ({ OPERATORS }: Variables): string[] =>
  list(OPERATORS).map((value) => {
    const parsed = parseAddressAlone(value)
    if (parsed === null || isProblem(parsed)) throw wrong('OPERATORS', 'addresses such as ops@example.com, separated by commas', value)
    return parsed.address.toLowerCase()
  })

/** Parses `group=TEAM_ID`, `group=TEAM_ID:ROLE` and `group=operator`. `teamId`: null for operators. `role`: null if none is named. */
function signInGroup(value: string): { group: string; teamId: string | null; role: MemberRole | null } {
  const at = value.lastIndexOf('=')
  const [group, target] = [
    value.slice(0, Math.max(0, at)).trim(),
    value
      .slice(at + 1)
      .trim()
      .toLowerCase(),
  ]
  const [id = '', role = null] = target.split(':', 2)
  if (group === '' || !(target === 'operator' || (isId(id) && (role === null || isMemberRole(role)))))
    throw wrong('OIDC_GROUPS', 'groups such as staff=TEAM_ID, help=TEAM_ID:support or admins=operator, separated by commas', value)
  return target === 'operator'
    ? { group, teamId: null, role: null }
    : { group, teamId: id, role: role !== null && isMemberRole(role) ? role : null }
}

// Where files such as attachments are stored: in a folder, or in a bucket.

/** With a bucket, the folder has only what is on its way there. */
export function storage(
  { STORAGE_URL: value, AWS_ACCESS_KEY_ID: id, AWS_SECRET_ACCESS_KEY: key }: Variables,
  dataDir: string,
): { blobFolder: string; bucket: Bucket | null } {
  const ownFolder = resolve(dataDir, 'blobs')
  if (value === undefined) return { blobFolder: ownFolder, bucket: null }
  const parsed = parseStorageUrl(value)
  if (isProblem(parsed)) throw new StartupProblem(`STORAGE_URL ${parsed.problem}; it is ${shown('STORAGE_URL', value)}.`)
  if ('folder' in parsed) return { blobFolder: parsed.folder, bucket: null }
  if ((id === undefined) !== (key === undefined))
    throw new StartupProblem('AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY need each other: set both, or neither.')
  return { blobFolder: ownFolder, bucket: parsed.bucket }
}
