import { expect, it } from 'vitest'
import { readConfig } from '../../src/config/config.ts'
import { StartupProblem } from '../../src/lib/startup-problem.ts'
import { forEvery } from '../support/for-every.ts'

const SECRET = 'tr0ub4dor-and-3-more-horses-and-staples'
const OIDC = { OIDC_ISSUER: 'https://login.example', OIDC_CLIENT_ID: 'c', OIDC_CLIENT_SECRET: 's', OIDC_GROUPS: 'cn=a=operator' }
const NO_URL =
  'is not a valid URL: write special characters of its user and password as % and two digits (@ is %40, / is %2F, # is %23), and a port as a number up to 65535.'

it('ends the start for what is wrong in one line that says what is allowed', () =>
  forEvery<[Record<string, string>, string]>(
    [
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
        { COMPLAINT_REPORTERS: `fbl.example.com,${value}` },
        `COMPLAINT_REPORTERS must be domains such as fbl.example.com or addresses such as abuse@example.com, separated by commas; it is "${value}".`,
      ]),
      [
        { SENDING_IPS: '192.0.2.25,mail' },
        'SENDING_IPS must be addresses such as 192.0.2.25 or 2001:db8::25, separated by commas; it is "mail".',
      ],
      [{ SPF_INCLUDE: '__spf.example.com' }, 'SPF_INCLUDE must be a name in the DNS such as _spf.example.com; it is "__spf.example.com".'],
      [{ DNSBL_ZONES: 'list.example,x' }, 'DNSBL_ZONES must be host names such as zen.spamhaus.org, separated by commas; it is "x".'],
      [{ DNSBL_ZONES: 'list.example,'.repeat(21) }, 'DNSBL_ZONES may name 20 lists at most; it names 21.'],
      [{ PROBE_DOMAIN: 'localhost' }, 'PROBE_DOMAIN must be a full host name such as mail.example.com; it is "localhost".'],
      ...['olga', 'Olga <olga@example.com>', '@example.com'].map<[Record<string, string>, string]>((value) => [
        { OPERATORS: `ivan@example.com,${value}` },
        `OPERATORS must be addresses such as ops@example.com, separated by commas; it is "${value}".`,
      ]),
      [{ INBOUND_TLS_CERT: '/etc/mail.pem' }, 'INBOUND_TLS_CERT and INBOUND_TLS_KEY need each other: set both, or neither.'],
      [{ INBOUND_TLS_KEY: '/etc/mail.key' }, 'INBOUND_TLS_CERT and INBOUND_TLS_KEY need each other: set both, or neither.'],
      [
        { OIDC_ISSUER: 'https://login.example' },
        'OIDC_ISSUER needs OIDC_CLIENT_ID and OIDC_CLIENT_SECRET: those of this service at the identity provider.',
      ],
      [{ ...OIDC, OIDC_GROUPS: '' }, 'OIDC_ISSUER needs OIDC_GROUPS: 1 to 1000 groups such as support=TEAM_ID or admins=operator.'],
      [
        { ...OIDC, OIDC_GROUPS: 'a=b' },
        'OIDC_GROUPS must be groups such as staff=TEAM_ID, help=TEAM_ID:support or admins=operator, separated by commas; it is "a=b".',
      ],
      [
        { ...OIDC, OIDC_GROUPS: '=operator' },
        'OIDC_GROUPS must be groups such as staff=TEAM_ID, help=TEAM_ID:support or admins=operator, separated by commas; it is "=operator".',
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
          'DATABASE_URL names several hosts, and Posthaste connects to one: name the primary, or an address that always points to it.',
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
        { DATABASE_URL: `postgres://u:${SECRET}@db/x?sslmode=verify_full` },
        'DATABASE_URL has the sslmode "verify_full": it may be disable, prefer, require, verify-ca, verify-full, no-verify.',
      ],
      ...[`u:${SECRET}/x@db/x`, `u:${SECRET}#x@db/x`, `u:${SECRET}@db:99999/x`].flatMap((rest): [Record<string, string>, string][] => [
        [{ DATABASE_URL: `postgres://${rest}` }, `DATABASE_URL ${NO_URL}`],
        [{ SMTP_RELAY_URL: `smtp://${rest}` }, `SMTP_RELAY_URL ${NO_URL}`],
      ]),
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
      ...['OPERATOR_KEY', 'OPERATOR_KEY_PREVIOUS'].flatMap((name): [Record<string, string>, string][] =>
        [SECRET.slice(0, 31), `${SECRET} word`].map((key) => [
          { [name]: key },
          `${name} must have at least 32 characters of ASCII, without spaces; \`openssl rand -hex 32\` makes one.`,
        ]),
      ),
      [{ OPERATOR_KEY_PREVIOUS: SECRET }, 'OPERATOR_KEY_PREVIOUS is set without OPERATOR_KEY: set OPERATOR_KEY too, or remove both.'],
      [{ SECRET_KEY: SECRET.slice(0, 31) }, 'SECRET_KEY must have at least 32 characters; `openssl rand -hex 32` makes one.'],
      [
        { BOOTSTRAP_API_KEY: SECRET },
        'BOOTSTRAP_API_KEY must be re_ and then 21 to 253 letters, digits or underscores; it is something else (not shown, because it is a secret).',
      ],
    ],
    ([environment, message]) => {
      expect(() => readConfig(environment)).toThrow(new StartupProblem(message))
      expect(message).not.toContain('\n')
      expect(message).not.toContain(SECRET.slice(0, 8))
    },
    ([environment]) => JSON.stringify(environment),
  ))
