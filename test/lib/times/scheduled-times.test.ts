import fc from 'fast-check'
import { afterEach, describe, expect, it } from 'vitest'
import { isProblem } from '../../../src/lib/problem.ts'
import { parseScheduledAt } from '../../../src/lib/times/scheduled-times.ts'

/** A Friday. */
const NOON = '2026-11-20T12:00:00Z'

const read = (text: string, now = NOON): string => {
  const found = parseScheduledAt(text, new Date(now))
  return isProblem(found) ? found.problem : found.toISOString().replace('.000Z', 'Z')
}

const UNDERSTOOD: [string, string][] = [
  ['2026-11-21T09:00:00Z', '2026-11-21T09:00:00Z'],
  ['2026-11-21T09:00:00.250Z', '2026-11-21T09:00:00.250Z'],
  ['2026-11-21t09:00z', '2026-11-21T09:00:00Z'],
  ['2026-11-21T09:00:00', '2026-11-21T09:00:00Z'],
  ['2026-11-21 09:00', '2026-11-21T09:00:00Z'],
  ['2026-11-21', '2026-11-21T00:00:00Z'],
  ['2026-11-21T09:00:00+02:00', '2026-11-21T07:00:00Z'],
  ['2026-11-21T09:00:00-0330', '2026-11-21T12:30:00Z'],
  ['2026-11-21 07:26:55.123000+00', '2026-11-21T07:26:55.123Z'],
  ['20261121T090000Z', '2026-11-21T09:00:00Z'],
  ['2026-11-21 09:00 ET', '2026-11-21T14:00:00Z'],
  ['now', '2026-11-20T12:00:00Z'],
  ['in 1 min', '2026-11-20T12:01:00Z'],
  ['in 2 hours', '2026-11-20T14:00:00Z'],
  ['In an hour.', '2026-11-20T13:00:00Z'],
  ['in half an hour', '2026-11-20T12:30:00Z'],
  ['in 1h 30m', '2026-11-20T13:30:00Z'],
  ['in two weeks', '2026-12-04T12:00:00Z'],
  ['30 minutes from now', '2026-11-20T12:30:00Z'],
  ['in 30 days', '2026-12-20T12:00:00Z'],
  ['tomorrow at 9am', '2026-11-21T09:00:00Z'],
  ['Tomorrow at 3:30 p.m.', '2026-11-21T15:30:00Z'],
  ['9am tomorrow', '2026-11-21T09:00:00Z'],
  ['tomorrow at noon', '2026-11-21T12:00:00Z'],
  ['tomorrow at 3 in the afternoon', '2026-11-21T15:00:00Z'],
  ['in 2 days at 9am', '2026-11-22T09:00:00Z'],
  ['next day at 9am PST', '2026-11-21T17:00:00Z'],
  ['Friday at 3pm', '2026-11-20T15:00:00Z'],
  ['Friday at 3pm ET', '2026-11-20T20:00:00Z'],
  ['on Friday at 9am', '2026-11-27T09:00:00Z'],
  ['next Monday at 9am', '2026-11-23T09:00:00Z'],
  ['13:00', '2026-11-20T13:00:00Z'],
  ['9am', '2026-11-21T09:00:00Z'],
  ['Nov 25 at 9am', '2026-11-25T09:00:00Z'],
  ['Wednesday, 25 November 2026, 09:30', '2026-11-25T09:30:00Z'],
  ['11/25/2026 9am', '2026-11-25T09:00:00Z'],
  ['9am ET tomorrow', '2026-11-21T14:00:00Z'],
  ['tomorrow at 9am CET', '2026-11-21T08:00:00Z'],
  ['tomorrow at 9am (CET)', '2026-11-21T08:00:00Z'],
  ['tomorrow at 9am GMT', '2026-11-21T09:00:00Z'],
  ['tomorrow at 9am UTC+2', '2026-11-21T07:00:00Z'],
  ['tomorrow at 9am UTC +2', '2026-11-21T07:00:00Z'],
  ['tomorrow at 9am +05:30', '2026-11-21T03:30:00Z'],
  ['tomorrow at 9am Asia/Kolkata', '2026-11-21T03:30:00Z'],
]

