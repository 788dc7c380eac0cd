// What happened to the emails of a team, counted by time, domain, broadcast and email; in SQL, because it groups what it adds up.
import type { Database } from '../../db/database.ts'
import { DAY_MS } from '../../lib/clock.ts'
import { idBound, idTime, LOWEST_ID } from '../../lib/ids.ts'
import { bucketOf, COUNTED_EMAILS_MAX, COUNTERS, type Counter, type Counts, METRIC_ROWS_MAX } from './email-metrics.ts'

export type TeamUsage = { contacts: number; segments: number; broadcasts: number; domains: number; webhooks: number }

type CountOfTeam = (teamId: string) => Promise<number>

/** Counts what modules after this one have. */
export type LaterCounts = {
  countBroadcasts: CountOfTeam
  countWebhooks: CountOfTeam
  runsBegunSince: (teamId: string, since: Date) => Promise<number>
}

export function usageRepository({ tables }: Pick<Database, 'tables'>, { countBroadcasts, countWebhooks, runsBegunSince }: LaterCounts) {
  return {
    /** Reads an entry of an index for each contact. */
    contacts: (teamId: string): Promise<number> => tables.contact.count({ where: { teamId } }),

    runsSince: runsBegunSince,

    async count(teamId: string): Promise<Omit<TeamUsage, 'contacts'>> {
      const where = { teamId }
      const counting = [
        tables.segment.count({ where }),
        countBroadcasts(teamId),
        tables.domain.count({ where }),
        countWebhooks(teamId),
      ] as const
      const [segments, broadcasts, domains, webhooks] = await Promise.all(counting)
      return { segments, broadcasts, domains, webhooks }
    },
  }
}

type Time = { fromMs: number; toMs: number }

export type CountQuery = Time & {
  counters: Counter[]
  /** The beginnings of periods to tell apart, in order; null if they are not told apart. */
  periodStarts: Date[] | null
  isByDomain: boolean
  isByBroadcast: boolean
  isByEmail: boolean
  /** Only these; null for all. */
  domains: string[] | null
  broadcastIds: string[] | null
  emailIds: string[] | null
  /** Only so many rows: those that have sent most, that one first. The counter `sent` is needed for it. Null for all rows, in their order. */
  busiestMax: number | null
}

export type CountRow = {
  /** The place of its period, from 0. Null if periods are not told apart, and so are the others. */
  period: number | null
  domain: string | null
  broadcastId: string | null
  emailId: string | null
  counts: Counts
}

export type NamedDomain = { id: string; name: string }

type Row = { period: number; domain: string; broadcastId: string; emailId: string } & Record<Counter, number>

export function emailCountRepository({ tables, execute }: Pick<Database, 'tables' | 'execute'>) {
  /** At most one row more than an answer may have. What is not added up yet is included, so an answer is never late. */
  async function list(teamId: string, query: CountQuery): Promise<CountRow[]> {
    const { text, values } = query.isByEmail || query.emailIds ? eventsOfEmails(teamId, query) : countsOfTeam(teamId, query)
    const rows = await execute<Row>(text, values)
    return rows.map((row) => ({
      period: query.periodStarts && row.period - 1,
      domain: query.isByDomain ? row.domain : null,
      broadcastId: query.isByBroadcast ? row.broadcastId : null,
      emailId: query.isByEmail ? row.emailId : null,
      counts: Object.fromEntries(query.counters.map((counter) => [counter, row[counter]])),
    }))
  }

  return {
    list,

    /** Recipients to whom delivery was begun since then. */
    async sentSince(teamId: string, since: Date, now: Date): Promise<number> {
      const [row] = await list(teamId, { ...EVERYTHING, fromMs: since.getTime(), toMs: now.getTime() + 1, counters: ['sent'] })
      return row?.counts.sent ?? 0
    },

    /** Recipients without addresses of the simulator. */
    async sentToPeopleSince(teamId: string, since: Date, now: Date): Promise<number> {
      const counters: Counter[] = ['sent', 'sent_simulated']
      const [row] = await list(teamId, { ...EVERYTHING, fromMs: since.getTime(), toMs: now.getTime() + 1, counters })
      return (row?.counts.sent ?? 0) - (row?.counts.sent_simulated ?? 0)
    },

    /** What happened to the emails of a broadcast, up to now. */
    async ofBroadcast(teamId: string, broadcastId: string, now: Date): Promise<Counts> {
      const query = { ...EVERYTHING, fromMs: 0, toMs: now.getTime() + DAY_MS, counters: [...COUNTERS], broadcastIds: [broadcastId] }
      const [row] = await list(teamId, query)
      return row?.counts ?? {}
    },

    /** Whether more emails were accepted within the time than are counted one by one. */
    async hasTooManyEmails(teamId: string, time: Time): Promise<boolean> {
      const rows = await tables.email.findMany({
        where: { teamId, id: { gte: idBound(bucketOf(time.fromMs)), lt: idBound(time.toMs) } },
        select: { id: true },
        orderBy: { id: 'desc' },
        take: COUNTED_EMAILS_MAX + 1,
      })
      return rows.length > COUNTED_EMAILS_MAX
    },

    domainsNamed: (teamId: string, names: string[]): Promise<NamedDomain[]> =>
      tables.domain.findMany({ where: { teamId, name: { in: names } }, select: { id: true, name: true } }),

    domainsWithIds: (teamId: string, ids: string[]): Promise<NamedDomain[]> =>
      tables.domain.findMany({ where: { teamId, id: { in: ids } }, select: { id: true, name: true } }),
  }
}

