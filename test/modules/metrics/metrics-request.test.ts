import { describe, expect, it } from 'vitest'
import { EMAIL_METRICS } from '../../../src/modules/metrics/email-metrics.ts'
import type { EmailMetricsQuery } from '../../../src/modules/metrics/metrics.schema.ts'
import { readMetricsRequest } from '../../../src/modules/metrics/metrics-request.ts'

const NOW = new Date('2026-07-08T09:30:00Z')
const ID = '0193a5c2-7d4e-7b1a-9c3f-2e5d8a6b4c10'
const ids = (count: number) =>
  Array.from({ length: count }, (_, index) => `0193a5c2-7d4e-7b1a-9c3f-2e5d8a6b4${String(index).padStart(3, '0')}`)

const read = (query: EmailMetricsQuery) => readMetricsRequest(query, NOW)
const range = (query: EmailMetricsQuery) => {
  const { startMs, endMs } = read(query)
  return [new Date(startMs).toISOString(), new Date(endMs).toISOString()]
}

describe('a request for metrics', () => {
  it('asks for everything of the last six days in total, unless it says otherwise', () => {
    expect(read({})).toEqual({
      startMs: Date.parse('2026-07-02T09:30:00Z'),
      endMs: NOW.getTime(),
      zone: 'UTC',
      granularity: 'daily',
      metrics: EMAIL_METRICS,
      dimensions: [],
      domainIds: null,
      emailIds: null,
      broadcastIds: null,
    })
  })

  it('takes lists with commas, repeated, mixed, with spaces and with nothing in them', () => {
    const { metrics, dimensions, domainIds } = read({
      metrics: ['sent, opened', 'sent', 'clicked,,'],
      dimensions: [''],
      domain_id: [`${ID.toUpperCase()},`],
    })
    expect({ metrics, dimensions, domainIds }).toEqual({ metrics: ['sent', 'opened', 'clicked'], dimensions: [], domainIds: [ID] })
  })

  it.each([
    [{ start_date: '2026-07-01' }, ['2026-07-01T00:00:00.000Z', '2026-07-08T09:30:00.000Z']],
    [{ end_date: '2026-07-07' }, ['2026-07-01T00:00:00.000Z', '2026-07-07T00:00:00.000Z']],
    [{ start_date: '2026-07-01T12:00', end_date: '2026-07-02T00:00:00+02:00' }, ['2026-07-01T12:00:00.000Z', '2026-07-01T22:00:00.000Z']],
    [{ end_date: '2026-08-01' }, ['2026-07-02T09:30:00.000Z', '2026-07-08T09:30:00.000Z']],
    [{ start_date: '2026-07-01', end_date: '2026-07-01' }, ['2026-07-01T00:00:00.000Z', '2026-07-01T00:00:00.000Z']],
    // A date is a day of the zone; a time without an offset is UTC.
    [{ start_date: '2026-07-01', end_date: '20260702', timezone: 'Asia/Tokyo' }, ['2026-06-30T15:00:00.000Z', '2026-07-01T15:00:00.000Z']],
    [{ start_date: '2026-07-01', timezone: 'America/New_York' }, ['2026-07-01T04:00:00.000Z', '2026-07-08T09:30:00.000Z']],
    [{ start_date: '2026-07-01T00:00', timezone: 'Asia/Tokyo' }, ['2026-07-01T00:00:00.000Z', '2026-07-08T09:30:00.000Z']],
    // In Egypt the clocks skipped midnight, and in Samoa a whole day.
    [{ start_date: '2026-04-24', timezone: 'Africa/Cairo' }, ['2026-04-23T22:00:00.000Z', '2026-07-08T09:30:00.000Z']],
    [
      { start_date: '2011-12-30', end_date: '2011-12-31', timezone: 'Pacific/Apia' },
      ['2011-12-30T10:00:00.000Z', '2011-12-30T10:00:00.000Z'],
    ],
  ])('reads the range of %j', (query, expected) => {
    expect(range(query)).toEqual(expected)
  })

  const BOTH =
    'Emails and broadcasts cannot be combined: give either `email` or `broadcast` in `dimensions`, and either `email_id` or `broadcast_id`.'
  const ORDER = 'The `start_date` parameter must be on or before `end_date`, which is now unless an earlier time is given.'

  it.each<[EmailMetricsQuery, string]>([
    [
      { start_date: 'yesterday' },
      'The `start_date` parameter must be an ISO 8601 date or time, such as `2026-11-20` or `2026-11-20T15:00:00Z`. It is "yesterday".',
    ],
    [
      { start_date: '' },
      'The `start_date` parameter must be an ISO 8601 date or time, such as `2026-11-20` or `2026-11-20T15:00:00Z`. It is "".',
    ],
    [{ end_date: '2026-02-30' }, 'The `end_date` parameter names a date or time that does not exist. It is "2026-02-30".'],
    [{ start_date: '2026-01-02', end_date: '2026-01-01' }, ORDER],
    [{ start_date: '2026-07-09', end_date: '2026-07-10' }, ORDER],
    [
      { timezone: '+05:30' },
      'The `timezone` parameter must be a name of the IANA time zone database, such as `Europe/Berlin`. It is "+05:30".',
    ],
    [
      { metrics: ['sent,happy'] },
      'The `metrics` parameter must hold only `received`, `sent`, `delivered`, `delivery_delayed`, `failed`, `suppressed`, `bounced`, `bounced_transient`, `bounced_permanent`, `bounced_undetermined`, `complained`, `opened`, `clicked`, `unique_opened`, `unique_clicked`, `unsubscribed`, `delivery_rate`, `bounce_rate`, `open_rate`, `click_rate`, `complaint_rate`, `unsubscribe_rate`. It is "happy".',
    ],
    [{ dimensions: ['period', 'tag'] }, 'The `dimensions` parameter must hold only `period`, `domain`, `email`, `broadcast`. It is "tag".'],
    [{ domain_id: ['1'] }, 'The `domain_id` parameter must hold only ids, which are UUIDs. It is "1".'],
    [{ email_id: [ids(101).join(',')] }, 'The `email_id` parameter must hold at most 100 ids.'],
    [{ dimensions: ['email', 'broadcast'] }, BOTH],
    [{ dimensions: ['email'], broadcast_id: [ID] }, BOTH],
    [{ dimensions: ['broadcast'], email_id: [ID] }, BOTH],
    [{ email_id: [ID], broadcast_id: [ID] }, BOTH],
    [
      { dimensions: ['period'], granularity: 'daily', start_date: '1999-02-20' },
      'The range has more than 10,000 daily periods. Give a later `start_date` or a coarser `granularity`.',
    ],
  ])('is refused as %j', (query, message) => {
    expect(() => read(query)).toThrow(message)
  })

  it('may name 100 ids, and have 10,000 periods', () => {
    expect(read({ email_id: [ids(50).join(','), ...ids(100)] }).emailIds).toHaveLength(100)
    expect(read({ dimensions: ['period'], start_date: '1999-02-21' }).dimensions).toEqual(['period'])
    expect(read({ start_date: '0100-01-01', granularity: 'hourly' }).dimensions).toEqual([])
  })
})
