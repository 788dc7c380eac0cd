// Reads the environment once, by a schema, into a frozen, typed Config. The only reader of process.env.
import { randomBytes } from 'node:crypto'
import { resolve } from 'node:path'
import { Ajv, type ValidateFunction } from 'ajv'
import ipaddr from 'ipaddr.js'
import { Environment, type Variables } from './environment.ts'
import type { Installation } from './lib/domains/wanted-records.ts'
import type { DeliveryMode } from './lib/engine/new-delivery.ts'
import { isId } from './lib/ids.ts'
import { isLoopback } from './lib/loopback.ts'
import { isProblem } from './lib/problem.ts'
import { resemblingNames } from './lib/resembling-names.ts'
import { StartupProblem } from './lib/startup-problem.ts'
import { type Bucket, parseStorageUrl } from './lib/storage-url.ts'
import { canonicalDomain, parseAddressAlone } from './mail/addresses.ts'
import { type LimitOverride, parseLimitOverrides } from './mail/destination-limits.ts'
import { parseHostLabel } from './mail/domains/host-labels.ts'
import { KNOWN_REPORTERS } from './mail/reports/reporters.ts'

/** Shorter ones could be guessed. */
export const SECRET_KEY_LENGTH_MIN = 32

const MIB = 1024 * 1024

export type Role = 'api' | 'worker' | 'inbound'

export type Config = Readonly<ReturnType<typeof interpret>>

let checkVariables: ValidateFunction<Variables> | undefined

/**
 * Reads the environment.
 *
 * @throws StartupProblem with one line: the variable, what is allowed, and its value unless it is a secret.
 */
export function readConfig(environment: Record<string, string | undefined> = process.env): Config {
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
  const known = Object.keys(Environment.properties)
  const slips = resemblingNames(Object.keys(environment), known)
  const others = namesInFile.filter((name) => !known.includes(name) && !slips.some((slip) => slip.name === name))
  return [
    ...slips.map(({ name, meant }) => `${name}: did you mean ${meant}?`),
    ...resemblingNames(others, known).map(({ name, meant }) => `${name} is ignored; ${meant} is set too.`),
  ]
}

