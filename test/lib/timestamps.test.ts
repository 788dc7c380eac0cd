import { expect, it } from 'vitest'
import { toIso, toTimestamp } from '../../src/lib/clock.ts'

it('writes a record’s timestamp with microseconds and +00', () => {
  expect(toTimestamp(new Date('2026-11-20T07:26:55.123Z'))).toBe('2026-11-20 07:26:55.123000+00')
  expect(toTimestamp(new Date('2026-11-20T07:26:55Z'))).toBe('2026-11-20 07:26:55.000000+00')
})

it('leaves an unset timestamp null', () => expect(toTimestamp(null)).toBeNull())

it('writes ISO 8601 with milliseconds and Z', () => expect(toIso(new Date('2026-11-20T07:26:55Z'))).toBe('2026-11-20T07:26:55.000Z'))
