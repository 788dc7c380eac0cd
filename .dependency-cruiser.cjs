// The floors of the house (ARCHITECTURE.md): who may import whom. An edge that is not listed here is a violation.

const TYPES = { dependencyTypes: ['type-only'] }

/** The rooms of each floor, lowest first; '.' are the files that stand outside of them. A room may use itself and the rooms before it. */
const ROOMS = {
  pages: [
    'shell',
    'frame',
    'session',
    'live',
    'home',
    'emails',
    'received',
    'contacts',
    'segments',
    'topics',
    'properties',
    'imports',
    'broadcasts',
    'automations',
    'templates',
    'domains',
    'suppressions',
    'metrics',
    'api-keys',
    'logs',
    'events',
    'webhooks',
    'grants',
    'overview',
    'operation',
    'search',
    'consent',
    'unsubscribe',
    'share',
    'tracking',
    '.',
  ],
  workers: ['engine', 'imports', 'broadcasts', 'automations', 'reports', 'received', 'webhooks', '.'],
  repositories: [
    '.',
    'team',
    'suppressions',
    'engine',
    'emails',
    'metrics',
    'contacts',
    'topics',
    'segments',
    'audience',
    'broadcasts',
    'imports',
    'domains',
    'inbound',
    'tracking',
    'webhooks',
    'templates',
    'events',
    'automations',
    'oauth',
  ],
  gateways: ['.', 'files', 'bucket', 'web', 'dns', 'smtp', 'received', 'submission', 'telemetry'],
  database: ['.', 'embedded', 'migrations', 'partitions', 'backups'],
  schemas: ['.', 'bodies'],
  mail: [
    'times',
    'html',
    'rendering',
    '.',
    'audience',
    'broadcasts',
    'domains',
    'deliverability',
    'dkim',
    'bounces',
    'reports',
    'tracking',
    'templates',
    'automations',
    'received',
    'submission',
  ],
  lib: ['.', 'limits', 'csv', 'signing', 'engine', 'audience', 'domains', 'deliverability', 'inbound', 'webhooks', 'automations', 'oauth'],
}
const room = (name, rooms) => `^src/${name}/(${rooms.map((each) => (each === '.' ? '[^/]+\\.ts$' : `${each}/`)).join('|')})`
const withinFloors = Object.entries(ROOMS).flatMap(([name, rooms]) =>
  rooms.map((each, place) => ({ from: { path: room(name, [each]) }, to: { path: room(name, rooms.slice(0, place + 1)) } })),
)
const floor = (...names) => `^src/(${names.join('|')})/`
const file = (...names) => `^src/(${names.join('|')})\\.ts$`

/** The entry and what constructs things: they see every floor below. */
const TOP = file(
  'main',
  'start',
  'backup',
  'restore',
  'upgrade-database',
  'introduction',
  'compose',
  'describe-api',
  'otlp-export',
  'listeners',
  'open-database',
  'secret-key',
  'storage-owner',
  'deliverability',
  'process-log',
  'openapi-files',
  'configuration-files',
  'generated-files',
  'app',
  'health-listener',
  'tracking-listener',
)

/** Commands work on the database that the configuration names, as the service does. */
const COMMANDS_DATABASE = '^src/commands/database\\.ts$'