function interpret(variables: Variables) {
  const dataDir = resolve(variables.DATA_DIR)
  const delivery: DeliveryMode = variables.DELIVERY ?? (variables.SMTP_RELAY_URL ? 'relay' : 'capture')
  if (delivery === 'direct') refuseUnfitForDirect(variables)
  if (delivery === 'relay' && !variables.SMTP_RELAY_URL)
    throw new StartupProblem('DELIVERY=relay needs SMTP_RELAY_URL, for example smtp://user:password@mail.example.com:587.')
  if (variables.SECRET_KEY && variables.SECRET_KEY.length < SECRET_KEY_LENGTH_MIN)
    throw new StartupProblem(`SECRET_KEY must have at least ${SECRET_KEY_LENGTH_MIN} characters; \`openssl rand -hex 32\` makes one.`)
  return {
    host: variables.HOST,
    port: variables.PORT,
    /** Null: a process without the API answers nothing over HTTP. */
    healthPort: variables.HEALTH_PORT ?? null,
    /** Null until the port is known: then http://localhost:PORT. */
    publicUrl: variables.PUBLIC_URL === undefined ? null : origin('PUBLIC_URL', variables.PUBLIC_URL),
    trustProxy: addressRanges('TRUST_PROXY', variables.TRUST_PROXY),
    databaseUrl:
      variables.DATABASE_URL === undefined ? null : url('DATABASE_URL', variables.DATABASE_URL, ['postgres:', 'postgresql:']).href,
    dataDir,
    roles: roles(variables.ROLES),
    secretKey: variables.SECRET_KEY ?? null,
    secretKeyPrevious: variables.SECRET_KEY_PREVIOUS ?? null,
    bootstrapApiKey: variables.BOOTSTRAP_API_KEY ?? null,
    delivery,
    senderPolicy: variables.SENDER_POLICY ?? (delivery === 'direct' ? ('verified' as const) : ('any' as const)),
    returnPath: variables.RETURN_PATH ?? (delivery === 'direct' ? ('own' as const) : ('from' as const)),
    smtpRelayUrl: variables.SMTP_RELAY_URL === undefined ? null : url('SMTP_RELAY_URL', variables.SMTP_RELAY_URL, ['smtp:', 'smtps:']).href,
    smtpRelayConnections: variables.SMTP_RELAY_CONNECTIONS,
    dnsServers: dnsServers(variables.DNS_SERVERS),
    destinationLimits: destinationLimits(variables.DESTINATION_LIMITS),
    inboundHost: variables.INBOUND_HOST,
    inboundPort: variables.INBOUND_PORT,
    submissionHost: variables.SUBMISSION_HOST,
    /** Null: nothing is handed in there. */
    submissionPort: variables.SUBMISSION_PORT ?? null,
    submissionsPort: variables.SUBMISSIONS_PORT ?? null,
    inboundTrustProxy: addressRanges('INBOUND_TRUST_PROXY', variables.INBOUND_TRUST_PROXY),
    inboundTls: inboundTls(variables),
    /** Null: teams receive mail at their own domains only. */
    inboundDomain: variables.INBOUND_DOMAIN === undefined ? null : dnsName('INBOUND_DOMAIN', variables.INBOUND_DOMAIN),
    /** Null: no filter is asked. */
    inboundFilterUrl:
      variables.INBOUND_FILTER_URL === undefined
        ? null
        : url('INBOUND_FILTER_URL', variables.INBOUND_FILTER_URL, ['http:', 'https:', 'tcp:']).href,
    receivedPerMinute: variables.RECEIVED_PER_MINUTE,
    receivedBytesPerDay: variables.RECEIVED_MB_PER_DAY * MIB,
    feedbackReporters: feedbackReporters(variables.FEEDBACK_REPORTERS),
    mailHostname: mailHostname(variables.MAIL_HOSTNAME),
    installation: installation(variables),
    /** Which variables of these were left unset. */
    unsetHosts: UNSET_HOSTS.filter((name) => variables[name] === undefined || variables[name] === ''),
    /** Null: those of MAIL_HOSTNAME. */
    sendingAddresses: list(variables.SENDING_IPS).length === 0 ? null : sendingAddresses(variables.SENDING_IPS),
    spfInclude: variables.SPF_INCLUDE === undefined ? null : spfInclude(variables.SPF_INCLUDE),
    blocklists: blocklists(variables.DNSBL_ZONES),
    probeDomain: dnsName('PROBE_DOMAIN', variables.PROBE_DOMAIN),
    tracking: {
      /** Applies to mail from senders whose domain the team does not have. */
      byDefault: trackedByDefault(variables.TRACKING_DEFAULT),
      storesAddresses: variables.TRACKING_STORE_IP === 'true',
      hasHoneypot: variables.TRACKING_HONEYPOT === 'true',
      /** Null: a proxy before the API has the certificates of tracking hosts. */
      tls: trackingTls(variables),
    },
    ...storage(variables, dataDir),
    requestBytesMax: variables.REQUEST_BYTES_MAX,
    importBytesMax: variables.IMPORT_BYTES_MAX,
    rateLimitPerSecond: variables.RATE_LIMIT_PER_SECOND,
    consoleStreamsMax: variables.CONSOLE_STREAMS_MAX,
    logRetentionDays: variables.LOG_RETENTION_DAYS,
    emailRetentionDays: variables.EMAIL_RETENTION_DAYS,
    /** Null: people sign in to the console with keys and links only. */
    oidc: oidc(variables),
    webhooksMax: variables.WEBHOOKS_MAX,
    logLevel: variables.LOG_LEVEL,
    metricsToken: variables.METRICS_TOKEN ?? null,
    /** Null: no traces and metrics are sent. */
    telemetry: telemetry(variables),
    resendApiKey: variables.RESEND_API_KEY ?? null,
    allowPrivateNetworks: variables.ALLOW_PRIVATE_NETWORKS === 'true',
    simulatorDomains: list(variables.SIMULATOR_DOMAINS).map(simulatorDomain),
  }
}

