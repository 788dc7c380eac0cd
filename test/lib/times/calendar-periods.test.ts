import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { calendarPeriods, GRANULARITIES, type Granularity, ianaZone, periodCount } from '../../../src/lib/times/calendar-periods.ts'

const periods = (zone: string, granularity: Granularity, from: string, to: string) =>
  calendarPeriods({ zone, granularity, fromMs: Date.parse(from), toMs: Date.parse(to) }).map(({ startMs, name }) => [
    new Date(startMs).toISOString().slice(0, 16),
    name,
  ])

describe('the periods of a time zone', () => {
  it('are days from midnight to midnight there, the first from before the span', () => {
    expect(periods('Asia/Kolkata', 'daily', '2026-03-01T12:00Z', '2026-03-02T20:00Z')).toEqual([
      ['2026-02-28T18:30', '2026-03-01'],
      ['2026-03-01T18:30', '2026-03-02'],
      ['2026-03-02T18:30', '2026-03-03'],
    ])
  })

  it('end before the end of the span, which is not a part of it', () => {
    expect(periods('UTC', 'daily', '2026-03-01T00:00Z', '2026-03-03T00:00Z')).toEqual([
      ['2026-03-01T00:00', '2026-03-01'],
      ['2026-03-02T00:00', '2026-03-02'],
    ])
    expect(periods('UTC', 'daily', '2026-03-01T00:00Z', '2026-03-01T00:00Z')).toEqual([])
  })

  it('are hours of a zone that is 45 minutes off', () => {
    expect(periods('Asia/Kathmandu', 'hourly', '2026-03-01T00:00Z', '2026-03-01T01:30Z')).toEqual([
      ['2026-02-28T23:15', '2026-03-01T05:00:00+05:45'],
      ['2026-03-01T00:15', '2026-03-01T06:00:00+05:45'],
      ['2026-03-01T01:15', '2026-03-01T07:00:00+05:45'],
    ])
  })

  it('leave out the hour that does not exist', () => {
    expect(periods('Europe/Berlin', 'hourly', '2026-03-29T00:00Z', '2026-03-29T02:00Z')).toEqual([
      ['2026-03-29T00:00', '2026-03-29T01:00:00+01:00'],
      ['2026-03-29T01:00', '2026-03-29T03:00:00+02:00'],
    ])
  })

  it('have the hour that comes twice twice', () => {
    expect(periods('Europe/Berlin', 'hourly', '2026-10-25T00:00Z', '2026-10-25T02:00Z')).toEqual([
      ['2026-10-25T00:00', '2026-10-25T02:00:00+02:00'],
      ['2026-10-25T01:00', '2026-10-25T02:00:00+01:00'],
    ])
  })

  it('follow clocks that are put back by half an hour', () => {
    expect(periods('Australia/Lord_Howe', 'hourly', '2026-04-04T14:00Z', '2026-04-04T16:30Z')).toEqual([
      ['2026-04-04T14:00', '2026-04-05T01:00:00+11:00'],
      ['2026-04-04T15:00', '2026-04-05T01:00:00+10:30'],
      ['2026-04-04T15:30', '2026-04-05T02:00:00+10:30'],
    ])
  })

  it('have days of 23 and 25 hours', () => {
    expect(periods('America/New_York', 'daily', '2026-03-08T06:00Z', '2026-03-10T05:00Z')).toEqual([
      ['2026-03-08T05:00', '2026-03-08'],
      ['2026-03-09T04:00', '2026-03-09'],
      ['2026-03-10T04:00', '2026-03-10'],
    ])
    expect(periods('America/New_York', 'daily', '2026-11-01T06:00Z', '2026-11-02T06:00Z')).toEqual([
      ['2026-11-01T04:00', '2026-11-01'],
      ['2026-11-02T05:00', '2026-11-02'],
    ])
  })

  it('begin a day whose midnight does not exist after the gap, and one whose midnight comes twice at the first', () => {
    expect(periods('Africa/Cairo', 'daily', '2026-04-23T12:00Z', '2026-04-24T12:00Z')).toEqual([
      ['2026-04-22T22:00', '2026-04-23'],
      ['2026-04-23T22:00', '2026-04-24'],
    ])
    expect(periods('America/Havana', 'daily', '2026-11-01T03:00Z', '2026-11-01T07:00Z')).toEqual([
      ['2026-10-31T04:00', '2026-10-31'],
      ['2026-11-01T04:00', '2026-11-01'],
    ])
  })

  it('leave out the day that Samoa left out', () => {
    expect(periods('Pacific/Apia', 'daily', '2011-12-29T12:00Z', '2011-12-31T12:00Z').map(([, name]) => name)).toEqual([
      '2011-12-29',
      '2011-12-31',
      '2012-01-01',
    ])
  })

  it('are weeks from Monday on, and calendar months', () => {
    expect(periods('UTC', 'weekly', '2026-02-25T00:00Z', '2026-03-09T00:01Z')).toEqual([
      ['2026-02-23T00:00', '2026-02-23'],
      ['2026-03-02T00:00', '2026-03-02'],
      ['2026-03-09T00:00', '2026-03-09'],
    ])
    expect(periods('Europe/Berlin', 'monthly', '2026-02-28T23:30Z', '2026-03-31T22:30Z')).toEqual([
      ['2026-02-28T23:00', '2026-03-01'],
      ['2026-03-31T22:00', '2026-04-01'],
    ])
  })
})

