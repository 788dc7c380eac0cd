import { describe, expect, it } from 'vitest'
import { createId } from '../../../../src/lib/ids.ts'
import { type CheckedDomain, nextCheckAt } from '../../../../src/modules/domains/records/record-states.ts'
import { createMovingClock } from '../../../support/clocks/clocks.ts'

const NOW = new Date('2026-03-04T05:06:07.890Z')
const SECOND_MS = 1_000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
const later = (ms: number) => new Date(NOW.getTime() + ms)

const ID = '0193a5c2-7d4e-7b1a-9c3f-2e5d80000000'
const domain = (parts: Partial<CheckedDomain>): CheckedDomain => ({ id: ID, statuses: ['pending', 'verified'], askedAt: NOW, ...parts })

describe('the DNS is asked', () => {
  it('10 s, 1, 5 and 15 minutes after verification was asked for, then hourly', () => {
    const times: Date[] = [NOW]
    while (times.length < 8) times.push(nextCheckAt(domain({}), times.at(-1) ?? NOW) ?? NOW)
    expect(times.slice(1).map((time) => time.getTime() - NOW.getTime())).toEqual([
      10 * SECOND_MS,
      MINUTE_MS,
      5 * MINUTE_MS,
      15 * MINUTE_MS,
      15 * MINUTE_MS + HOUR_MS,
      15 * MINUTE_MS + 2 * HOUR_MS,
      15 * MINUTE_MS + 3 * HOUR_MS,
    ])
  })

  it('at the next of these times when a check was late', () => {
    expect(nextCheckAt(domain({}), later(3 * MINUTE_MS))).toEqual(later(5 * MINUTE_MS))
  })

  it('hourly for a pending record of a domain that was not asked for', () => {
    expect(nextCheckAt(domain({ askedAt: null }), NOW)).toEqual(later(HOUR_MS))
  })

  it('daily for a pending record of a domain whose DNS has not answered for longer than a record may be missing', () => {
    expect(nextCheckAt(domain({}), later(73 * HOUR_MS))).toEqual(later(74 * HOUR_MS))
    expect(nextCheckAt(domain({}), later(73 * HOUR_MS + 1))).toEqual(new Date('2026-03-07T12:00:00Z'))
  })

  it('hourly while a record has failed temporarily', () => {
    expect(nextCheckAt(domain({ statuses: ['verified', 'temporary_failure'] }), later(10 * DAY_MS))).toEqual(later(10 * DAY_MS + HOUR_MS))
  })

  it('daily while a record is verified, at the time of the domain', () => {
    const verified = domain({ statuses: ['verified', 'failed', 'not_started'] })
    expect(nextCheckAt(verified, NOW)).toEqual(new Date('2026-03-04T12:00:00Z'))
    expect(nextCheckAt(verified, new Date('2026-03-04T11:59:59.999Z'))).toEqual(new Date('2026-03-04T12:00:00Z'))
    expect(nextCheckAt(verified, new Date('2026-03-04T12:00:00Z'))).toEqual(new Date('2026-03-05T12:00:00Z'))
  })

  it.each([[['failed', 'failed'] as const], [['not_started'] as const], [['failed', 'not_started'] as const], [[]]])(
    'not again when the records are %j',
    (statuses) => {
      expect(nextCheckAt(domain({ statuses }), NOW)).toBeNull()
    },
  )
})

it('the daily checks of domains that were registered in the same minute are spread over the day', () => {
  const clock = createMovingClock(NOW)
  const hours = new Array<number>(24).fill(0)
  for (let count = 0; count < 24_000; count += 1) {
    clock.advance(2)
    const time = nextCheckAt(domain({ id: createId(clock), statuses: ['verified'] }), NOW)
    const hour = time?.getUTCHours() ?? 0
    hours[hour] = (hours[hour] ?? 0) + 1
  }
  for (const count of hours) expect(count).toBeGreaterThan(800)
})
