// The one order of the house (ARCHITECTURE.md): a folder may import itself and those before it. What a file may do, its suffix says.

/** The platform, lowest first. It knows no subject. */
const PLATFORM = ['generated', 'lib', 'mail', 'io', 'config', 'db', 'http']

/** The subjects, in folders of src/modules, each of which may use those before it. */
const MODULES = [
  'secrets',
  'limits',
  'images',
  'domains',
  'accounts',
  'audit',
  'suppressions',
  'audience',
  'templates',
  'emails',
  'tracking',
  'delivery',
  'inbound',
  'bounces',
  'logs',
  'submission',
  'metrics',
  'broadcasts',
  'events',
  'automations',
  'webhooks',
  'oauth',
  'privacy',
  'sharing',
  'deliverability',
  'console',
]

/** What joins the subjects. */
const ORDER = [
  ...PLATFORM.map((name) => `^src/${name}/`),
  ...MODULES.map((name) => `^src/modules/${name}/`),
  '^src/modules/[^/]+\\.ts$',
  '^src/plugins/',
  '^src/context\\.ts$',
  '^src/app\\.ts$',
  '^src/server/',
  '^src/(compose|repositories)\\.ts$',
  '^src/cli/',
  '^src/main\\.ts$',
]

const except = (...suffixes) => `\\.(${suffixes.join('|')})\\.ts$`
const inFolders = (...names) => `^src/(${names.join('|')})/`

module.exports = {
  allowedSeverity: 'error',
  allowed: [
    // Libraries are judged by the rules by suffix.
    { from: {}, to: { pathNot: '^src/' } },
    ...ORDER.map((each, place) => ({ from: { path: each }, to: { path: ORDER.slice(0, place + 1) } })),
  ],
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: { pathNot: inFolders('generated') }, to: { circular: true } },
    {
      name: 'unresolved',
      comment: 'No rule could judge an import that leads nowhere.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
    {
      name: 'only-repositories-reach-the-database',
      comment: 'Statements stand in *.repository.ts and *.sql.ts, what they are made with in db.',
      severity: 'error',
      from: { path: '^src/modules/', pathNot: except('repository', 'sql') },
      to: { path: [inFolders('generated'), 'node_modules/(@types/pg|pg|@prisma|graphile-worker)/'] },
    },
    {
      name: 'only-routes-know-the-framework',
      comment: "A context passes on a logger, whose type is the framework's.",
      severity: 'error',
      from: { pathNot: [except('routes', 'pages'), inFolders('plugins', 'http', 'server'), '^src/app\\.ts$'] },
      to: { path: 'node_modules/(fastify|@fastify)/' },
    },
    {
      name: 'routes-are-entered-last',
      comment: 'Routes call services and repositories, never the other way round.',
      severity: 'error',
      from: { path: '^src/modules/.+/', pathNot: except('routes', 'pages') },
      to: { path: '\\.routes\\.ts$', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'sockets-and-files',
      comment:
        'Clients and threads of a subject open them, and the platform below. The command line reads and writes files, the server listens. Styles and scripts of pages are read as modules are, and errors want the names of statuses.',
      severity: 'error',
      from: {
        path: '^src/(lib|mail|modules|plugins|http)/',
        pathNot: ['-thread\\.ts$', except('client'), '^src/(lib/source-files|plugins/errors)\\.ts$'],
      },
      to: {
        path: '^(net|tls|dns|dns/promises|http|https|fs|fs/promises|child_process)$|node_modules/undici/',
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'whole-texts',
      comment:
        'These libraries read or write a whole text in one piece. The files that use them tell if a long text comes to them on the main thread, or hand in small pieces.',
      severity: 'error',
      from: { pathNot: '^src/mail/(html/(html-tokens|text-from-html)|transfer-encoding|mime-build|seven-bits|message-head)\\.ts$' },
      to: {
        path: 'node_modules/(htmlparser2|html-to-text)/|node_modules/nodemailer/.*/(qp|base64|mail-composer|mime-node)/',
        dependencyTypesNot: ['type-only'],
      },
    },
    { name: 'not-to-tests', severity: 'error', from: { path: '^src/' }, to: { path: '^(test|bench)/' } },
  ],
  options: {
    doNotFollow: { path: ['node_modules', '^src/generated'] },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default', 'types'] },
  },
}
