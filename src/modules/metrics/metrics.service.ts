// Counts what happened to the emails of a team, as a client or a page asks for it.

import type { PlatformContext } from '../../http/platform.context.ts'
import { DAY_MS } from '../../lib/clock.ts'
import { invalid } from '../../lib/failure.ts'
import { LOWEST_ID } from '../../lib/ids.ts'
import { calendarPeriods, type Period } from '../../lib/times/calendar-periods.ts'
import { addCounts, BUCKET_MS, bucketOf, COUNTED_EMAILS_MAX, type Counts, METRIC_ROWS_MAX, neededCounters } from './email-metrics.ts'
import type { MetricsContext } from './metrics.context.ts'
import type { CountQuery, CountRow } from './metrics.repository.ts'
import { COUNTS_KEPT_DAYS } from './metrics.schema.ts'
import type { MetricsRequest } from './metrics-request.ts'

type Context = PlatformContext & MetricsContext

export type CountedEmails = {
  /** What was counted, in whole quarters of an hour. It begins later than in the request if nothing older is kept. */
  startMs: number
  endMs: number
  totals: Counts
  /** One for each combination of the dimensions. Periods without events are included if nothing else is told apart. */
  rows: CountedRow[]
}

export type CountedRow = {
  period: string | null
  domain: { id: string | null; name: string } | null
  emailId: string | null
  broadcast: { id: string; name: string | null } | null
  counts: Counts
}

type Dependencies = Pick<Context, 'repositories' | 'clock' | 'config' | 'broadcastNames'>

/** @throws Failure `validation` if the answer would be too long. */
export async function countEmails(context: Dependencies, teamId: string, request: MetricsRequest): Promise<CountedEmails> {
  const { emailCounts } = context.repositories
  const { zone, granularity, dimensions, emailIds } = request
  const range = countedRange(context, request)
  if (range === null) return { startMs: request.endMs, endMs: request.endMs, totals: NOTHING, rows: [] }
  const { startMs, endMs } = range
  const periods = dimensions.includes('period') ? calendarPeriods({ fromMs: startMs, toMs: endMs, zone, granularity }) : null
  const query = await toCountQuery(context, { teamId, range, periods }, request)
  const isOfAllEmails = query.isByEmail && emailIds === null
  if (isOfAllEmails && (await emailCounts.hasTooManyEmails(teamId, query))) throw tooManyEmails()
  const found = await emailCounts.list(teamId, query)
  if (found.length > METRIC_ROWS_MAX) throw tooManyRows()
  const counted = isOfAllEmails ? await emailCounts.list(teamId, { ...query, ...TOTALS }) : found
  return {
    startMs,
    endMs,
    totals: addCounts(counted.map(({ counts }) => counts)),
    rows: dimensions.length === 0 ? [] : await named(context, { teamId, periods, isFilled: dimensions.length === 1 }, found),
  }
}

const NOTHING = addCounts([{}])

/** Also what happened to emails that were accepted before. */
const TOTALS = { periodStarts: null, isByDomain: false, isByEmail: false }

type Range = { startMs: number; endMs: number }

/** Null if nothing of it is kept. */
function countedRange(context: Dependencies, request: MetricsRequest): Range | null {
  const keptMs = Math.max(request.startMs, keptSince(context, request))
  if (keptMs >= request.endMs) return null
  const endMs = isFromEvents(request) ? request.endMs : endOfBucket(request.endMs, context.clock.now().getTime())
  return { startMs: bucketOf(keptMs), endMs }
}

type Scope = { teamId: string; range: Range; periods: Period[] | null }

async function toCountQuery(
  { repositories: { emailCounts } }: Dependencies,
  { teamId, range, periods }: Scope,
  { metrics, dimensions, domainIds, broadcastIds, emailIds }: MetricsRequest,
): Promise<CountQuery> {
  return {
    fromMs: range.startMs,
    toMs: range.endMs,
    counters: neededCounters(metrics),
    periodStarts: periods?.map((period) => new Date(period.startMs)) ?? null,
    isByDomain: dimensions.includes('domain'),
    isByBroadcast: dimensions.includes('broadcast'),
    isByEmail: dimensions.includes('email'),
    domains: domainIds && (await emailCounts.domainsWithIds(teamId, domainIds)).map(({ name }) => name),
    broadcastIds,
    emailIds,
    busiestMax: null,
  }
}

/** Emails are counted from their events, everything else from counts. Those of broadcasts are kept for good. */
function keptSince({ clock, config }: Dependencies, request: MetricsRequest): number {
  if (request.broadcastIds) return 0
  return clock.now().getTime() - (isFromEvents(request) ? config.logRetentionDays : COUNTS_KEPT_DAYS) * DAY_MS
}

const isFromEvents = ({ dimensions, emailIds }: MetricsRequest): boolean => dimensions.includes('email') || emailIds !== null

/** A quarter of an hour that has begun is counted as far as it goes. */
const endOfBucket = (ms: number, nowMs: number): number => Math.max(ms, Math.min(bucketOf(ms + BUCKET_MS - 1), nowMs))

type Naming = { teamId: string; periods: Period[] | null; isFilled: boolean }

async function named(
  { repositories, broadcastNames: namesOf }: Dependencies,
  { teamId, periods, isFilled }: Naming,
  found: CountRow[],
): Promise<CountedRow[]> {
  const names = [...new Set(found.flatMap(({ domain }) => domain ?? []))]
  const broadcastNames = await namesOf(teamId, [...new Set(found.flatMap(({ broadcastId }) => broadcastId ?? []))])
  const ids = new Map((await repositories.emailCounts.domainsNamed(teamId, names)).map(({ id, name }) => [name, id]))
  const rows = found
    .filter(({ broadcastId }) => broadcastId !== LOWEST_ID)
    .map(({ period, domain, emailId, broadcastId, counts }) => ({
      period: period === null ? null : (periods?.[period]?.name ?? null),
      domain: domain === null ? null : { id: ids.get(domain) ?? null, name: domain },
      emailId,
      broadcast: broadcastId === null ? null : { id: broadcastId, name: broadcastNames.get(broadcastId) ?? null },
      counts,
    }))
  return periods && isFilled ? filled(periods, rows) : rows
}

function filled(periods: Period[], rows: CountedRow[]): CountedRow[] {
  const known = new Map(rows.map((row) => [row.period, row]))
  return periods.map(({ name }) => known.get(name) ?? { period: name, domain: null, emailId: null, broadcast: null, counts: {} })
}

const tooManyEmails = () =>
  invalid(
    `More than ${COUNTED_EMAILS_MAX.toLocaleString('en')} emails were accepted in this range. Name some with \`email_id\`, or give a shorter range.`,
  )

const tooManyRows = () =>
  invalid(
    `The response would have more than ${METRIC_ROWS_MAX.toLocaleString('en')} rows. Give a shorter range, fewer \`dimensions\`, or a filter.`,
  )