/** Other people's servers see these names. */
function refuseUnfitForDirect({ MAIL_HOSTNAME: hostname, PUBLIC_URL: publicUrl }: Variables): void {
  if (hostname === 'localhost')
    throw new StartupProblem('DELIVERY=direct needs MAIL_HOSTNAME: the public name of this machine, which its address must resolve to.')
  if (publicUrl === undefined || isLoopback(url('PUBLIC_URL', publicUrl, ['http:', 'https:']).hostname))
    throw new StartupProblem('DELIVERY=direct needs PUBLIC_URL: the address under which recipients reach this service.')
}

function dnsServers(value: string): string[] {
  const servers = list(value)
  const wrongOne = servers.find((server) => !ipaddr.isValid(withoutPort(server)))
  if (wrongOne !== undefined) throw wrong('DNS_SERVERS', 'addresses such as 192.0.2.53 or 192.0.2.53:5353, separated by commas', wrongOne)
  return servers
}

/** `192.0.2.53:5353` and `[2001:db8::53]:5353`; a bare IPv6 address has no port. */
const withoutPort = (server: string): string => server.replace(/^\[(.*)\](:\d{1,5})?$/, '$1').replace(/^([\d.]+):\d{1,5}$/, '$1')

function addressRanges(name: 'TRUST_PROXY' | 'INBOUND_TRUST_PROXY', value: string): string[] {
  const ranges = list(value)
  const wrongOne = ranges.find((range) => !isAddressOrCidr(range))
  if (wrongOne !== undefined) throw wrong(name, 'addresses or CIDRs such as 10.0.0.0/8 or 2001:db8::1, separated by commas', wrongOne)
  return ranges
}

/** A prefix of zero bits is refused, as the web framework does. It would let every client choose its apparent address. */
function isAddressOrCidr(value: string): boolean {
  const [address = '', bits, ...rest] = value.split('/')
  const isVersion4 = ipaddr.IPv4.isValidFourPartDecimal(address)
  if (!(isVersion4 || ipaddr.IPv6.isValid(address)) || rest.length > 0) return false
  return bits === undefined || (/^[1-9]\d{0,2}$/.test(bits) && Number(bits) <= (isVersion4 ? 32 : 128))
}

/** Null: a self-signed certificate. */
function inboundTls({ INBOUND_TLS_CERT: certFile, INBOUND_TLS_KEY: keyFile }: Variables): { certFile: string; keyFile: string } | null {
  if (certFile === undefined && keyFile === undefined) return null
  if (certFile === undefined || keyFile === undefined)
    throw new StartupProblem('INBOUND_TLS_CERT and INBOUND_TLS_KEY need each other: set both, or neither.')
  return { certFile, keyFile }
}

/** More groups than any installation has teams. */
const OIDC_GROUPS_MAX = 1_000

