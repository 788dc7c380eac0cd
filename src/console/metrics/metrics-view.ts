// What the page of metrics shows, counted for the team of the session.
import type { Context } from '../../context.ts'
import { isId } from '../../lib/ids.ts'
import { ianaZone } from '../../lib/times/calendar-periods.ts'
import { EMAIL_METRICS, type MetricValues, toMetrics } from '../../modules/metrics/email-metrics.ts'
import { type CountedEmails, countBusiestDomains, countEmails } from '../../modules/metrics/metrics.service.ts'
import { type MetricsRequest, metricsSpan, SPAN_DEFAULT, SPAN_KEYS, type SpanKey } from '../../modules/metrics/metrics-request.ts'

export type MetricsView = {
  teamName: string
  /** What was chosen, or stands for what cannot be chosen. */
  span: SpanKey
  zone: string
  domainId: string | null
  /** The newest, and the chosen one. */
  domains: { id: string; name: string }[]
  hasMoreDomains: boolean
  totals: MetricValues
  /** The values of the span before, unless there is nothing to compare with. */
  before: MetricValues | 'not kept' | 'nothing sent'
  periods: { name: string; values: MetricValues }[]
  byDomain: { name: string; values: MetricValues }[]
  /** All other domains as one; null if there are none. */
  otherDomains: MetricValues | null
}

/** How many can be chosen. The page of each domain leads here too. */
const DOMAINS_MAX = 50
/** In the table, those that have sent most. */
const DOMAIN_ROWS_MAX = 50

type Chosen = { span?: string; zone?: string; domain?: string }

export async function readMetricsView(context: Context, teamId: string, chosen: Chosen): Promise<MetricsView> {
  const { repositories, clock } = context
  const span = SPAN_KEYS.find((key) => key === chosen.span) ?? SPAN_DEFAULT
  const zone = ianaZone(chosen.zone ?? '') ?? 'UTC'
  const { rows: newest, hasMore: hasMoreDomains } = await repositories.domains.list(teamId, {
    limit: DOMAINS_MAX,
    after: null,
    before: null,
  })
  const domainId = chosen.domain !== undefined && isId(chosen.domain) ? chosen.domain.toLowerCase() : null
  const older = domainId === null || newest.some(({ id }) => id === domainId) ? null : await repositories.domains.find(teamId, domainId)
  const domains = older === null ? newest : [...newest, older]
  const { granularity, startMs, endMs, before } = metricsSpan(span, zone, clock.now())
  const request: MetricsRequest = {
    ...{ startMs, endMs, zone, granularity, metrics: [...EMAIL_METRICS], dimensions: [] },
    ...{ domainIds: domainId === null ? null : [domainId], emailIds: null, broadcastIds: null },
  }
  const now = await countEmails(context, teamId, { ...request, dimensions: ['period'] })
  const then = await countEmails(context, teamId, { ...request, ...before })
  const { domains: busiest, others } = await countBusiestDomains(context, teamId, { ...request, dimensions: ['domain'] }, DOMAIN_ROWS_MAX)
  return {
    teamName: (await repositories.teams.find(teamId))?.name ?? '',
    span,
    zone,
    domainId,
    domains: domains.map(({ id, name }) => ({ id, name })).sort((a, b) => a.name.localeCompare(b.name)),
    hasMoreDomains,
    totals: toMetrics(now.totals, EMAIL_METRICS),
    before: comparable(then, before.startMs),
    periods: now.rows.map((row) => ({ name: row.period ?? '', values: toMetrics(row.counts, EMAIL_METRICS) })),
    byDomain: busiest.map(({ name, counts }) => ({ name, values: toMetrics(counts, EMAIL_METRICS) })),
    otherDomains: others && toMetrics(others, EMAIL_METRICS),
  }
}

/** If the beginning of a span is no longer kept, its totals would seem smaller than they were. */
function comparable({ startMs, totals }: CountedEmails, wantedMs: number): MetricsView['before'] {
  if (startMs > wantedMs) return 'not kept'
  const values = toMetrics(totals, EMAIL_METRICS)
  return values.sent === 0 ? 'nothing sent' : values
}