const instant = fc.integer({ min: Date.UTC(2000, 0), max: Date.UTC(2035, 0) })
const zone = fc.constantFrom(...Intl.supportedValuesOf('timeZone'))

it('begin on quarters of an hour in order, cover the span, and have names in order, in any zone', () => {
  fc.assert(
    fc.property(zone, fc.constantFrom(...GRANULARITIES), instant, fc.integer({ min: 1, max: 90 }), (name, granularity, fromMs, days) => {
      const toMs = fromMs + days * 86_400_000
      const found = calendarPeriods({ fromMs, toMs, zone: name, granularity })
      const starts = found.map(({ startMs }) => startMs)
      expect(starts.filter((startMs) => startMs % 900_000 !== 0)).toEqual([])
      expect(starts).toEqual([...new Set(starts)].sort((a, b) => a - b))
      expect(starts[0]).toBeLessThanOrEqual(fromMs)
      expect(starts[1] ?? toMs).toBeGreaterThan(fromMs)
      expect(starts.at(-1)).toBeLessThan(toMs)
      expect(new Set(found.map((period) => period.name)).size).toBe(found.length)
      const counted = periodCount({ fromMs, toMs, zone: name, granularity })
      expect(Math.abs(counted - found.length)).toBeLessThanOrEqual(granularity === 'hourly' ? 2 : 1)
    }),
    { numRuns: 100 },
  )
})

it('counts periods without making them', () => {
  const count = (granularity: Granularity, from: string, to: string) =>
    periodCount({ zone: 'UTC', granularity, fromMs: Date.parse(from), toMs: Date.parse(to) })
  expect(count('hourly', '2026-01-01', '2026-01-02')).toBe(24)
  expect(count('hourly', '2026-01-01T00:59Z', '2026-01-01T01:01Z')).toBe(2)
  expect(count('daily', '2026-01-01', '2026-01-31')).toBe(30)
  expect(count('weekly', '2026-02-23', '2026-03-09T00:01Z')).toBe(3)
  expect(count('monthly', '2025-12-31', '2026-03-01T00:01Z')).toBe(4)
  expect(count('monthly', '2026-01-01', '2026-01-01')).toBe(0)
})

it.each([
  ['UTC', 'UTC'],
  ['europe/berlin', 'Europe/Berlin'],
  ['America/Argentina/Buenos_Aires', expect.stringMatching(/Buenos_Aires$/)],
  ['Etc/GMT+5', 'Etc/GMT+5'],
  ['Mars/Olympus', null],
  ['+05:30', null],
  ['', null],
  ['Europe/Berlin ', null],
  ['x'.repeat(100), null],
])('takes %j for %j', (name, zoneName) => {
  expect(ianaZone(name)).toEqual(zoneName)
})
