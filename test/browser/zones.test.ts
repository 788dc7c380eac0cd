// The clocks of other places, on the page that sends a broadcast. Changes of the clocks are not near enough for a journey.
import { expect, it } from 'vitest'
import { beginningOfDay, momentsOf, placeOf, wallTimeAt, ZONES } from '../../console/src/parts/zones.ts'

const isoOf = (wall: string, zone: string) => {
  const moments = momentsOf(wall, zone)
  if (moments === null) return null
  const at = moments.at.toISOString()
  return moments.kind === 'twice' ? ['twice', at, moments.again.toISOString()] : [moments.kind, at]
}

it.each([
  ['2026-11-30 09:00:00', 'America/New_York', ['one', '2026-11-30T14:00:00.000Z']],
  ['2026-06-30 09:00', 'America/New_York', ['one', '2026-06-30T13:00:00.000Z']],
  ['2026-11-30 09:00:00', 'Asia/Kathmandu', ['one', '2026-11-30T03:15:00.000Z']],
  ['2026-12-31 23:59:00', 'Pacific/Kiritimati', ['one', '2026-12-31T09:59:00.000Z']],
  ['2026-01-01 00:00:00', 'UTC', ['one', '2026-01-01T00:00:00.000Z']],
  // In spring the clocks go from two to three: a time between is as long after two.
  ['2026-03-29 02:30:00', 'Europe/Berlin', ['skipped', '2026-03-29T01:30:00.000Z']],
  ['2026-03-08 02:30:00', 'America/New_York', ['skipped', '2026-03-08T07:30:00.000Z']],
  ['2026-03-29 01:59:00', 'Europe/Berlin', ['one', '2026-03-29T00:59:00.000Z']],
  ['2026-03-29 03:00:00', 'Europe/Berlin', ['one', '2026-03-29T01:00:00.000Z']],
  // In autumn they show an hour twice; in Lord Howe half an hour.
  ['2026-10-25 02:30:00', 'Europe/Berlin', ['twice', '2026-10-25T00:30:00.000Z', '2026-10-25T01:30:00.000Z']],
  ['2026-10-25 03:00:00', 'Europe/Berlin', ['one', '2026-10-25T02:00:00.000Z']],
  ['2026-04-05 01:45:00', 'Australia/Lord_Howe', ['twice', '2026-04-04T14:45:00.000Z', '2026-04-04T15:15:00.000Z']],
  ['no time', 'Europe/Berlin', null],
])('%s in %s is this moment', (wall, zone, expected) => {
  expect(isoOf(wall, zone)).toEqual(expected)
})

it('reads what it writes, in every zone', () => {
  const moment = new Date('2026-07-14T10:20:00Z')
  for (const zone of ZONES) expect(isoOf(wallTimeAt(moment, zone), zone)).toEqual(['one', moment.toISOString()])
})

it.each([
  ['2026-11-20', 'America/New_York', '2026-11-20T05:00:00.000Z'],
  ['2026-11-20', 'Asia/Kathmandu', '2026-11-19T18:15:00.000Z'],
  // The clocks change between midnight there and midnight in UTC, or at midnight itself.
  ['2026-09-27', 'Pacific/Auckland', '2026-09-26T12:00:00.000Z'],
  ['2026-10-04', 'Australia/Sydney', '2026-10-03T14:00:00.000Z'],
  ['2026-03-29', 'Asia/Beirut', '2026-03-28T22:00:00.000Z'],
])('%s begins in %s at this moment', (day, zone, moment) => {
  expect(beginningOfDay(day, zone).toISOString()).toBe(moment)
})

it('names places as people do', () => {
  expect(['America/New_York', 'America/Argentina/Buenos_Aires', 'UTC'].map(placeOf)).toEqual(['New York', 'Buenos Aires', 'UTC'])
})
