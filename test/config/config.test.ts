import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { generateSecretKey, misspelledSettings, readConfig } from '../../src/config/config.ts'
import { Environment } from '../../src/config/environment.ts'
import { forEvery } from '../support/for-every.ts'

const SECRET = 'tr0ub4dor-and-3-more-horses-and-staples'
const OIDC = { OIDC_ISSUER: 'https://login.example', OIDC_CLIENT_ID: 'c', OIDC_CLIENT_SECRET: 's', OIDC_GROUPS: 'cn=a=operator' }
const DIRECT = { DELIVERY: 'direct', MAIL_HOSTNAME: 'mail.example.com', PUBLIC_URL: 'https://mail.example.com' }

describe('readConfig', () => {
  it('reads how far the guard goes, and its thresholds', () => {
    expect(readConfig({}).guard).toEqual({ mode: null, thresholds: { bouncesPercent: 8, complaintsPercent: 0.3 } })
    const own = { GUARD: 'warn', GUARD_BOUNCES_PERCENT: '5.5', GUARD_COMPLAINTS_PERCENT: '0.05' }
    expect(readConfig(own).guard).toEqual({ mode: 'warn', thresholds: { bouncesPercent: 5.5, complaintsPercent: 0.05 } })
    expect(() => readConfig({ GUARD_BOUNCES_PERCENT: '0' })).toThrow('GUARD_BOUNCES_PERCENT')
    expect(() => readConfig({ GUARD: 'off' })).toThrow('GUARD')
  })

  it('reads the groups of the identity provider, whose names may have equals signs', () => {
    expect(readConfig(OIDC).oidc?.groups).toEqual([{ group: 'cn=a', teamId: null, role: null }])
    expect(readConfig({}).oidc).toBe(null)
  })

  it('reads the addresses of operators, whose case is not told apart', () => {
    expect(readConfig({ OPERATORS: ' Olga@Example.com, ivan@example.com,' }).operators).toEqual(['olga@example.com', 'ivan@example.com'])
    expect(readConfig({}).operators).toEqual([])
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
      auditRetentionDays: 400,
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

  it('reads what is set', () =>
    forEvery<[Record<string, string>, object]>(
      [
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
          {
            TRACKING_DEFAULT: 'clicks',
            TRACKING_STORE_IP: 'false',
            TRACKING_TLS_CERT: '/etc/links.pem',
            TRACKING_TLS_KEY: '/etc/links.key',
          },
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
      ],
      ([environment, expected]) => expect(readConfig(environment)).toMatchObject(expected),
      ([environment]) => JSON.stringify(environment),
    ))

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

describe('a variable that was renamed', () => {
  it('works under its former name, which the start says, and its new name wins', () => {
    expect(readConfig({ RECEIVED_MB_PER_DAY: '7' }).receivedBytesPerDay).toBe(7 * 1024 * 1024)
    expect(readConfig({ RECEIVED_MB_PER_DAY: '7', TEAM_RECEIVED_MB_PER_DAY: '8' }).receivedBytesPerDay).toBe(8 * 1024 * 1024)
    expect(misspelledSettings(['FEEDBACK_REPORTERS'], { FEEDBACK_REPORTERS: 'fbl.example.com' })).toEqual([
      'FEEDBACK_REPORTERS is called COMPLAINT_REPORTERS now. The former name works until the next release.',
    ])
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
