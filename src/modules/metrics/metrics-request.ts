// Reads which metrics a client asks for.

import { LIST_VALUES_MAX, readChoices, splitList, timeOfParameter } from '../../http/list-filters.ts'
import { DAY_MS } from '../../lib/clock.ts'
import { type Failure, invalid } from '../../lib/failure.ts'
import { isId } from '../../lib/ids.ts'
import { quotedValue } from '../../lib/problem.ts'
import { type Granularity, ianaZone, periodCount } from '../../lib/times/calendar-periods.ts'
import { EMAIL_METRICS, type EmailMetric } from './email-metrics.ts'
import { DIMENSIONS, type Dimension, type EmailMetricsQuery, PERIODS_MAX, RANGE_DAYS_DEFAULT } from './metrics.schema.ts'

export type MetricsRequest = {
  startMs: number
  /** Not a part of the range. */
  endMs: number
  zone: string
  granularity: Granularity
  metrics: EmailMetric[]
  dimensions: Dimension[]
  /** Null for all. */
  domainIds: string[] | null
  emailIds: string[] | null
  broadcastIds: string[] | null
}

/** @throws Failure `validation` about the first parameter that is wrong. */
export function readMetricsRequest(query: EmailMetricsQuery, now: Date): MetricsRequest {
  const zone = readTimeZone(query.timezone)
  const endMs =
    query.end_date === undefined ? now.getTime() : Math.min(timeOfParameter('end_date', query.end_date, zone).getTime(), now.getTime())
  const startMs =
    query.start_date === undefined ? endMs - RANGE_DAYS_DEFAULT * DAY_MS : timeOfParameter('start_date', query.start_date, zone).getTime()
  if (startMs > endMs)
    throw invalid('The `start_date` parameter must be on or before `end_date`, which is now unless an earlier time is given.')
  const metrics = readChoices('metrics', query.metrics, EMAIL_METRICS)
  const request = {
    startMs,
    endMs,
    zone,
    granularity: query.granularity ?? 'daily',
    metrics: metrics.length > 0 ? metrics : [...EMAIL_METRICS],
    dimensions: readChoices('dimensions', query.dimensions, DIMENSIONS),
    domainIds: readIds('domain_id', query.domain_id),
    emailIds: readIds('email_id', query.email_id),
    broadcastIds: readIds('broadcast_id', query.broadcast_id),
  }
  refuseTogether(request)
  if (request.dimensions.includes('period')) refuseTooManyPeriods(request)
  return request
}

function readTimeZone(name: string | undefined): string {
  if (name === undefined) return 'UTC'
  const zone = ianaZone(name)
  if (zone === null)
    throw invalid(
      `The \`timezone\` parameter must be a name of the IANA time zone database, such as \`Europe/Berlin\`.${quotedValue(name)}`,
    )
  return zone
}

function readIds(name: string, given: string[] | undefined): string[] | null {
  const ids = splitList(given).map((text) => text.toLowerCase())
  const wrong = ids.find((id) => !isId(id))
  if (wrong !== undefined) throw invalid(`The \`${name}\` parameter must hold only ids, which are UUIDs.${quotedValue(wrong)}`)
  if (ids.length > LIST_VALUES_MAX) throw invalid(`The \`${name}\` parameter must hold at most ${LIST_VALUES_MAX} ids.`)
  return ids.length > 0 ? ids : null
}

function refuseTogether({ dimensions, emailIds, broadcastIds }: MetricsRequest): void {
  const isByEmail = dimensions.includes('email') || emailIds !== null
  const isByBroadcast = dimensions.includes('broadcast') || broadcastIds !== null
  if (isByEmail && isByBroadcast)
    throw invalid(
      'Emails and broadcasts cannot be combined: give either `email` or `broadcast` in `dimensions`, and either `email_id` or `broadcast_id`.',
    )
}

function refuseTooManyPeriods({ startMs, endMs, zone, granularity }: MetricsRequest): void {
  const count = periodCount({ fromMs: startMs, toMs: endMs, zone, granularity })
  if (count > PERIODS_MAX) throw tooManyPeriods(granularity)
}

const tooManyPeriods = (granularity: Granularity): Failure =>
  invalid(
    `The range has more than ${PERIODS_MAX.toLocaleString('en')} ${granularity} periods. Give a later \`start_date\` or a coarser \`granularity\`.`,
  )