module.exports = {
  allowedSeverity: 'error',
  allowed: [
    // Libraries are judged by the forbidden rules below.
    { from: {}, to: { pathNot: '^src/' } },
    { from: { path: TOP }, to: { path: '^src/' } },

    // A command is a file; together they share the database and how lines are written.
    { from: { path: floor('commands') }, to: { path: floor('commands', 'services', 'serializers', 'schemas', 'mail', 'lib') } },
    { from: { path: floor('commands') }, to: { path: [floor('repositories'), file('config')], ...TYPES } },
    {
      from: { path: COMMANDS_DATABASE },
      to: {
        path: [
          file('open-database', 'secret-key', 'process-log', 'config'),
          '^src/repositories/repositories\\.ts$',
          '^src/gateways/files/env-file\\.ts$',
        ],
      },
    },
    // A command that reads a file is given its path.
    { from: { path: floor('commands') }, to: { path: '^src/gateways/files/input-file\\.ts$' } },
    { from: { path: floor('commands') }, to: { path: '^src/gateways/web/(feed|resend)-client\\.ts$', ...TYPES } },

    // The parts of the configuration. They see the variables; only config.ts reads process.env.
    {
      from: { path: [file('config'), floor('configuration')] },
      to: { path: [floor('configuration', 'lib', 'mail'), file('environment')] },
    },
    { from: { path: file('context') }, to: { path: [floor('repositories', 'gateways', 'mail', 'lib'), file('config')], ...TYPES } },

    ...withinFloors,
    { from: { path: floor('inbound') }, to: { path: floor('inbound') } },

    {
      from: { path: floor('plugins', 'routes', 'pages', 'workers', 'inbound') },
      to: { path: floor('services', 'serializers', 'schemas', 'mail', 'lib') },
    },
    // What they do with repositories and gateways goes through the context; only the shape of what these hand out has a name of its own.
    {
      from: { path: floor('plugins', 'routes', 'pages', 'workers', 'inbound') },
      to: { path: [file('context', 'config'), floor('repositories')], ...TYPES },
    },
    { from: { path: floor('workers') }, to: { path: floor('gateways'), ...TYPES } },
    // The declaration form belongs to all routes. Plugins read it: the document and the access check come from it.
    { from: { path: floor('plugins', 'routes', 'pages') }, to: { path: '^src/routes/operation\\.ts$' } },
    { from: { path: '^src/routes/routes\\.ts$' }, to: { path: floor('routes') } },
    // A plugin that is several files is a room. All of them answer errors in one way, and the document says what the others answer.
    { from: { path: '^src/plugins/(bodies|openapi)/' }, to: { path: '^src/plugins/($1/|(errors|idempotency)\\.ts$)' } },

    // The authorization server. The library and the rest of the service meet only here.
    { from: { path: floor('oauth') }, to: { path: floor('oauth', 'schemas', 'lib') } },
    { from: { path: floor('oauth') }, to: { path: [file('context'), floor('repositories', 'gateways')], ...TYPES } },

    { from: { path: floor('services') }, to: { path: floor('serializers', 'schemas', 'mail', 'lib') } },
    { from: { path: floor('services') }, to: { path: [file('context'), floor('repositories')], ...TYPES } },

    { from: { path: floor('serializers') }, to: { path: floor('repositories'), ...TYPES } },
    // A record can be a part of another one: a serializer uses that of its parts.
    { from: { path: floor('serializers') }, to: { path: floor('serializers', 'schemas', 'lib') } },

    { from: { path: floor('repositories') }, to: { path: floor('generated', 'lib') } },
    { from: { path: floor('repositories') }, to: { path: floor('schemas'), ...TYPES } },
    // The states of a recipient and their order are written once, and statements are made of them.
    { from: { path: floor('repositories') }, to: { path: '^src/mail/email-states\\.ts$' } },
    { from: { path: '^src/repositories/emails/' }, to: { path: '^src/mail/outcome-summary\\.ts$', ...TYPES } },
    // What the task of a job is called: who enqueues it and who runs it must agree.
    { from: { path: floor('repositories') }, to: { path: '^src/schemas/jobs\\.ts$' } },
    // What was stored as JSON is validated where it is read.
    { from: { path: floor('repositories') }, to: { path: '^src/schemas/bodies/stored-values\\.ts$' } },
    { from: { path: '^src/repositories/repositories\\.ts$' }, to: { path: floor('repositories') } },

    { from: { path: '^src/gateways/gateways\\.ts$' }, to: { path: floor('gateways') } },
    { from: { path: floor('gateways', 'database') }, to: { path: floor('schemas', 'mail', 'lib') } },
    { from: { path: floor('gateways', 'database') }, to: { path: file('config'), ...TYPES } },

    { from: { path: floor('generated') }, to: { path: floor('generated') } },
    { from: { path: floor('mail') }, to: { path: floor('schemas') } },
    { from: { path: floor('schemas', 'mail') }, to: { path: floor('lib') } },
  ],
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: { pathNot: floor('generated') }, to: { circular: true } },
    {
      name: 'unresolved',
      comment: 'No rule could judge an import that leads nowhere.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
    {
      name: 'top-is-not-imported',
      comment: 'What constructs the service is imported by what starts it only.',
      severity: 'error',
      from: {
        pathNot: [
          file(
            'main',
            'start',
            'backup',
            'restore',
            'upgrade-database',
            'introduction',
            'compose',
            'describe-api',
            'otlp-export',
            'listeners',
            'open-database',
            'openapi-files',
            'configuration-files',
          ),
          COMMANDS_DATABASE,
        ],
      },
      to: { path: TOP },
    },
    {
      name: 'only-the-entry-imports-main',
      severity: 'error',
      from: { pathNot: '^posthaste\\.js$' },
      to: { path: file('main') },
    },
    {
      name: 'services-know-no-framework',
      severity: 'error',
      from: { path: floor('services') },
      to: { path: 'node_modules/(fastify|@fastify|@prisma|pg|graphile-worker)/' },
    },
    {
      name: 'database-libraries',
      comment: 'Only repositories and the database floor talk to PostgreSQL; jobs are run by the library that owns their tables.',
      severity: 'error',
      from: { pathNot: [floor('repositories', 'database', 'generated'), '^src/workers/(worker|jobs|job-task)\\.ts$'] },
      to: { path: 'node_modules/(@types/pg|pg|@prisma|graphile-worker)/' },
    },
    {
      name: 'http-framework',
      comment: "No file below the routes knows HTTP. The context passes on a logger, whose type is the framework's.",
      severity: 'error',
      from: { pathNot: ['^src/(app|health-listener|listeners|context)\\.ts$', floor('plugins', 'routes', 'pages')] },
      to: { path: 'node_modules/(fastify|@fastify)/' },
    },
    {
      name: 'sockets-and-files',
      comment:
        'Gateways and the database floor alone open them. The SMTP server listens itself, and so does what answers tracked links over TLS. Styles and scripts of pages are read as modules are, when they are loaded. The configuration reads secrets that are mounted as files. `start` looks for a free port, commands write generated files, and errors want the names of statuses.',
      severity: 'error',
      from: {
        pathNot: [
          floor('gateways', 'database', 'generated', 'inbound'),
          file('start', 'generated-files', 'tracking-listener'),
          '^src/(plugins/errors|lib/source-files|configuration/secret-files)\\.ts$',
        ],
      },
      to: {
        path: '^(net|tls|dns|dns/promises|http|https|fs|fs/promises|child_process)$|node_modules/undici/',
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'not-to-tests',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: '^(test|bench)/' },
    },
  ],
  options: {
    doNotFollow: { path: ['node_modules', '^src/generated'] },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default', 'types'] },
  },
}
