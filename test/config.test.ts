import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { generateSecretKey, readConfig, slipsOf } from '../src/config.ts'
import { Environment } from '../src/environment.ts'
import { StartupProblem } from '../src/lib/startup-problem.ts'

const SECRET = 'tr0ub4dor-and-3-more-horses-and-staples'
const OIDC = { OIDC_ISSUER: 'https://login.example', OIDC_CLIENT_ID: 'c', OIDC_CLIENT_SECRET: 's', OIDC_GROUPS: 'cn=a=operator' }
const DIRECT = { DELIVERY: 'direct', MAIL_HOSTNAME: 'mail.example.com', PUBLIC_URL: 'https://mail.example.com' }

describe('readConfig', () => {
  it('reads the groups of the identity provider, whose names may have equals signs', () => {
    expect(readConfig(OIDC).oidc?.groups).toEqual([{ group: 'cn=a', teamId: null }])
    expect(readConfig({}).oidc).toBe(null)
  })

  it('has a default for everything, so that an empty environment starts a service', () => {
    expect(readConfig({})).toMatchObject({
      host: '127.0.0.1',
      port: 3000,
      publicUrl: null,
      trustProxy: [],
      databaseUrl: null,
      dataDir: resolve('data'),
      roles: ['api', 'worker', 'inbound'],
      inboundHost: '127.0.0.1',
      inboundPort: 2525,
      inboundTrustProxy: [],
      inboundTls: null,
      secretKey: null,
      secretKeyPrevious: null,
      bootstrapApiKey: null,
      delivery: 'capture',
      returnPath: 'from',
      smtpRelayUrl: null,
      smtpRelayConnections: 20,
      mailHostname: 'localhost',
      blobFolder: resolve('data/blobs'),
      bucket: null,
      requestBytesMax: 60 * 1024 * 1024,
      rateLimitPerSecond: 100,
      logRetentionDays: 30,
      logLevel: 'info',
      metricsToken: null,
      resendApiKey: null,
      allowPrivateNetworks: false,
      simulatorDomains: ['simulator.test', 'resend.dev'],
      sendingAddresses: null,
      spfInclude: null,
      blocklists: [],
      probeDomain: 'gmail.com',
    })
  })

  it.each<[Record<string, string>, object]>([
    [{ PORT: '0' }, { port: 0 }],
    [{ PORT: ' 8080 ' }, { port: 8080 }],
    [{ PORT: '' }, { port: 3000 }],
    [{ SENDING_IPS: ' , ' }, { sendingAddresses: null }],
    [{ SENDING_IPS: '192.0.2.25, 2001:db8::25' }, { sendingAddresses: ['192.0.2.25', '2001:db8::25'] }],
    [
      { SPF_INCLUDE: '_SPF.Example.com' },
      { spfInclude: '_spf.example.com', installation: expect.objectContaining({ spfTerms: ['include:_spf.example.com'] }) },
    ],
    [{ DNSBL_ZONES: 'zen.example.org, List.example' }, { blocklists: ['zen.example.org', 'list.example'] }],
    [{ PROBE_DOMAIN: 'Outlook.com' }, { probeDomain: 'outlook.com' }],
    [
      { TRACKING_DEFAULT: 'clicks', TRACKING_STORE_IP: 'false', TRACKING_TLS_CERT: '/etc/links.pem', TRACKING_TLS_KEY: '/etc/links.key' },
      {
        tracking: {
          byDefault: { opens: false, clicks: true },
          storesAddresses: false,
          hasHoneypot: false,
          tls: { certFile: '/etc/links.pem', keyFile: '/etc/links.key', host: '0.0.0.0', port: 443 },
        },
      },
    ],
    [{ HOST: '0.0.0.0' }, { host: '0.0.0.0' }],
    [{ INBOUND_FILTER_URL: 'http://127.0.0.1:11333' }, { inboundFilterUrl: 'http://127.0.0.1:11333/' }],
    [{ INBOUND_FILTER_URL: 'tcp://127.0.0.1:3310' }, { inboundFilterUrl: 'tcp://127.0.0.1:3310' }],
    [{ PUBLIC_URL: 'https://mail.example.com/' }, { publicUrl: 'https://mail.example.com' }],
    [{ PUBLIC_URL: 'http://127.0.0.1:8080' }, { publicUrl: 'http://127.0.0.1:8080' }],
    [{ TRUST_PROXY: '10.0.0.0/8, 192.0.2.1,' }, { trustProxy: ['10.0.0.0/8', '192.0.2.1'] }],
    [{ TRUST_PROXY: '2001:db8::/32,::1' }, { trustProxy: ['2001:db8::/32', '::1'], inboundTrustProxy: [] }],
    [{ INBOUND_TRUST_PROXY: '10.0.0.0/8, ::1' }, { trustProxy: [], inboundTrustProxy: ['10.0.0.0/8', '::1'] }],
    [{ DATABASE_URL: 'postgresql://a:b@db/mail' }, { databaseUrl: 'postgresql://a:b@db/mail' }],
    [{ DATABASE_URL: 'postgresql://a:b%2C@db/mail?schema=public' }, { databaseUrl: 'postgresql://a:b%2C@db/mail?schema=public' }],
    [{ DATABASE_URL: 'postgres://a:b@db/mail?sslmode=require' }, { databaseUrl: 'postgres://a:b@db/mail?sslmode=verify-full' }],
    [{ DATABASE_URL: 'postgres://db/mail?sslmode=no-verify' }, { databaseUrl: 'postgres://db/mail?sslmode=no-verify' }],
    [
      { DATABASE_URL: 'postgres://db/mail?uselibpqcompat=true&sslmode=require' },
      { databaseUrl: 'postgres://db/mail?uselibpqcompat=true&sslmode=require' },
    ],
    [
      { DATABASE_CONNECTIONS: '4', ROLES: 'api,inbound' },
      { databaseConnections: 4, databaseConnectionsMin: 4 },
    ],
    [{ DATA_DIR: '/srv/mail' }, { dataDir: '/srv/mail', blobFolder: '/srv/mail/blobs' }],
    [{ STORAGE_URL: 'file:///srv/blobs%20here' }, { blobFolder: '/srv/blobs here', bucket: null }],
    [
      { STORAGE_URL: 's3://mail.files/post/haste/?region=eu-central-1', DATA_DIR: '/srv' },
      { blobFolder: '/srv/blobs', bucket: { name: 'mail.files', prefix: 'post/haste/', region: 'eu-central-1', endpoint: null } },
    ],
    [{ STORAGE_URL: 's3://files' }, { bucket: { name: 'files', prefix: '', region: null, endpoint: null } }],
    ...[
      'https://s3.example.com',
      'http://127.0.0.1:9000',
      'http://[fd00::1]:9000',
      'http://10.1.2.3',
      'http://minio:9000',
      'http://s3.mail.svc.cluster.local',
    ].map((endpoint): [Record<string, string>, object] => [
      { STORAGE_URL: `s3://files?endpoint=${endpoint}` },
      { bucket: { name: 'files', prefix: '', region: 'us-east-1', endpoint } },
    ]),
    [{ ROLES: 'api' }, { roles: ['api'], healthPort: null }],
    [{ HEALTH_PORT: '9100' }, { healthPort: 9_100 }],
    [{ ROLES: ' worker , api, worker' }, { roles: ['worker', 'api'] }],
    [
      { SECRET_KEY: SECRET, SECRET_KEY_PREVIOUS: 'short' },
      { secretKey: SECRET, secretKeyPrevious: 'short' },
    ],
    [{ BOOTSTRAP_API_KEY: `re_${'a'.repeat(21)}` }, { bootstrapApiKey: `re_${'a'.repeat(21)}` }],
    [{ SMTP_RELAY_URL: 'smtps://u:p@mail.example.com' }, { delivery: 'relay', smtpRelayUrl: 'smtps://u:p@mail.example.com' }],
    [{ SMTP_RELAY_URL: 'smtp://mail.example.com:25', DELIVERY: 'capture' }, { delivery: 'capture' }],
    [{ SMTP_RELAY_URL: 'smtp://mail.example.com' }, { delivery: 'relay', returnPath: 'from' }],
    [
      { SMTP_RELAY_URL: 'smtp://mail.example.com', RETURN_PATH: 'own' },
      { delivery: 'relay', returnPath: 'own' },
    ],
    [DIRECT, { delivery: 'direct', returnPath: 'own' }],
    [
      { ...DIRECT, RETURN_PATH: 'from' },
      { delivery: 'direct', returnPath: 'from' },
    ],
    [{ RATE_LIMIT_PER_SECOND: '0' }, { rateLimitPerSecond: 0 }],
    [{ ALLOW_PRIVATE_NETWORKS: 'true' }, { allowPrivateNetworks: true }],
    [{ SIMULATOR_DOMAINS: 'Test.Example' }, { simulatorDomains: ['test.example'] }],
    [{ SIMULATOR_DOMAINS: 'bücher.example' }, { simulatorDomains: ['xn--bcher-kva.example'] }],
    [{ MAIL_HOSTNAME: 'LocalHost' }, { mailHostname: 'localhost' }],
    [{ MAIL_HOSTNAME: 'Mail.Example.com' }, { mailHostname: 'mail.example.com' }],
    [{ LOG_LEVEL: 'silent' }, { logLevel: 'silent' }],
    [{}, { telemetry: null }],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: '', OTEL_SERVICE_NAME: 'mail' }, { telemetry: null }],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318', OTEL_SDK_DISABLED: 'true' }, { telemetry: null }],
    [
      { OTEL_EXPORTER_OTLP_ENDPOINT: 'https://otel.example/in/', OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.25' },
      {
        telemetry: {
          tracesUrl: 'https://otel.example/in/v1/traces',
          metricsUrl: 'https://otel.example/in/v1/metrics',
          sampler: { name: 'traceidratio', ratio: 0.25 },
          serviceName: 'posthaste',
          headers: null,
        },
      },
    ],
    [
      {
        OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318',
        OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://127.0.0.1:4319/traces',
        OTEL_METRICS_EXPORTER: 'none',
      },
      { telemetry: { tracesUrl: 'http://127.0.0.1:4319/traces', metricsUrl: null } },
    ],
    [{ UNKNOWN_VARIABLE: 'x', PATH: '/bin' }, { port: 3000 }],
  ])('reads %j', (environment, expected) => expect(readConfig(environment)).toMatchObject(expected))

  it.each<[Record<string, string>, string]>([
    [{ HEALTH_PORT: 'http' }, 'HEALTH_PORT must be a whole number from 0 to 65535; it is "http".'],
    [{ PORT: 'http' }, 'PORT must be a whole number from 0 to 65535; it is "http".'],
    [{ PORT: '65536' }, 'PORT must be a whole number from 0 to 65535; it is "65536".'],
    [{ PORT: '-1' }, 'PORT must be a whole number from 0 to 65535; it is "-1".'],
    [{ PORT: '80.5' }, 'PORT must be a whole number from 0 to 65535; it is "80.5".'],
    [{ REQUEST_BYTES_MAX: '1000' }, 'REQUEST_BYTES_MAX must be a whole number from 1048576 to 536870912; it is "1000".'],
    [{ RATE_LIMIT_PER_SECOND: '10/s' }, 'RATE_LIMIT_PER_SECOND must be a whole number from 0 to 1000000; it is "10/s".'],
    [{ LOG_RETENTION_DAYS: '6' }, 'LOG_RETENTION_DAYS must be a whole number from 7 to 3650; it is "6".'],
    [{ SMTP_RELAY_CONNECTIONS: '0' }, 'SMTP_RELAY_CONNECTIONS must be a whole number from 1 to 1000; it is "0".'],
    [{ LOG_LEVEL: 'loud' }, 'LOG_LEVEL must be trace, debug, info, warn, error, fatal or silent; it is "loud".'],
    [{ ALLOW_PRIVATE_NETWORKS: 'yes' }, 'ALLOW_PRIVATE_NETWORKS must be true or false; it is "yes".'],
    [{ RETURN_PATH: 'null' }, 'RETURN_PATH must be own or from; it is "null".'],
    [{ DELIVERY: 'send' }, 'DELIVERY must be capture, relay or direct; it is "send".'],
    [{ DELIVERY: 'direct' }, 'DELIVERY=direct needs MAIL_HOSTNAME: the public name of this machine, which its address must resolve to.'],
    [
      { DELIVERY: 'direct', MAIL_HOSTNAME: 'mail.example.com' },
      'DELIVERY=direct needs PUBLIC_URL: the address under which recipients reach this service.',
    ],
    [
      { DELIVERY: 'direct', MAIL_HOSTNAME: 'mail.example.com', PUBLIC_URL: 'http://127.0.0.1:3000' },
      'DELIVERY=direct needs PUBLIC_URL: the address under which recipients reach this service.',
    ],
    [
      { DNS_SERVERS: '192.0.2.53, resolver.example.com' },
      'DNS_SERVERS must be addresses such as 192.0.2.53 or 192.0.2.53:5353, separated by commas; it is "resolver.example.com".',
    ],
    ...['foo', '10.0.0.0/33', '10.0.0.0/0', '10.0.0.0/', '10.0.0.0/8/8', '::/129', '10.0.0'].map<[Record<string, string>, string]>(
      (value) => [
        { TRUST_PROXY: `127.0.0.1,${value}` },
        `TRUST_PROXY must be addresses or CIDRs such as 10.0.0.0/8 or 2001:db8::1, separated by commas; it is "${value}".`,
      ],
    ),
    [
      { INBOUND_TRUST_PROXY: 'relay.example.com' },
      'INBOUND_TRUST_PROXY must be addresses or CIDRs such as 10.0.0.0/8 or 2001:db8::1, separated by commas; it is "relay.example.com".',
    ],
    ...['bad host', 'mail', '*.example.com', '192.0.2.1', 'a\r\nMAIL FROM:<>'].map<[Record<string, string>, string]>((value) => [
      { MAIL_HOSTNAME: value },
      `MAIL_HOSTNAME must be localhost or a full domain such as mail.example.com; it is ${JSON.stringify(value)}.`,
    ]),
    ...['a.b', '-ph', 'ph_1', 'x'.repeat(64)].map<[Record<string, string>, string]>((value) => [
      { DKIM_SELECTOR: value },
      `DKIM_SELECTOR must be one label of a host name, such as ph1 or resend; it is "${value}".`,
    ]),
    ...['***', 'test', 'a b.example', 'user@example.com'].map<[Record<string, string>, string]>((value) => [
      { SIMULATOR_DOMAINS: `simulator.test,${value}` },
      `SIMULATOR_DOMAINS must be domains such as simulator.test, separated by commas; it is "${value}".`,
    ]),
    ...['***', 'localhost', 'a@b@fbl.example', 'fbl@'].map<[Record<string, string>, string]>((value) => [
      { FEEDBACK_REPORTERS: `fbl.example.com,${value}` },
      `FEEDBACK_REPORTERS must be domains such as fbl.example.com or addresses such as abuse@example.com, separated by commas; it is "${value}".`,
    ]),
    [
      { SENDING_IPS: '192.0.2.25,mail' },
      'SENDING_IPS must be addresses such as 192.0.2.25 or 2001:db8::25, separated by commas; it is "mail".',
    ],
    [{ SPF_INCLUDE: '__spf.example.com' }, 'SPF_INCLUDE must be a name in the DNS such as _spf.example.com; it is "__spf.example.com".'],
    [{ DNSBL_ZONES: 'list.example,x' }, 'DNSBL_ZONES must be host names such as zen.spamhaus.org, separated by commas; it is "x".'],
    [{ DNSBL_ZONES: 'list.example,'.repeat(21) }, 'DNSBL_ZONES may name 20 lists at most; it names 21.'],
    [{ PROBE_DOMAIN: 'localhost' }, 'PROBE_DOMAIN must be a full host name such as mail.example.com; it is "localhost".'],
    [{ INBOUND_TLS_CERT: '/etc/mail.pem' }, 'INBOUND_TLS_CERT and INBOUND_TLS_KEY need each other: set both, or neither.'],
    [{ INBOUND_TLS_KEY: '/etc/mail.key' }, 'INBOUND_TLS_CERT and INBOUND_TLS_KEY need each other: set both, or neither.'],
    [
      { OIDC_ISSUER: 'https://login.example' },
      'OIDC_ISSUER needs OIDC_CLIENT_ID and OIDC_CLIENT_SECRET: those of this service at the identity provider.',
    ],
    [{ ...OIDC, OIDC_GROUPS: '' }, 'OIDC_ISSUER needs OIDC_GROUPS: 1 to 1000 groups such as support=TEAM_ID or admins=operator.'],
    [
      { ...OIDC, OIDC_GROUPS: 'a=b' },
      'OIDC_GROUPS must be groups such as support=TEAM_ID or admins=operator, separated by commas; it is "a=b".',
    ],
    [
      { ...OIDC, OIDC_GROUPS: '=operator' },
      'OIDC_GROUPS must be groups such as support=TEAM_ID or admins=operator, separated by commas; it is "=operator".',
    ],
    [
      { ...OIDC, OIDC_ISSUER: 'http://login.example' },
      'OIDC_ISSUER must be a URL that begins with https://; it is "http://login.example".',
    ],
    [{ TRACKING_TLS_CERT: '/etc/links.pem' }, 'TRACKING_TLS_CERT and TRACKING_TLS_KEY need each other: set both, or neither.'],
    [{ TRACKING_TLS_KEY: '/etc/links.key' }, 'TRACKING_TLS_CERT and TRACKING_TLS_KEY need each other: set both, or neither.'],
    [{ TRACKING_DEFAULT: 'opens,click' }, 'TRACKING_DEFAULT must be opens, clicks, or both, separated by a comma; it is "opens,click".'],
    [{ ROLES: 'api,wroker' }, 'ROLES must be api, worker and inbound, or some of them, separated by commas; it is "api,wroker".'],
    [{ ROLES: ',' }, 'ROLES must be api, worker and inbound, or some of them, separated by commas; it is ",".'],
    ...['/srv/blobs', 'file://host/blobs', 's3:///prefix', 's3://Files', 's3://files/a%20b'].map(
      (value): [Record<string, string>, string] => [
        { STORAGE_URL: value },
        `STORAGE_URL must be file:///absolute/folder or s3://bucket/prefix?region=...&endpoint=https://...; it is "${value}".`,
      ],
    ),
    [
      { STORAGE_URL: 's3://AKIAKEY:hunter2@files' },
      'STORAGE_URL may not hold credentials; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY; it is "s3://***@files".',
    ],
    [
      { STORAGE_URL: 's3://files?acl=public' },
      'STORAGE_URL may have the parameters region and endpoint, and no others; it is "s3://files?acl=public".',
    ],
    ...['http://s3.example.com', 'http://192.0.2.1:9000', 'http://s3.localhost', 'http://[2001:db8::1]'].map(
      (endpoint): [Record<string, string>, string] => [
        { STORAGE_URL: `s3://files?endpoint=${endpoint}` },
        `STORAGE_URL must have an endpoint that begins with https://, unless it is this machine, a private address, or a name of a private network; it is "s3://files?endpoint=${endpoint}".`,
      ],
    ),
    [
      { STORAGE_URL: 's3://files', AWS_ACCESS_KEY_ID: 'AKIAKEY' },
      'AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY need each other: set both, or neither.',
    ],
    [{ PUBLIC_URL: 'mail.example.com' }, 'PUBLIC_URL must be a URL that begins with http:// or https://; it is "mail.example.com".'],
    [
      { PUBLIC_URL: 'ftp://mail.example.com' },
      'PUBLIC_URL must be a URL that begins with http:// or https://; it is "ftp://mail.example.com".',
    ],
    [
      { PUBLIC_URL: 'https://example.com/mail' },
      'PUBLIC_URL must be a URL without a path: the API stands at the root of its origin; it is "https://example.com/mail".',
    ],
    [
      { PUBLIC_URL: `https://admin:${SECRET}@example.com/mail` },
      'PUBLIC_URL must be a URL without a path: the API stands at the root of its origin; it is "https://***@example.com/mail".',
    ],
    [{ DELIVERY: 'relay' }, 'DELIVERY=relay needs SMTP_RELAY_URL, for example smtp://user:password@mail.example.com:587.'],
    [
      { DATABASE_URL: `mysql://u:${SECRET}@db/x` },
      'DATABASE_URL must be a URL that begins with postgres:// or postgresql://; it is something else (not shown, because it is a secret).',
    ],
    ...[`u:${SECRET}@one,two/x`, `u:${SECRET}@one:5432,two:5432/x`, `u:${SECRET}@one/x?host=one,two`].map(
      (rest): [Record<string, string>, string] => [
        { DATABASE_URL: `postgres://${rest}` },
        'DATABASE_URL names several hosts, and Posthaste connects to one: name the primary, or an address that always leads to it.',
      ],
    ),
    [
      { DATABASE_CONNECTIONS: '7' },
      'DATABASE_CONNECTIONS must be at least 8 in a process with the role worker, of which 4 only listen; it is 7.',
    ],
    [
      { DATABASE_URL: `postgres://u:${SECRET}@db/x?schema=mail` },
      'DATABASE_URL asks for the schema "mail", and Posthaste needs a database of its own, with its tables in the schema public: make one (`create database posthaste`), name it there, and leave out ?schema=.',
    ],
    [
      { SMTP_RELAY_URL: `http://u:${SECRET}@mail` },
      'SMTP_RELAY_URL must be a URL that begins with smtp:// or smtps://; it is something else (not shown, because it is a secret).',
    ],
    [
      { OTEL_EXPORTER_OTLP_ENDPOINT: `grpc://u:${SECRET}@otel` },
      'OTEL_EXPORTER_OTLP_ENDPOINT must be a URL that begins with http:// or https://; it is "grpc://***@otel".',
    ],
    [{ OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }, 'OTEL_EXPORTER_OTLP_PROTOCOL must be http/protobuf; it is "grpc".'],
    [{ OTEL_TRACES_SAMPLER_ARG: '2' }, 'OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1; it is "2".'],
    [{ SECRET_KEY: SECRET.slice(0, 31) }, 'SECRET_KEY must have at least 32 characters; `openssl rand -hex 32` makes one.'],
    [
      { BOOTSTRAP_API_KEY: SECRET },
      'BOOTSTRAP_API_KEY must be re_ and then 21 to 253 letters, digits or underscores; it is something else (not shown, because it is a secret).',
    ],
  ])('ends the start for %j in one line that says what is allowed', (environment, message) => {
    expect(() => readConfig(environment)).toThrow(new StartupProblem(message))
    expect(message).not.toContain('\n')
    expect(message).not.toContain(SECRET.slice(0, 8))
  })

  it('cannot be changed afterwards', () => {
    const config = readConfig({})
    expect(Object.isFrozen(config)).toBe(true)
    expect(() => Object.assign(config, { port: 1 })).toThrow(TypeError)
  })

  it('leaves the environment as it is', () => {
    const environment = { PORT: '1' }
    readConfig(environment)
    expect(environment).toEqual({ PORT: '1' })
  })
})

