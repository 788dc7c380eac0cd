// Every environment variable that Posthaste reads, by a schema. The other files of this folder interpret them.

import { existsSync, readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import { type Static, Type } from '@sinclair/typebox'

const MIB = 1024 * 1024

/** Longer than any partition is still written to; see the retention of attempts and notifications. */
const RETENTION_DAYS_MIN = 7

const text = (description: string, fallback: string) => Type.String({ description, default: fallback })
const optionalText = (description: string) => Type.Optional(Type.String({ description }))
const secret = (description: string) => Type.Optional(Type.String({ description, minLength: 1, 'x-secret': true }))
const integer = (description: string, fallback: number, minimum: number, maximum: number) =>
  Type.Integer({ description, default: fallback, minimum, maximum })
const percent = (description: string, fallback: number, minimum: number, maximum: number) =>
  Type.Number({ description, default: fallback, minimum, maximum })
const optionalInteger = (description: string, minimum: number, maximum: number) =>
  Type.Optional(Type.Integer({ description, minimum, maximum }))
const choice = <const Value extends string>(description: string, values: Value[], fallback: NoInfer<Value>) =>
  Type.Unsafe<Value>({ type: 'string', enum: values, description, default: fallback })
const optionalChoice = <const Value extends string>(description: string, values: Value[]) =>
  Type.Optional(Type.Unsafe<Value>({ type: 'string', enum: values, description }))

/** `npm run configuration` writes docs/configuration.md and .env.example from it. */
export const Environment = Type.Object({
  HOST: text('Address that the API listens on.', '127.0.0.1'),
  PORT: integer('Port that the API listens on; 0 picks a free one.', 3000, 0, 65_535),
  HEALTH_PORT: optionalInteger(
    'Port on HOST where a process without the role api answers /health and /metrics; 0 picks a free one. Unset: it does not answer.',
    0,
    65_535,
  ),
  PUBLIC_URL: optionalText('Base of every link that the service hands out. Unset: http://localhost:PORT.'),
  TRUST_PROXY: text(
    'Addresses or CIDRs of the proxies whose X-Forwarded-For and X-Forwarded-Host headers are trusted, separated by commas.',
    '',
  ),
  DRAIN_SECONDS: integer(
    'Seconds that a process works on after SIGTERM while /health/ready answers 503, so that a load balancer sends it nothing more before it stops. Ctrl-C stops it at once.',
    0,
    0,
    300,
  ),
  DATABASE_URL: secret('PostgreSQL 14 or newer, as a session connection. Unset: an embedded PostgreSQL under DATA_DIR.'),
  DATABASE_CONNECTIONS: integer(
    'Maximum number of connections of this process to the database: at least 8 with the role worker, 4 of which only listen. A start and the daily maintenance need up to 4 more for a moment.',
    20,
    4,
    500,
  ),
  DATA_DIR: text('Folder of the embedded database, the stored files and the generated secrets.', './data'),
  ROLES: text('What this process runs: api, worker and inbound, or some of them.', 'api,worker,inbound'),
  SECRET_KEY: secret('Wraps the data keys in the database; at least 32 characters. Unset: generated into DATA_DIR.'),
  SECRET_KEY_PREVIOUS: secret('The SECRET_KEY before the last change. The start wraps its data keys again with the new one.'),
  OPERATOR_KEY: secret(
    'Credential for the operations on teams (/teams), for programs that install and sell; at least 32 characters. Unset: there are no such operations.',
  ),
  OPERATOR_KEY_PREVIOUS: secret('The OPERATOR_KEY before the last change. It works too, until you remove it.'),
  BOOTSTRAP_API_KEY: Type.Optional(
    Type.String({
      description:
        'A full-access key of the first team, made at the start if it does not exist. It begins with re_ and has at least 24 characters.',
      pattern: '^re_[A-Za-z0-9_]{21,253}$',
      'x-secret': true,
      'x-allowed': 're_ and then 21 to 253 letters, digits or underscores',
    }),
  ),
  DELIVERY: optionalChoice(
    "capture: mail is stored and shown but never leaves. relay: mail goes to SMTP_RELAY_URL. direct: mail goes to the recipients' servers. Unset: relay if SMTP_RELAY_URL is set, else capture.",
    ['capture', 'relay', 'direct'],
  ),
  SMTP_RELAY_URL: secret(
    'smtp://user:password@host:port or smtps://user:password@host:port. A password goes over TLS only, unless the host is this machine or the URL ends in ?requireTLS=false.',
  ),
  SMTP_RELAY_CONNECTIONS: integer('Maximum number of connections to the relay.', 20, 1, 1_000),
  SENDER_POLICY: optionalChoice(
    'verified: the domain of the sender must be a verified domain of the team. any: every sender is allowed; with DELIVERY=relay, the relay decides. Unset: verified with DELIVERY=direct, otherwise any.',
    ['any', 'verified'],
  ),
  RETURN_PATH: optionalChoice(
    "own: bounces return to an address of ours under the sender's domain, if its records are verified. from: to the address that the mail is from. Unset: own with DELIVERY=direct, otherwise from.",
    ['own', 'from'],
  ),
  DNS_SERVERS: text(
    'Resolvers for the records of domains and the MX records of recipients, as ip or ip:port, separated by commas. Unset: those of the system.',
    '',
  ),
  SUPPRESS_AFTER_SOFT_BOUNCES: integer(
    'Soft bounces in a row after which an address is suppressed, for teams that have this switched on; 0 switches it off.',
    5,
    0,
    100,
  ),
  SUPPRESS_AFTER_SOFT_BOUNCE_DAYS: integer('Days that the first and the last of these soft bounces are apart, at least.', 7, 0, 365),
  GUARD: optionalChoice(
    'What follows from too many bounces and complaints of a team. warn: its owners are told. bulk: its bulk mail is paused too. all: and all its mail, at twice the marks. Unset: what each team has, which is bulk for the first team and all for others.',
    ['warn', 'bulk', 'all'],
  ),
  GUARD_BOUNCES_PERCENT: percent(
    'Percentage of bounces in a day or a week at which bulk mail of a team is paused; half of it is a warning.',
    8,
    1,
    100,
  ),
  GUARD_COMPLAINTS_PERCENT: percent(
    'Percentage of complaints in a day or a week at which bulk mail of a team is paused; a third of it is a warning.',
    0.3,
    0.01,
    100,
  ),
  DESTINATION_LIMITS: text(
    'Maximum connections, and messages per connection, by provider or host suffix, for DELIVERY=direct: google.com=20x100,*=5x50.',
    '',
  ),
  MAIL_HOSTNAME: text('Public name of this server: it gives this name in SMTP, and the MX records of domains point to it.', 'localhost'),
  SENDING_IPS: text(
    'Addresses from which mail leaves, separated by commas: the SPF record of every domain names them. Unset: the addresses of MAIL_HOSTNAME.',
    '',
  ),
  SPF_INCLUDE: optionalText(
    'Host whose SPF record lists the senders: the SPF record of every domain includes it, in place of SENDING_IPS.',
  ),
  TRACKING_HOST: optionalText('Host to which the tracking hosts of domains point. Unset: the host of PUBLIC_URL.'),
  TRACKING_DEFAULT: text(
    'What is tracked through TRACKING_HOST in mail from senders whose domain the team does not have: opens, clicks, or both, separated by a comma. Nothing unless set.',
    '',
  ),
  TRACKING_STORE_IP: choice('false: the IP addresses of people who follow tracked links are not stored.', ['true', 'false'], 'true'),
  TRACKING_HONEYPOT: choice(
    'true: tracked mail gets a link that no person can see. Whatever follows it is taken for a program.',
    ['true', 'false'],
    'false',
  ),
  TRACKING_TLS_CERT: optionalText(
    'PEM file with the certificate of the tracking hosts, for a listener of their own that answers only tracked links. Read again when it changes. Unset: a proxy before the API has it.',
  ),
  TRACKING_TLS_KEY: optionalText('PEM file with the private key of TRACKING_TLS_CERT.'),
  TRACKING_TLS_HOST: text('Address that the listener of TRACKING_TLS_CERT listens on.', '0.0.0.0'),
  TRACKING_TLS_PORT: integer(
    'Port that the listener of TRACKING_TLS_CERT listens on. Tracked links name it unless it is 443.',
    443,
    1,
    65_535,
  ),
  CERTIFICATE_AUTHORITY: text(
    'Who issues the certificates of tracking hosts, as CAA records name it. A domain whose CAA records exclude it gets another record to publish.',
    'letsencrypt.org',
  ),
  DNSBL_ZONES: text(
    'Blocklists that `posthaste doctor` asks about the addresses from which mail leaves, such as zen.spamhaus.org, separated by commas. None unless set.',
    '',
  ),
  PROBE_DOMAIN: text(
    'Domain to whose mail servers `posthaste doctor` connects, without sending mail, to see whether port 25 is open.',
    'gmail.com',
  ),
  INBOUND_HOST: text('Address that the SMTP server listens on.', '127.0.0.1'),
  INBOUND_PORT: integer('Port that the SMTP server listens on; 0 picks a free one.', 2525, 0, 65_535),
  SUBMISSION_HOST: text('Address that SUBMISSION_PORT and SUBMISSIONS_PORT listen on.', '127.0.0.1'),
  SUBMISSION_PORT: optionalInteger(
    'Port on which programs submit mail over SMTP, with STARTTLS and an API key as the password; usually 587. 0 picks a free one. Unset: none.',
    0,
    65_535,
  ),
  SUBMISSIONS_PORT: optionalInteger('The same over TLS from the first byte; usually 465. 0 picks a free one. Unset: none.', 0, 65_535),
  INBOUND_TRUST_PROXY: text(
    'Addresses or CIDRs of the proxies before the SMTP servers, separated by commas. Each connection from them must begin with a header of the PROXY protocol.',
    '',
  ),
  INBOUND_TLS_CERT: optionalText(
    'File with the certificate of MAIL_HOSTNAME and its chain, in PEM form, for all SMTP servers. Unset: a self-signed certificate.',
  ),
  INBOUND_TLS_KEY: optionalText('File with the key of that certificate. Both files are read again when they change.'),
  INBOUND_DOMAIN: optionalText(
    'Domain under which every team receives mail without a domain of its own: anything@TEAM_ID.INBOUND_DOMAIN. Its wildcard MX record points to MAIL_HOSTNAME.',
  ),
  INBOUND_FILTER_URL: optionalText(
    'Spam or virus filter that is asked about each email for a team: an rspamd (http://127.0.0.1:11333) or a clamd (tcp://127.0.0.1:3310). Unset: none is asked.',
  ),
  RECEIVED_PER_MINUTE: integer(
    'Emails that a team may receive in a minute, for each process; half of them from one network. More are refused for now.',
    1_000,
    1,
    1_000_000,
  ),
  TEAM_RECEIVED_MB_PER_DAY: integer(
    'Megabytes that a team may receive within 24 hours; half of it from one network, for each process. More is refused for now.',
    10_240,
    1,
    100_000_000,
  ),
  COMPLAINT_REPORTERS: text(
    'Who may report mail to anyone as spam, if the report is signed (DKIM): addresses, and domains with their subdomains, separated by commas. Unset: the known feedback loops of large providers.',
    '',
  ),
  DKIM_SELECTOR: text(
    'Selector of the first key of each new domain: one label of a host name. Further keys are ph2, ph3 and so on.',
    'ph1',
  ),
  STORAGE_URL: optionalText(
    'Where attachments are stored: file:///absolute/folder, or s3://bucket/prefix?region=...&endpoint=... for an object store. Unset: blobs/ under DATA_DIR.',
  ),
  AWS_ACCESS_KEY_ID: optionalText(
    'Credentials for the bucket of STORAGE_URL. Unset: what else clients of AWS look for, such as a profile or the role of the machine.',
  ),
  AWS_SECRET_ACCESS_KEY: secret('Belongs to AWS_ACCESS_KEY_ID.'),
  MEMORY_MB: optionalInteger(
    'Megabytes of memory that this process may take, the embedded database included. Large requests and deliveries wait when it is short, and its heap takes half. Unset: the limit of its container or unit, else the memory of the machine.',
    256,
    1_048_576,
  ),
  REQUEST_BYTES_MAX: integer('Maximum size of a JSON request body, in bytes.', 60 * MIB, MIB, 512 * MIB),
  IMPORT_BYTES_MAX: integer('Maximum size of an uploaded import file, in bytes.', 512 * MIB, MIB, 8_192 * MIB),
  CONSOLE_STREAMS_MAX: integer(
    'Open pages of the console that this process keeps up to date by a stream. Further ones ask for news every 10 seconds, as all do with 0.',
    500,
    0,
    10_000,
  ),
  RATE_LIMIT_PER_SECOND: integer(
    'Requests per second, for each team and process. 0 switches off this limit and those of failed credentials and sign-in links.',
    100,
    0,
    1_000_000,
  ),
  RATE_LIMIT_BYTES_PER_SECOND: integer(
    'Bytes per second of request bodies and submitted messages, for each team and process. One of any allowed size always gets through. 0 switches off this limit.',
    50_000_000,
    0,
    10_000_000_000,
  ),
  LOG_RETENTION_DAYS: integer(
    'Days that request logs, attempts, events and ended runs of automations are kept, at least 7.',
    30,
    RETENTION_DAYS_MIN,
    3_650,
  ),
  AUDIT_RETENTION_DAYS: integer('Days that entries of the audit log are kept.', 400, 30, 36_500),
  EMAIL_RETENTION_DAYS: integer(
    'Days that emails and their files are kept: sent ones after their last recipient is final, received ones after they came. 0 keeps them.',
    0,
    0,
    36_500,
  ),
  WEBHOOKS_MAX: integer('Maximum number of webhooks of all teams together.', 1_000, 1, 100_000),
  LOG_LEVEL: choice(
    'How much the process log says. The log is lines to read on a terminal, and JSON elsewhere.',
    ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'],
    'info',
  ),
  SESSION_IDLE_HOURS: integer('Hours without use after which a person is signed out.', 12, 1, 24 * 30),
  SESSION_DAYS: integer('Days after signing in on which a person is signed out, whatever they did.', 14, 1, 365),
  ACCOUNT_FROM: optionalText(
    'Sender of mail of the installation, such as sign-in links: an address, or Name <address>. With DELIVERY=direct, a team must have verified its domain. Unset: posthaste@MAIL_HOSTNAME.',
  ),
  OWNER_EMAIL: optionalText(
    'Address of the person who becomes the owner of the first team at the start, if it has no owner. Set it once; a link then signs in.',
  ),
  OPERATORS: text(
    'Addresses of the people who are operators of the installation, separated by commas. They sign in like everyone and see no mail of teams they are not in.',
    '',
  ),
  OIDC_ISSUER: optionalText(
    'Identity provider by which people sign in to the console (OpenID Connect), such as https://login.example.com. Unset: none.',
  ),
  OIDC_CLIENT_ID: optionalText(
    'Id of this service at the identity provider. Its redirect URI there is PUBLIC_URL/console/sign-in/provider/answer.',
  ),
  OIDC_CLIENT_SECRET: secret('Secret of this service at the identity provider.'),
  OIDC_GROUPS: text(
    'What the groups of the identity provider may sign in to: group=TEAM_ID or group=TEAM_ID:ROLE (default: admin, and owner while the team has none), or group=operator for operators of the installation, separated by commas.',
    '',
  ),
  OIDC_GROUPS_CLAIM: text('Claim in which the identity provider names the groups of a person.', 'groups'),
  OIDC_SCOPES: text('Scopes for which the identity provider is asked, separated by spaces.', 'openid email profile'),
  METRICS_TOKEN: secret(
    'Bearer token for /metrics and /health/deliverability. Unset: they answer only to this machine, when HOST and PUBLIC_URL are local.',
  ),
  OTEL_EXPORTER_OTLP_ENDPOINT: optionalText(
    'Receiver of OpenTelemetry, to which traces and metrics are sent by OTLP over HTTP, such as http://127.0.0.1:4318. Unset: none, and nothing of it is loaded.',
  ),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: optionalText('Whole URL for traces. Unset: v1/traces under OTEL_EXPORTER_OTLP_ENDPOINT.'),
  OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: optionalText('Whole URL for metrics. Unset: v1/metrics under OTEL_EXPORTER_OTLP_ENDPOINT.'),
  OTEL_EXPORTER_OTLP_PROTOCOL: choice('Form of what is sent.', ['http/protobuf'], 'http/protobuf'),
  OTEL_EXPORTER_OTLP_HEADERS: secret('Headers for the receiver, such as authorization=Bearer%20TOKEN, separated by commas.'),
  OTEL_EXPORTER_OTLP_TIMEOUT: integer('Milliseconds that one export may take, with its retries.', 10_000, 1, 600_000),
  OTEL_TRACES_EXPORTER: choice('none: no traces are sent.', ['otlp', 'none'], 'otlp'),
  OTEL_METRICS_EXPORTER: choice('none: no metrics are sent.', ['otlp', 'none'], 'otlp'),
  OTEL_TRACES_SAMPLER: choice(
    'Which traces are recorded. The parentbased ones do what a `traceparent` of the client says, if there is one.',
    ['always_on', 'always_off', 'traceidratio', 'parentbased_always_on', 'parentbased_always_off', 'parentbased_traceidratio'],
    'parentbased_always_on',
  ),
  OTEL_TRACES_SAMPLER_ARG: Type.Number({
    description: 'Share of the traces that traceidratio and parentbased_traceidratio record, from 0 to 1.',
    default: 1,
    minimum: 0,
    maximum: 1,
    'x-allowed': 'a number from 0 to 1',
  }),
  OTEL_METRIC_EXPORT_INTERVAL: integer('Milliseconds from one export of metrics to the next.', 60_000, 1, 86_400_000),
  OTEL_BSP_SCHEDULE_DELAY: integer('Milliseconds that a span waits for others at most before it is sent.', 5_000, 1, 600_000),
  OTEL_BSP_MAX_QUEUE_SIZE: integer('Spans that wait to be sent. Further ones are dropped, and counted.', 2_048, 1, 1_000_000),
  OTEL_SERVICE_NAME: text('Name under which traces and metrics are found.', 'posthaste'),
  OTEL_RESOURCE_ATTRIBUTES: text(
    'Further attributes of this process, such as deployment.environment.name=production, separated by commas.',
    '',
  ),
  OTEL_SDK_DISABLED: choice('true: as if OTEL_EXPORTER_OTLP_ENDPOINT were unset.', ['true', 'false'], 'false'),
  RESEND_API_KEY: secret('API key of Resend, for `posthaste import resend` only.'),
  ALLOW_PRIVATE_NETWORKS: choice(
    'true: webhooks (also by http), attachment URLs, MX hosts and their MTA-STS policies, and documents and logos of OAuth clients may be at private addresses, but never at cloud metadata.',
    ['true', 'false'],
    'false',
  ),
  SIMULATOR_DOMAINS: text(
    'Domains whose delivered@, bounced@, complained@, suppressed@, opened@ and clicked@ simulate an outcome.',
    'simulator.test,resend.dev',
  ),
})

export type Variables = Static<typeof Environment>

/** The names in the file `.env` of the folder. The entry has already read their values. */
export const namesInEnvFile = (): string[] => (existsSync('.env') ? Object.keys(parseEnv(readFileSync('.env', 'utf8'))) : [])

/** Where clients reach the service: at PUBLIC_URL, or on this machine. */
export const publicUrlOf = ({ publicUrl, port }: { publicUrl: string | null; port: number }): string =>
  publicUrl ?? `http://localhost:${port}`

/**
 * Where a tracking host answers: on its own TLS listener, or else where the API does, because its DNS record leads there.
 *
 * @param publicUrl of the API
 */
export function trackingUrlOf(host: string, { publicUrl, tls }: { publicUrl: string; tls: { port: number } | null }): string {
  if (tls !== null) return new URL(`https://${host}:${tls.port}`).origin
  const { protocol, port } = new URL(publicUrl)
  return new URL(`${protocol}//${host}${port && `:${port}`}`).origin
}