function oidc(variables: Variables) {
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

/** `teamId`: null for operators. */
function signInGroup(value: string): { group: string; teamId: string | null } {
  const at = value.lastIndexOf('=')
  const [group, target] = [
    value.slice(0, Math.max(0, at)).trim(),
    value
      .slice(at + 1)
      .trim()
      .toLowerCase(),
  ]
  if (group === '' || !(target === 'operator' || isId(target)))
    throw wrong('OIDC_GROUPS', 'groups such as support=TEAM_ID or admins=operator, separated by commas', value)
  return { group, teamId: target === 'operator' ? null : target }
}

/** The name is used in EHLO, where only a domain is valid (RFC 5321, section 4.1.1.1). */
function mailHostname(value: string): string {
  const hostname = value.toLowerCase() === 'localhost' ? 'localhost' : canonicalDomain(value)
  if (typeof hostname !== 'string') throw wrong('MAIL_HOSTNAME', 'localhost or a full domain such as mail.example.com', value)
  return hostname
}

/** What stands for them is a good guess on one machine, and wrong if a gateway has the public address. */
const UNSET_HOSTS = ['SENDING_IPS', 'TRACKING_HOST'] as const

/** What the DNS records of all domains lead to. */
function installation(variables: Variables): Installation {
  const hostname = mailHostname(variables.MAIL_HOSTNAME)
  const terms = sendingAddresses(variables.SENDING_IPS).map(
    (address) => `${ipaddr.parse(address).kind() === 'ipv4' ? 'ip4' : 'ip6'}:${address}`,
  )
  const { SPF_INCLUDE: include, TRACKING_HOST: trackingHost, PUBLIC_URL: publicUrl } = variables
  return {
    mailHostname: hostname,
    spfTerms: include !== undefined ? [`include:${spfInclude(include)}`] : terms.length > 0 ? terms : [`a:${hostname}`],
    trackingHost:
      trackingHost !== undefined
        ? dnsName('TRACKING_HOST', trackingHost)
        : publicUrl === undefined
          ? 'localhost'
          : new URL(publicUrl).hostname,
    certificateAuthority: dnsName('CERTIFICATE_AUTHORITY', variables.CERTIFICATE_AUTHORITY),
    dkimSelector: dkimSelector(variables.DKIM_SELECTOR),
  }
}

function dkimSelector(value: string): string {
  const label = parseHostLabel(value)
  if (typeof label !== 'string') throw wrong('DKIM_SELECTOR', 'one label of a host name, such as ph1 or resend', value)
  return label
}

function sendingAddresses(value: string): string[] {
  const addresses = list(value)
  const wrongOne = addresses.find((address) => !ipaddr.isValid(address))
  if (wrongOne !== undefined) throw wrong('SENDING_IPS', 'addresses such as 192.0.2.25 or 2001:db8::25, separated by commas', wrongOne)
  return addresses
}

/** Each is asked about every address. */
const BLOCKLISTS_MAX = 20

function blocklists(value: string): string[] {
  const zones = list(value)
  if (zones.length > BLOCKLISTS_MAX)
    throw new StartupProblem(`DNSBL_ZONES may name ${BLOCKLISTS_MAX} lists at most; it names ${zones.length}.`)
  return zones.map((zone) => dnsName('DNSBL_ZONES', zone, 'host names such as zen.spamhaus.org, separated by commas'))
}

/** Many are called _spf, which is a name in the DNS and not of a host (RFC 8552). */
function spfInclude(value: string): string {
  const name = canonicalDomain(value.replace(/^_(?=[a-z\d])/i, ''))
  if (typeof name !== 'string') throw wrong('SPF_INCLUDE', 'a name in the DNS such as _spf.example.com', value)
  return value.startsWith('_') ? `_${name}` : name
}

function dnsName(name: string, value: string, permitted = 'a full host name such as mail.example.com'): string {
  const domain = canonicalDomain(value)
  if (typeof domain !== 'string') throw wrong(name, permitted, value)
  return domain
}

function trackedByDefault(value: string): { opens: boolean; clicks: boolean } {
  const names = list(value)
  if (names.some((name) => name !== 'opens' && name !== 'clicks'))
    throw wrong('TRACKING_DEFAULT', 'opens, clicks, or both, separated by a comma', value)
  return { opens: names.includes('opens'), clicks: names.includes('clicks') }
}

function trackingTls(variables: Variables): { certFile: string; keyFile: string; host: string; port: number } | null {
  const { TRACKING_TLS_CERT: cert, TRACKING_TLS_KEY: key, TRACKING_TLS_HOST: host, TRACKING_TLS_PORT: port } = variables
  if (cert === undefined && key === undefined) return null
  if (cert === undefined || key === undefined)
    throw new StartupProblem('TRACKING_TLS_CERT and TRACKING_TLS_KEY need each other: set both, or neither.')
  return { certFile: resolve(cert), keyFile: resolve(key), host, port }
}

function feedbackReporters(value: string): readonly string[] {
  const reporters = list(value).map(feedbackReporter)
  return reporters.length > 0 ? reporters : KNOWN_REPORTERS
}

/** An address or a domain, both in lower case. */
function feedbackReporter(value: string): string {
  const address = value.includes('@') ? parseAddressAlone(value) : null
  const reporter = address === null ? canonicalDomain(value) : isProblem(address) ? address : address.address.toLowerCase()
  if (typeof reporter !== 'string')
    throw wrong('FEEDBACK_REPORTERS', 'domains such as fbl.example.com or addresses such as abuse@example.com, separated by commas', value)
  return reporter
}

function simulatorDomain(value: string): string {
  const domain = canonicalDomain(value)
  if (typeof domain !== 'string') throw wrong('SIMULATOR_DOMAINS', 'domains such as simulator.test, separated by commas', value)
  return domain
}

function destinationLimits(value: string): LimitOverride[] {
  const parsed = parseLimitOverrides(value)
  if ('problem' in parsed) throw new StartupProblem(`DESTINATION_LIMITS: ${parsed.problem}.`)
  return parsed.overrides
}

const list = (value: string): string[] =>
  value
    .split(',')
    .map((item) => item.trim())
    .filter(Boolean)

function roles(value: string): Role[] {
  const names = list(value)
  const known = names.filter((name): name is Role => name === 'api' || name === 'worker' || name === 'inbound')
  if (known.length === 0 || known.length < names.length)
    throw wrong('ROLES', 'api, worker and inbound, or some of them, separated by commas', value)
  return [...new Set(known)]
}

function url(name: string, value: string, protocols: string[]): URL {
  const parsed = URL.parse(value)
  if (!parsed || !protocols.includes(parsed.protocol))
    throw wrong(name, `a URL that begins with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`, value)
  return parsed
}

function origin(name: string, value: string): string {
  const parsed = url(name, value, ['http:', 'https:'])
  if (parsed.pathname !== '/' || parsed.search || parsed.hash)
    throw wrong(name, 'a URL without a path: the API stands at the root of its origin', value)
  return parsed.origin
}

/** The standard variables of OpenTelemetry. The exporters read further ones themselves, such as those of certificates and compression. */
function telemetry(variables: Variables) {
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

/** With a bucket, the folder has only what is on its way there. */
function storage(
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

function wrong(name: string, permitted: string, value: string): StartupProblem {
  return new StartupProblem(`${name} must be ${permitted}; it is ${shown(name, value)}.`)
}

/** The part of a value that may be printed: nothing of a secret, and no credentials of a URL. */
function shown(name: string, value: string): string {
  const schema = Object.entries(Environment.properties).find(([key]) => key === name)?.[1]
  if (schema && 'x-secret' in schema) return 'something else (not shown, because it is a secret)'
  return JSON.stringify(value.replace(/\/\/[^@/]*@/, '//***@'))
}

function allowed(name: string): string {
  const schema: { description?: string; enum?: string[]; minimum?: number; maximum?: number; 'x-allowed'?: string } =
    Object.entries(Environment.properties).find(([key]) => key === name)?.[1] ?? {}
  if (schema.enum) return alternatives(schema.enum)
  if (schema['x-allowed'] !== undefined) return schema['x-allowed']
  return schema.minimum === undefined ? 'a text' : `a whole number from ${schema.minimum} to ${schema.maximum}`
}

/** `a`, `a or b`, `a, b or c`. */
const alternatives = (values: string[]): string => values.join(', ').replace(/, ([^,]*)$/, ' or $1')

/** A SECRET_KEY for an installation without one. */
export const generateSecretKey = (): string => randomBytes(32).toString('hex')
