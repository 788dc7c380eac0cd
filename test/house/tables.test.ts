// A table belongs to the module that its file in prisma/models is named after. Its statements write that table; modules after it may read it.
import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, join } from 'node:path'
import { describe, expect, it } from 'vitest'

const ROOT = join(import.meta.dirname, '../..')
const MODELS = join(ROOT, 'prisma/models')
const { allowed } = createRequire(import.meta.url)(join(ROOT, '.dependency-cruiser.cjs')) as { allowed: { from: { path?: string } }[] }

/** What owns tables, and what names them, in the one order of the house: `db`, the modules, then what joins them. */
const ORDER = allowed.flatMap(({ from: { path } }) => {
  const [, platform, module] =
    path === undefined ? [] : (/^\^src\/(?:(db|console|server|cli)|modules\/(\w+))\b/.exec(path.replace('(', '')) ?? [])
  return platform ?? module ?? []
})

const SCHEMAS = readdirSync(MODELS).map((file) => ({ owner: basename(file, '.prisma'), text: readFileSync(join(MODELS, file), 'utf8') }))
const FOUND = SCHEMAS.flatMap(({ owner, text }) =>
  [...text.matchAll(/^model (\w+) \{[\s\S]*?@@map\("(\w+)"\)/gm)].map(([, model = '', table = '']) => ({ owner, model, table })),
)
const OWNERS = new Map(FOUND.map(({ table, owner }) => [table, owner]))
const TABLES_OF_RECORDS = new Map(FOUND.map(({ model, table }) => [model.charAt(0).toLowerCase() + model.slice(1), table]))

type Named = { table: string; writes: boolean }

const withoutComments = (source: string): string => source.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '$1')

