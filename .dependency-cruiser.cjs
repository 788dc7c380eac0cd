// The floors of the house (ARCHITECTURE.md): who may import whom. An edge that is not listed here is a violation.

const TYPES = { dependencyTypes: ['type-only'] }
const floor = (...names) => `^src/(${names.join('|')})/`
const file = (...names) => `^src/(${names.join('|')})\\.ts$`

/** The entry and what constructs things: they see every floor below. */
const TOP = file('main', 'start', 'introduction', 'compose', 'open-database', 'process-log', 'openapi-files', 'app')

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
      to: { path: [file('compose', 'open-database', 'process-log', 'config'), '^src/repositories/repositories\\.ts$'] },
    },

    { from: { path: file('config') }, to: { path: floor('lib', 'mail') } },
    { from: { path: file('context') }, to: { path: [floor('repositories', 'gateways', 'mail', 'lib'), file('config')], ...TYPES } },

    { from: { path: floor('plugins', 'routes', 'workers') }, to: { path: floor('services', 'serializers', 'schemas', 'mail', 'lib') } },
    // What they do with repositories and gateways goes through the context; only the shape of what these hand out has a name of its own.
    { from: { path: floor('plugins', 'routes', 'workers') }, to: { path: [file('context', 'config'), floor('repositories')], ...TYPES } },
    { from: { path: floor('workers') }, to: { path: floor('gateways'), ...TYPES } },
    // The declaration form and the examples belong to all routes. Plugins read the form: the document and the access check come from it.
    { from: { path: floor('plugins', 'routes') }, to: { path: '^src/routes/operation\\.ts$' } },
    { from: { path: floor('routes') }, to: { path: '^src/routes/examples\\.ts$' } },
    { from: { path: '^src/routes/public/shares\\.ts$' }, to: { path: '^src/routes/public/share(d-pages|-page)\\.ts$' } },
    // The page of a person is several files, and one for each language.
    { from: { path: '^src/routes/public/unsubscribe' }, to: { path: '^src/routes/public/unsubscribe' } },
    // Pages share their frame, with its style and its script.
    {
      from: { path: '^src/routes/public/(home|inbox|session|not-found)[a-z-]*\\.ts$' },
      to: { path: '^src/routes/public/page-shell\\.ts$' },
    },
    { from: { path: '^src/routes/public/page-shell\\.ts$' }, to: { path: '^src/routes/public/page-(style|script)\\.ts$' } },
    { from: { path: '^src/routes/public/home\\.ts$' }, to: { path: '^src/routes/public/home-page\\.ts$' } },
    // An email is shown in one way wherever it is shown.
    {
      from: { path: '^src/routes/public/(share|inbox)[a-z-]*\\.ts$' },
      to: { path: '^src/routes/public/(email-frame|email-frame-script|inline-images)\\.ts$' },
    },
    { from: { path: '^src/routes/public/email-frame\\.ts$' }, to: { path: '^src/routes/public/email-frame-script\\.ts$' } },
    // The inbox is several pages.
    { from: { path: '^src/routes/public/(inbox|session)[a-z-]*\\.ts$' }, to: { path: '^src/routes/public/(inbox|session)[a-z-]*\\.ts$' } },
    // How a form is cut into its parts, and how one that is refused ends, are long enough for files of their own.
    { from: { path: '^src/plugins/uploads\\.ts$' }, to: { path: '^src/plugins/(multipart-form|unread-body)\\.ts$' } },
    // Files of the docs that do not exist end as any other address that does not.
    { from: { path: '^src/plugins/docs\\.ts$' }, to: { path: '^src/plugins/(errors|docs-[a-z]+)\\.ts$' } },
    // The document says what the other plugins answer.
    { from: { path: '^src/plugins/openapi[a-z-]*\\.ts$' }, to: { path: '^src/plugins/(errors|idempotency|openapi-[a-z]+)\\.ts$' } },
    // A kind of background work is several files: the loop, its steps, what they settle.
    { from: { path: floor('workers') }, to: { path: floor('workers') } },

    { from: { path: floor('services') }, to: { path: floor('serializers', 'schemas', 'mail', 'lib') } },
    { from: { path: floor('services') }, to: { path: [file('context'), floor('repositories')], ...TYPES } },

    { from: { path: floor('serializers') }, to: { path: floor('repositories'), ...TYPES } },
    // A record can be a part of another one: a serializer uses that of its parts.
    { from: { path: floor('serializers') }, to: { path: floor('serializers', 'schemas', 'lib') } },

    { from: { path: floor('repositories') }, to: { path: floor('generated', 'lib') } },
    { from: { path: floor('repositories') }, to: { path: floor('schemas'), ...TYPES } },
    // The states of a recipient and their order are written once, and statements are made of them.
    { from: { path: floor('repositories') }, to: { path: '^src/mail/email-states\\.ts$' } },
    { from: { path: '^src/repositories/inbox-lines\\.ts$' }, to: { path: '^src/mail/outcome-summary\\.ts$', ...TYPES } },
    // What the task of a job is called: who enqueues it and who runs it must agree.
    { from: { path: floor('repositories') }, to: { path: '^src/schemas/jobs\\.ts$' } },
    { from: { path: floor('repositories') }, to: { path: '^src/repositories/(database|page|notifications|jobs|deliveries)\\.ts$' } },
    // What contacts, imports and the page of a contact do in their transactions is written once.
    {
      from: { path: floor('repositories') },
      to: {
        path: '^src/repositories/(contacts|contact-rows|change-contact|contact-notifications|contact-segments|contact-topics|topic-choices|merge-contacts|opt-outs|deadlocks|audience-references|segment-members|segment-filters|filter-queries)\\.ts$',
      },
    },
    // What a team can have only so many of is counted while the team is held.
    {
      from: { path: '^src/repositories/(topics|contact-properties|contact-imports|segments)\\.ts$' },
      to: { path: '^src/repositories/teams\\.ts$' },
    },
    // What the SQL of a filter is made of.
    {
      from: { path: '^src/repositories/(segment-filters|filter-(texts|numbers|pairs))\\.ts$' },
      to: { path: '^src/repositories/filter-(texts|numbers|pairs|lists)\\.ts$' },
    },
    // An import is a record, and the batches that carry it out.
    {
      from: { path: '^src/repositories/import-(batches|references)\\.ts$' },
      to: { path: '^src/repositories/(contact-imports|import-references|refused-opt-outs|topic-choices)\\.ts$' },
    },
    { from: { path: '^src/repositories/contact-imports\\.ts$' }, to: { path: '^src/repositories/numbered-columns\\.ts$' } },
    { from: { path: '^src/repositories/repositories\\.ts$' }, to: { path: floor('repositories') } },
    // Accepting is the insert of the resource emails, too long for the same file; fetched attachments insert the deliveries that accepting held back.
    { from: { path: '^src/repositories/emails\\.ts$' }, to: { path: '^src/repositories/accept-emails\\.ts$' } },
    { from: { path: '^src/repositories/fetched-attachments\\.ts$' }, to: { path: '^src/repositories/accept-emails\\.ts$', ...TYPES } },

    { from: { path: '^src/(gateways|database)/' }, to: { path: '^src/$1/' } },
    { from: { path: floor('gateways', 'database') }, to: { path: floor('schemas', 'mail', 'lib') } },
    { from: { path: floor('gateways', 'database') }, to: { path: file('config'), ...TYPES } },

    { from: { path: '^src/(schemas|mail|lib|generated)/' }, to: { path: '^src/$1/' } },
    { from: { path: floor('mail') }, to: { path: floor('schemas') } },
    { from: { path: floor('schemas', 'mail') }, to: { path: floor('lib') } },
  ],
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: { pathNot: floor('generated') }, to: { circular: true } },
    {
      name: 'unresolved',
      comment: 'An import that leads nowhere would be an edge that nobody judges.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
    {
      name: 'top-is-not-imported',
      comment: 'What constructs the service is imported by what starts it only.',
      severity: 'error',
      from: { pathNot: [file('main', 'start', 'introduction', 'compose', 'open-database', 'openapi-files'), COMMANDS_DATABASE] },
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
      from: { pathNot: [floor('repositories', 'database', 'generated'), '^src/workers/(worker|jobs)\\.ts$'] },
      to: { path: 'node_modules/(@types/pg|pg|@prisma|graphile-worker)/' },
    },
    {
      name: 'http-framework',
      comment: "Below routes nobody knows HTTP. The context passes on a logger, whose type is the framework's.",
      severity: 'error',
      from: { pathNot: ['^src/app\\.ts$', '^src/(compose|context)\\.ts$', floor('plugins', 'routes')] },
      to: { path: 'node_modules/(fastify|@fastify)/' },
    },
    {
      name: 'sockets-and-files',
      comment:
        'Gateways and the database floor alone open them. `start` looks for a free port, the command `openapi` writes its files, and errors want the names of statuses.',
      severity: 'error',
      from: { pathNot: [floor('gateways', 'database', 'generated'), file('start', 'openapi-files'), '^src/plugins/errors\\.ts$'] },
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