const EVERYTHING = {
  periodStarts: null,
  isByDomain: false,
  isByBroadcast: false,
  isByEmail: false,
  domains: null,
  broadcastIds: null,
  emailIds: null,
  busiestMax: null,
}

type Query = { text: string; values: unknown[] }

function countsOfTeam(teamId: string, query: CountQuery): Query {
  const { values, add } = parameters()
  const filters = [
    `team_id = ${add(teamId, 'uuid')}`,
    `bucket >= ${add(new Date(bucketOf(query.fromMs)), 'timestamptz')} and bucket < ${add(new Date(query.toMs), 'timestamptz')}`,
    ...(query.domains ? [`domain = any(${add(query.domains, 'text[]')})`] : []),
    ...(query.broadcastIds ? [`broadcast_id = any(${add(query.broadcastIds, 'uuid[]')})`] : []),
    // The index of broadcasts has only those.
    ...(query.broadcastIds ? [`broadcast_id <> '${LOWEST_ID}'`] : []),
  ].join(' and ')
  const keys = keysOf(query, add)
  // The counts are added up on their own first: to append the changes to each of them would take a quarter longer.
  // The changes of all teams are read, because workers add them up within a second or two. An index by team would cost something for every event, when
  // it is written and when it is cleaned, and would be of use only while no worker runs and the changes pile up.
  const groups = keys.length > 0 ? ` group by ${placesOf(keys)}` : ''
  const text = `
with counted as (
  select ${[...keys, ...query.counters.map((name) => `sum(${name}) as ${name}`)].join(', ')} from email_counts where ${filters}${groups}
  union all
  select ${[...keys, ...spread(query.counters)].join(', ')} from email_count_changes where ${filters}
)
${grouped(query, keys)}`
  return { text, values }
}

/** Counts named emails, or all that were accepted within the time. */
function eventsOfEmails(teamId: string, query: CountQuery): Query {
  const { values, add } = parameters()
  const team = add(teamId, 'uuid')
  const keys = keysOf(query, add)
  const within = `>= ${add(new Date(bucketOf(query.fromMs)), 'timestamptz')} and bucket < ${add(new Date(query.toMs), 'timestamptz')}`
  const chosen = query.emailIds
    ? `id = any(${add(query.emailIds, 'uuid[]')})`
    : `id >= ${add(idBound(bucketOf(query.fromMs)), 'uuid')} and id < ${add(idBound(query.toMs), 'uuid')}`
  // Only some of the days of events are read. An email comes before its events, whose ids may be a little older than what they say.
  const firstMs = query.emailIds ? Math.min(...query.emailIds.map((id) => idTime(id).getTime())) : bucketOf(query.fromMs)
  const firstId = idBound(Math.max(0, firstMs - DAY_MS))
  const lastId = idBound(query.toMs + DAY_MS)
  const ofDomains = query.domains ? ` and from_domain = any(${add(query.domains, 'text[]')})` : ''
  const text = `
with chosen as (
  select id, created_at as accepted_at, from_domain as domain from emails
  where team_id = ${team} and ${chosen}${ofDomains} order by id desc limit ${COUNTED_EMAILS_MAX}
), happened as (
  select id as email_id, domain, accepted_at as bucket, 'received' as metric, 1 as count from chosen
  union all
  select e.id, domain, n.created_at, metric, 1 from chosen e
    join notifications n on n.subject_id = e.id and n.team_id = ${team} and n.id >= ${add(firstId, 'uuid')} and n.id < ${add(lastId, 'uuid')}, unnest(email_count_metrics(n.type, n.data)) as metric
), counted as (
  select ${[...keys, ...spread(query.counters)].join(', ')} from happened where bucket ${within}
)
${grouped(query, keys)}`
  return { text, values }
}

/** One column for each counter, from rows that name theirs. */
const spread = (counters: Counter[]): string[] => counters.map((name) => `case metric when '${name}' then count else 0 end as ${name}`)

/** What rows are told apart by. */
function keysOf({ periodStarts, isByDomain, isByBroadcast, isByEmail }: CountQuery, add: Parameters['add']): string[] {
  return [
    ...(periodStarts ? [`width_bucket(bucket, ${add(periodStarts, 'timestamptz[]')}) as period`] : []),
    ...(isByDomain ? ['domain'] : []),
    ...(isByBroadcast ? ['broadcast_id as "broadcastId"'] : []),
    ...(isByEmail ? ['email_id as "emailId"'] : []),
  ]
}

const placesOf = (keys: string[]): string => keys.map((_key, index) => index + 1).join(', ')

function grouped({ counters, busiestMax }: CountQuery, keys: string[]): string {
  const names = keys.map((key) => key.slice(key.lastIndexOf(' ') + 1))
  const sums = counters.map((name) => `coalesce(sum(${name}), 0)::float8 as ${name}`)
  const places = placesOf(keys)
  const groups =
    keys.length > 0
      ? ` group by ${places} order by ${busiestMax === null ? places : `sent desc, ${places}`} limit ${busiestMax ?? METRIC_ROWS_MAX + 1}`
      : ''
  return `select ${[...names, ...sums].join(', ')} from counted${groups}`
}

type Parameters = { values: unknown[]; add: (value: unknown, type: string) => string }

function parameters(): Parameters {
  const values: unknown[] = []
  return { values, add: (value, type) => `$${values.push(value)}::${type}` }
}