describe('parseScheduledAt', () => {
  it.each(UNDERSTOOD)('reads %j', (text, expected) => expect(read(text)).toBe(expected))

  it.each([
    '',
    'soon',
    '2026',
    '1732200000',
    'in 5',
    'in -5 min',
    '5 minutes ago',
    'in a few minutes',
    'in 2 business days',
    'foo tomorrow at 9am',
    'tomorrow at 9am please',
    'tomorrow at 25:00',
    'in 3 hours at 9am',
    'Friday 9am and Monday 9am',
    '9am to 10am',
    'Feb 30 at 9am',
    'tomorrow at 9am BRST',
    'tomorrow at 9am Foo/Bar',
    'tomorrow at 9am UTC+15',
  ])('refuses what it does not understand as a whole: %j', (text) => expect(read(text)).toContain('is not a time that can be understood'))

  it.each([
    '2026-11-31T09:00:00Z',
    '2026-02-29',
    '2026-13-01',
    '2026-11-21T24:00:00Z',
    '2026-11-21T09:60:00Z',
    '2026-11-21T09:00:00+15:00',
  ])('refuses a time that does not exist: %j', (text) => expect(read(text)).toBe('names a date or time that does not exist'))

  it.each([
    ['tomorrow at 9', '`am` or `pm`'],
    ['tomorrow at midnight', 'midnight at both ends'],
    ['11/12/2026 9am', 'month first or day first'],
    ['12.11.2026 9am', 'month first or day first'],
    ['tomorrow at 9am IST', 'stands for several zones'],
  ])('refuses what can mean two things: %j', (text, reason) => {
    expect(read(text)).toContain('is ambiguous')
    expect(read(text)).toContain(reason)
  })

  it('takes "next Friday" only where it can mean one day', () => {
    expect(read('next Friday at 9am', '2026-11-20T12:00:00Z')).toBe('2026-11-27T09:00:00Z')
    expect(read('next Friday at 9am', '2026-11-18T12:00:00Z')).toContain('is ambiguous')
  })

  it.each(['tomorrow', 'Friday', 'next week', 'tonight', 'tomorrow morning', 'in 1 month'])('asks for the time of day in %j', (text) =>
    expect(read(text)).toContain('names no time of day'),
  )

  it.each(['Friday, Nov 22 2026 at 9am', 'tomorrow at 9am EST (UTC-5)', '2026-11-21T09:00:00Z ET'])(
    'refuses what contradicts itself: %j',
    (text) => expect(read(text)).toMatch(/^names /),
  )

  it('counts up to five seconds in the past as now', () => {
    expect(read('2026-11-20T11:59:55Z')).toBe('2026-11-20T12:00:00Z')
    expect(read('2026-11-20T11:59:54.999Z')).toContain('is in the past')
  })

  it.each(['yesterday at 9am', 'last Friday at 9am', 'this Friday at 9am', 'today at 9am', '2026-11-19'])('refuses the past: %j', (text) =>
    expect(read(text)).toContain('is in the past'),
  )

  it('takes 30 days ahead to the millisecond', () => {
    expect(read('2026-12-20T12:00:00Z')).toBe('2026-12-20T12:00:00Z')
    expect(read('2026-12-20T12:00:00.001Z')).toBe('may be at most 30 days ahead')
  })

  it('refuses more than 100 characters', () => expect(read('x'.repeat(1_000_000))).toBe('may not be longer than 100 characters'))
})

