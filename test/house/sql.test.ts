import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { describe, expect, it } from 'vitest'

const REPOSITORIES = join(import.meta.dirname, '../../src/repositories')
const SRC = join(REPOSITORIES, '..')

/** The files by what keeps them from Prisma, which the first sentence of each file says, and by room. Everything else is said to Prisma. */
const FILES_WITH_SQL: Record<string, Record<string, string>> = {
  'The engine claims, settles and wakes: hot, prepared and set-based statements': {
    '.': 'held-queue jobs open-deliveries scheduled-jobs sending-credentials sweep-clock',
    engine: 'deliveries destination-paces lanes last-events later-states queue-pauses queue-view service-processes waking worker-leases',
    emails: 'accept-emails captured-emails fetched-attachments outgoing-emails',
    automations: 'advances due-runs occurrences starts team-shares told-runs',
    broadcasts: 'due-broadcasts fan-out',
    domains: 'claim-checks domain-checks domain-states sending-domains',
    inbound: 'inbound-messages waiting-messages waiting-received',
    webhooks: 'waiting-messages webhook-contents webhook-deliveries webhook-feed',
  },
  'Many rows change at once': {
    '.': 'idempotent-requests notifications retention row-arrays',
    team: 'last-uses request-logs',
    suppressions: 'new-suppressions removed-suppressions soft-bounces suppressed-addresses',
    emails: 'emails idempotency-keys',
    metrics: 'count-changes recounts',
    contacts: 'contacts forgotten-contacts leftovers merge-contacts opt-outs removed-contacts',
    topics: 'topic-choices topic-refusals',
    broadcasts: 'broadcast-walks',
    inbound: 'kept-contents received-amounts',
    tracking: 'tracked-acts',
    templates: 'template-rows',
    events: 'sent-events',
    automations: 'old-runs runs',
    oauth: 'oauth-records',
    imports: 'contact-imports import-batches numbered-columns refused-opt-outs',
  },
  'Tables are searched, counted or joined in ways that Prisma has no words for': {
    '.': 'bounded-queries database-facts ended-uses health last-backup',
    team: 'attention data-keys log-searches record-searches',
    suppressions: 'suppressed-contacts suppressions',
    emails: 'email-lines email-relations email-search-statements',
    metrics: 'email-counts',
    contacts: 'contact-searches memberships',
    topics: 'contact-topics',
    segments: 'contact-segments filter-lists segment-members segments',
    audience: 'audience changed-comparisons contact-exports contact-timelines',
    broadcasts: 'audience-broadcasts broadcast-recipients broadcast-searches',
    domains: 'sender-mail verified-domains',
    inbound: 'received-emails reported-recipients waiting-contents',
    events: 'events',
    automations: 'run-counts',
    oauth: 'oauth-grants',
    webhooks: 'webhook-events',
  },
  'Rows are locked': {
    '.': 'locks',
    contacts: 'audience-references contact-rows',
    segments: 'orphaned-members',
  },
}

const sourcesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => join(folder, path))
    .sort()

const withoutComments = (source: string): string => source.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*\/\/.*$/gm, '')

/** A text that begins as a statement does. Prisma is asked with `select:`. */
const SQL =
  /(?<!\\)['"`(]\s*(?:select (?:[a-z"$*(]|\d)|insert into |delete from |update [a-z_]+ |with [a-z_]+ as |with recursive |lock table |listen )/

const holdsSql = (path: string): boolean => SQL.test(withoutComments(readFileSync(path, 'utf8')))

/** The first sentence of the comment that a file begins with, in one line. */
function firstSentenceOf(path: string): string {
  const lines = readFileSync(path, 'utf8').split('\n')
  const end = lines.findIndex((line) => !line.startsWith('//'))
  const comment = lines
    .slice(0, end)
    .map((line) => line.slice(2).trim())
    .join(' ')
  return comment.split(/\.(?= |$)/)[0] ?? ''
}

/** `in (select … limit …)`: PostgreSQL may answer it again for each row of the table. As `= any(array(select …))` it is answered once. */
const LIMITED = /\bin \(\s*select (?:[^()`]|\([^()`]*\))*\blimit /

describe('plain SQL', () => {
  const listed = Object.values(FILES_WITH_SQL)
    .flatMap((rooms) => Object.entries(rooms))
    .flatMap(([room, names]) => names.split(' ').map((name) => join(REPOSITORIES, room, `${name}.ts`)))

  it('is in these files of the repositories, and in no others', () => {
    const found = sourcesIn(REPOSITORIES).filter(holdsSql)
    expect(found.map((path) => relative(REPOSITORIES, path))).toEqual(listed.map((path) => relative(REPOSITORIES, path)).sort())
  })

  it.each(listed.map((path) => [relative(REPOSITORIES, path), firstSentenceOf(path)]))(
    'says in the first sentence of %s why',
    (_name, sentence) => {
      expect(sentence).toMatch(/; in SQL\b/)
    },
  )

  it('is nowhere else but where the database itself is made', () => {
    const elsewhere = sourcesIn(SRC)
      .map((path) => relative(SRC, path))
      // Repositories and the database floor prepare their connections alike.
      .filter((path) => !/^(?:(?:repositories|database|generated)\/|lib\/session-settings\.ts$)/.test(path) && holdsSql(join(SRC, path)))
    expect(elsewhere).toEqual([])
  })

  it('asks once for the rows of a limited number that it changes', () => {
    const found = sourcesIn(SRC).filter((path) => LIMITED.test(readFileSync(path, 'utf8')))
    expect(found.map((path) => relative(SRC, path))).toEqual([])
    expect(LIMITED.test('delete from t where id in (\n select id from t where a < now() limit $1)')).toBe(true)
  })

  it('is recognized', () => {
    const texts = ["execute('select 1')", 'const A = `\n  with due as (select id from t)`', '`delete from t`', "'update t set a = 1'"]
    expect(texts.map((text) => SQL.test(text))).toEqual([true, true, true, true])
    const others = ['findMany({ select: { id: true } })', '// `delete from t`', '`\\`before\\` select a page`']
    expect(others.filter((text) => SQL.test(withoutComments(text)))).toEqual([])
  })
})