describe('a secret in a file', () => {
  let folder: string
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'posthaste-test-config-'))
  })
  afterEach(() => rm(folder, { recursive: true }))

  const file = async (content: string): Promise<string> => {
    const path = join(folder, 'secret')
    await writeFile(path, content)
    return path
  }
  const secrets = Object.entries(Environment.properties).flatMap(([name, schema]) => ('x-secret' in schema ? [name] : []))

  it.each(['\n', '\r\n', ''])('is read without the line break at its end: %j', async (lineBreak) => {
    expect(readConfig({ SECRET_KEY_FILE: await file(`${SECRET}${lineBreak}`), SECRET_KEY: '' })).toMatchObject({ secretKey: SECRET })
    expect(readConfig({ DATABASE_URL_FILE: await file(`postgres://a:b@db/mail${lineBreak}`) })).toMatchObject({
      databaseUrl: 'postgres://a:b@db/mail',
    })
  })

  it.each(secrets)('works for %s: both set, no such file, an empty one and a large one each end the start', async (name) => {
    const problem = (path: string, more: Record<string, string> = {}) => expect(() => readConfig({ [`${name}_FILE`]: path, ...more }))
    const path = await file(SECRET)
    problem(path, { [name]: SECRET }).toThrow(new StartupProblem(`${name} and ${name}_FILE are both set: remove one of them.`))
    // What was set is not printed: it may be the secret itself.
    problem(SECRET).toThrow(
      new StartupProblem(
        `${name}_FILE names a file that cannot be read (ENOENT): put it there, readable for the user of the service, or correct the path.`,
      ),
    )
    problem(await file('\n')).toThrow(
      new StartupProblem(`${name}_FILE names a file that is empty: write the secret into it, or unset ${name}_FILE.`),
    )
    problem(await file('x'.repeat(65_537))).toThrow(
      new StartupProblem(`${name}_FILE names a file of more than 65536 bytes: name the file of the secret.`),
    )
  })

  it('is not printed if it is wrong', async () => {
    const path = await file(`mysql://u:${SECRET}@db/x`)
    expect(() => readConfig({ DATABASE_URL_FILE: path })).toThrow(
      new StartupProblem(
        'DATABASE_URL must be a URL that begins with postgres:// or postgresql://; it is something else (not shown, because it is a secret).',
      ),
    )
  })

  it('is found although its name is misspelled', () => {
    expect(slipsOf([], { SECRET_KEY_FIEL: 'x' })).toEqual(['SECRET_KEY_FIEL: did you mean SECRET_KEY_FILE?'])
    expect(slipsOf([], { SECRET_KEY_FILE: 'x' })).toEqual([])
  })
})

describe('.env.example', () => {
  it('has every variable once, in the same order, with its default or an example, and no other', async () => {
    const text = await readFile('.env.example', 'utf8')
    const names = [...text.matchAll(/^#? ?([A-Z][A-Z0-9_]+)=/gm)].map(([, name]) => name)
    expect(names).toEqual(Object.keys(Environment.properties))
  })

  it('holds values that start a service', async () => {
    const text = await readFile('.env.example', 'utf8')
    const active = Object.fromEntries([...text.matchAll(/^([A-Z][A-Z0-9_]+)=(.*)$/gm)].map(([, name, value]) => [name ?? '', value ?? '']))
    expect(() => readConfig(active)).not.toThrow()
  })
})

it('makes a new secret key for each installation, long enough for itself', () => {
  const [first, second] = [generateSecretKey(), generateSecretKey()]
  expect(first).not.toBe(second)
  expect(readConfig({ SECRET_KEY: first })).toMatchObject({ secretKey: first })
})