describe('daylight saving', () => {
  it.each([
    // The day before the clocks go back in New York.
    ['2026-10-31T12:00:00Z', 'today at 6pm ET', '2026-10-31T22:00:00Z'],
    ['2026-10-31T12:00:00Z', 'tomorrow at 6pm ET', '2026-11-01T23:00:00Z'],
    ['2026-10-31T12:00:00Z', 'tomorrow at 1:30am EDT', '2026-11-01T05:30:00Z'],
    ['2026-10-31T12:00:00Z', 'tomorrow at 1:30am EST', '2026-11-01T06:30:00Z'],
    ['2026-10-31T12:00:00Z', 'in 24 hours ET', '2026-11-01T12:00:00Z'],
    // The day before they go forward.
    ['2026-03-07T12:00:00Z', 'today at 9am EST', '2026-03-07T14:00:00Z'],
    ['2026-03-07T12:00:00Z', 'tomorrow at 9am EST', '2026-03-08T13:00:00Z'],
    ['2026-03-07T12:00:00Z', 'tomorrow at 1:59am ET', '2026-03-08T06:59:00Z'],
    ['2026-03-07T12:00:00Z', 'tomorrow at 3am ET', '2026-03-08T07:00:00Z'],
    ['2026-03-28T12:00:00Z', '2026-03-28 23:00 CET', '2026-03-28T22:00:00Z'],
    ['2026-03-28T12:00:00Z', 'tomorrow at 9am CET', '2026-03-29T07:00:00Z'],
    ['2026-07-01T12:00:00Z', 'tomorrow at 9am BST', '2026-07-02T08:00:00Z'],
    ['2026-07-01T12:00:00Z', 'tomorrow at 9am GMT', '2026-07-02T09:00:00Z'],
    ['2026-07-01T12:00:00Z', 'tomorrow at 9am PT', '2026-07-02T16:00:00Z'],
    // Denver and Phoenix agree in winter.
    ['2026-01-10T12:00:00Z', 'tomorrow at 9am MST', '2026-01-11T16:00:00Z'],
  ])('at %s reads %j', (now, text, expected) => expect(read(text, now)).toBe(expected))

  it.each([
    ['2026-10-31T12:00:00Z', 'tomorrow at 1:30am ET', 'is ambiguous'],
    ['2026-10-24T12:00:00Z', '2026-10-25 02:30 Europe/Berlin', 'is ambiguous'],
    ['2026-07-01T12:00:00Z', 'tomorrow at 9am MST', 'is ambiguous'],
    ['2026-03-07T12:00:00Z', 'tomorrow at 2:30am ET', 'does not exist in that time zone'],
    ['2026-03-28T12:00:00Z', '2026-03-29 02:30 CET', 'does not exist in that time zone'],
  ])('at %s refuses %j', (now, text, expected) => expect(read(text, now)).toContain(expected))
})

describe('the zone of the process', () => {
  const zone = process.env.TZ
  afterEach(() => {
    if (zone === undefined) delete process.env.TZ
    else process.env.TZ = zone
  })

  it.each([
    ['America/New_York', 300],
    ['Asia/Kolkata', -330],
    ['Pacific/Apia', -780],
    ['America/Santiago', 180],
  ])('does not matter: %s', (name, offsetMinutes) => {
    process.env.TZ = name
    expect(new Date(NOON).getTimezoneOffset()).toBe(offsetMinutes)
    for (const [text, expected] of UNDERSTOOD) expect(`${text}: ${read(text)}`).toBe(`${text}: ${expected}`)
    // New York's clocks jump at this moment.
    expect(read('in 2 hours', '2026-03-08T06:30:00Z')).toBe('2026-03-08T08:30:00Z')
    expect(read('tomorrow at 2:30am', '2026-03-07T06:30:00Z')).toBe('2026-03-08T02:30:00Z')
    expect(read('today at 02:45', '2026-03-08T02:30:00Z')).toBe('2026-03-08T02:45:00Z')
  })
})

it('answers for any text with a problem or a time in the coming 30 days', () => {
  const word = fc.constantFrom(
    'in',
    'at',
    '9',
    '9am',
    'tomorrow',
    'Friday',
    'next',
    'ET',
    '+2',
    '2026-11-21',
    '12:30',
    'Nov',
    '25',
    'days',
    'hours',
    'last',
    '/',
    '-',
    'Z',
  )
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.array(word, { maxLength: 7 }).map((words) => words.join(' ')),
      ),
      (text) => {
        const found = parseScheduledAt(text, new Date(NOON))
        if (isProblem(found)) return
        const aheadMs = found.getTime() - Date.parse(NOON)
        expect(aheadMs >= 0 && aheadMs <= 30 * 86_400_000).toBe(true)
      },
    ),
    { numRuns: 2000 },
  )
})