const NAME = '(?:only )?([a-z_]+)'
const WRITTEN = new RegExp(String.raw`\b(?:insert into|update|delete from|merge into|lock table) ${NAME}\b`, 'g')
const READ = new RegExp(String.raw`\b(?:from|join|using) ${NAME}\b`, 'g')
/** The later ones of a list after `from` or `using`. */
const LISTED = /\b(?:from|using) [a-z_]+(?: [a-z]+)?((?:, [a-z_]+(?: [a-z]+)?)+)/g
const RECORDS = /\btables\.(\w+)\.(\w+)\(/g
const LOCKED = /\block\w*\([^;]{0,80}?'([a-z_]+)'/g

/** The tables that the statements of a source name. */
function namedIn(source: string): Named[] {
  const text = withoutComments(source).replace(/\s+/g, ' ')
  const names = (pattern: RegExp): string[] => [...text.matchAll(pattern)].map(([, name = '']) => name)
  const found = [
    ...names(WRITTEN).map((table) => ({ table, writes: true })),
    ...names(READ).map((table) => ({ table, writes: false })),
    ...names(LISTED).flatMap((list) => list.split(',').map((each) => ({ table: each.trim().split(' ')[0] ?? '', writes: false }))),
    ...names(LOCKED).map((table) => ({ table, writes: false })),
    ...[...text.matchAll(RECORDS)].map(([, record = '', act = '']) => ({
      table: TABLES_OF_RECORDS.get(record) ?? record,
      writes: /^(?:create|update|upsert|delete)/.test(act),
    })),
  ]
  return found.filter(({ table }) => OWNERS.has(table))
}

const sources = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((path) => /^(?:db|modules|console|server|cli)\/.*\.ts$/.test(path))
  .sort()
  .map((path) => ({
    path,
    of: path.split('/')[path.startsWith('modules/') ? 1 : 0] ?? '',
    text: readFileSync(join(ROOT, 'src', path), 'utf8'),
  }))

const place = (name: string): number => ORDER.indexOf(name)

/** `db` keeps what all modules write: the outbox, the queue of jobs, leases. */
function isAgainst({ table, writes }: Named, of: string): boolean {
  const owner = OWNERS.get(table) ?? ''
  return owner !== of && owner !== 'db' && (writes || place(owner) > place(of))
}

function pairsOf({ path, of, text }: { path: string; of: string; text: string }): string[] {
  const against = namedIn(text).filter((named) => isAgainst(named, of))
  const written = new Set(against.flatMap(({ table, writes }) => (writes ? [table] : [])))
  return [...new Set(against.map(({ table }) => table))].map((table) => `${path} ${written.has(table) ? 'writes' : 'reads'} ${table}`)
}

/** Statements on the tables of another module that stay, below the reason for each. */
const STAYING: Record<string, string[]> = {
  'The platform locks rows for all modules, in one order.': [
    'db/transactions.ts writes teams',
    ...['domains', 'oauth_grants', 'oauth_records', 'templates'].map((table) => `db/transactions.ts reads ${table}`),
  ],
  'A backup holds the queue, and a restored database is another one: what migrates and loads it knows these tables.': [
    'db/held.ts reads queue_pauses',
    'db/migrations/lock-waits.ts writes queue_pauses',
    'db/backup/load-database.ts writes automation_waits',
  ],
  'Whether a team has a filter is asked before each bounded query.': ['db/bounded-queries.ts reads segments'],
  'Delivery claims, begins and settles what emails have queued, in one statement for many.': [
    ...['attempts', 'deliveries', 'emails', 'recipients'].map((table) => `modules/delivery/queue/deliveries.repository.ts writes ${table}`),
    'modules/delivery/queue/lanes.repository.ts writes deliveries',
  ],
  'The statement that begins deliveries asks whether their broadcast is paused: a second one would cost each of them a wait.': [
    'modules/delivery/queue/deliveries.repository.ts reads broadcasts',
  ],
  'A broadcast makes thousands of emails in one statement, with all that belongs to them.': [
    'deliveries',
    'email_count_changes',
    'emails',
    'recipients',
  ].map((table) => `modules/broadcasts/fan-out.repository.ts writes ${table}`),
  'Events queue what happened, and automations take it from there.': ['occurrences', 'notified-runs']
    .map((file) => `modules/automations/pending-events/${file}.repository.ts writes automation_occurrences`)
    .concat('modules/automations/runs/runs.repository.ts writes automation_occurrences'),
  'The statement that stores events queues them only for teams that have automations.': [
    'modules/events/sent-events.repository.ts reads automations',
  ],
  'Emails write down what changes the counts, and metrics take it away as they add it up, in one statement.': [
    'modules/metrics/count-changes.repository.ts writes email_count_changes',
  ],
  'Accepting emails notes what they use of a quota in the same statement, which fails if that was called in.': [
    'modules/emails/accept-emails.repository.ts writes quota_uses',
  ],
  'Inbound queues what was received, and bounces settle the reports among it.': [
    'modules/bounces/pending-reports.repository.ts writes inbound_messages',
  ],
  'The statements that give out due emails and broadcasts ask whether the credential still holds, of a key or a grant.': [
    'modules/accounts/access.sql.ts reads oauth_grants',
  ],
  'A claim of a domain looks at what its holder sends from it.': ['modules/domains/sender.repository.ts reads emails'],
}

const found = sources.flatMap(pairsOf).sort()
const staying = Object.values(STAYING).flat().sort()

describe('a table', () => {
  it('has its model in the file of the module that it belongs to', () => {
    const unknown = SCHEMAS.filter(({ owner }) => place(owner) === -1)
    expect(
      unknown.map(
        ({ owner }) => `prisma/models/${owner}.prisma is named after no module: a table is in the file of its module, or in db.prisma`,
      ),
    ).toEqual([])
    expect(FOUND.length).toBe(SCHEMAS.reduce((sum, { text }) => sum + (text.match(/^model /gm)?.length ?? 0), 0))
  })

  it('is written by its module, and read by it and by those after it', () => {
    const foreign = found.filter((pair) => !staying.includes(pair))
    expect(
      foreign.map(
        (pair) =>
          `src/${pair}, which is of ${OWNERS.get(pair.split(' ').at(-1) ?? '')}: put the statement into that module and call it, or hand it in (src/db/record-uses.ts does)`,
      ),
    ).toEqual([])
  })

  it('is named from elsewhere only where the list says so', () => {
    expect(staying.filter((pair) => !found.includes(pair))).toEqual([])
  })

  it.each([
    [
      'delete from emails where id = 1',
      [
        { table: 'emails', writes: true },
        { table: 'emails', writes: false },
      ],
    ],
    [
      'select from emails e, recipients r join contacts on true',
      ['emails', 'contacts', 'recipients'].map((table) => ({ table, writes: false })),
    ],
    ['update deliveries d set a = 1', [{ table: 'deliveries', writes: true }]],
    [
      'tables.apiKey.findMany({}); tables.team.deleteMany({})',
      [
        { table: 'api_keys', writes: false },
        { table: 'teams', writes: true },
      ],
    ],
    ["lockRow(execute, 'segments', { id })", [{ table: 'segments', writes: false }]],
    ['// update emails\n/* from contacts */ for update of d', []],
  ])('is found in %s', (source, named) => {
    expect(namedIn(source)).toEqual(named)
  })
})
