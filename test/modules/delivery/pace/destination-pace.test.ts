import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  freeConnections,
  freshPace,
  PAUSE_MS_MAX,
  type Pace,
  type PaceSignal,
  paceAfter,
  toPaceSignal,
} from '../../../../src/modules/delivery/pace/destination-pace.ts'

const LONGER_THAN_ANY_PAUSE = PAUSE_MS_MAX + 1
const MINUTE_MS = 60_000

const next = (pace: Pace, signals: PaceSignal[], now: number, { limit = 16, random = 0 } = {}) =>
  paceAfter(pace, signals, { now, limit, random: () => random })

/** At its limit, as after many successes. */
const fastPace = (limit = 16): Pace => ({ ...freshPace(limit), connections: limit })

const times = (count: number, signal: PaceSignal): PaceSignal[] => Array.from({ length: count }, () => signal)

/** The pace after several strains, each long after the one before. */
function strained(count: number, { limit = 16, random = 0 } = {}) {
  const paces: Pace[] = [fastPace(limit)]
  for (let index = 1; index <= count; index++)
    paces.push(next(paces.at(-1) ?? fastPace(limit), ['strained'], index * LONGER_THAN_ANY_PAUSE, { limit, random }))
  return paces
}

describe('beginning', () => {
  it('is with two connections, or with one when that is the limit', () => {
    expect([freshPace(16), freshPace(1)].map(({ connections }) => connections)).toEqual([2, 1])
  })
})

describe('backing off', () => {
  it('halves down to one connection', () => {
    expect(strained(4).map(({ connections }) => connections)).toEqual([16, 8, 4, 2, 1])
  })

  it('pauses when one connection is too many, longer each time, up to a quarter of an hour', () => {
    const pauses = strained(12).flatMap(({ pausedUntilMs, slowedAtMs }) =>
      pausedUntilMs === null ? [] : [pausedUntilMs - (slowedAtMs ?? 0)],
    )
    expect(pauses).toEqual([0.5, 1, 2, 4, 8, 15, 15, 15].map((minutes) => minutes * MINUTE_MS))
  })

  it('spreads pauses by up to a fifth', () => {
    const [last] = strained(5, { random: 0.5 }).slice(-1)
    expect((last?.pausedUntilMs ?? 0) - (last?.slowedAtMs ?? 0)).toBe(0.9 * 0.5 * MINUTE_MS)
  })

  it('takes what failed at the same time as one reason, and what fails five seconds later as another', () => {
    const once = next(fastPace(), times(16, 'strained'), 0)
    expect(once.connections).toBe(8)
    expect(next(once, times(8, 'strained'), 4_999).connections).toBe(8)
    expect(next(once, ['strained'], 5_000).connections).toBe(4)
  })

  it('does not pause longer because of what was on its way when the pause began', () => {
    const [paused = freshPace(16)] = strained(5).slice(-1)
    expect(next(paused, times(3, 'strained'), (paused.slowedAtMs ?? 0) + 10_000)).toEqual(paused)
  })
})

describe('speeding up', () => {
  it('adds about one connection for a round of successes', () => {
    const slow: Pace = { ...freshPace(16), connections: 4 }
    const faster = next(slow, times(4, 'taken'), 0)
    expect(faster.connections).toBeGreaterThan(4.8)
    expect(faster.connections).toBeLessThanOrEqual(5)
  })

  it('makes the next pause short again', () => {
    const [paused = freshPace(16)] = strained(9).slice(-1)
    expect(paused.pauseCount).toBe(5)
    expect(next(paused, ['taken'], 20 * LONGER_THAN_ANY_PAUSE).pauseCount).toBe(0)
  })

  it('is not brought about by what says nothing', () => {
    const slow: Pace = { ...freshPace(16), connections: 4, pauseCount: 2 }
    expect(next(slow, times(9, 'neutral'), 0)).toEqual(slow)
  })
})

describe('roomOf', () => {
  const pace: Pace = { ...freshPace(16), connections: 4.9 }

  it('is what is left of the whole connections', () => {
    expect(freeConnections(pace, { now: 0, limit: 16, inFlight: 0 })).toBe(4)
    expect(freeConnections(pace, { now: 0, limit: 16, inFlight: 3 })).toBe(1)
    expect(freeConnections(pace, { now: 0, limit: 16, inFlight: 9 })).toBe(0)
  })

  it('keeps to a limit that was lowered since', () => expect(freeConnections(pace, { now: 0, limit: 2, inFlight: 0 })).toBe(2))

  it('is nothing during a pause and one after it', () => {
    const paused: Pace = { ...freshPace(16), connections: 1, pausedUntilMs: 1_000 }
    expect(freeConnections(paused, { now: 999, limit: 16, inFlight: 0 })).toBe(0)
    expect(freeConnections(paused, { now: 1_000, limit: 16, inFlight: 0 })).toBe(1)
  })

  it('does not wait for a pause that a clock that went wrong has written', () => {
    const wrong: Pace = { ...freshPace(16), connections: 1, pausedUntilMs: 60 * MINUTE_MS }
    expect(freeConnections(wrong, { now: 0, limit: 16, inFlight: 0 })).toBe(1)
  })
})

describe('whatever happens', () => {
  const signals = fc.array(fc.constantFrom<PaceSignal>('taken', 'strained', 'neutral'), { maxLength: 40 })
  const limits = fc.integer({ min: 1, max: 100 })
  const chance = fc.double({ min: 0, max: 0.999, noNaN: true })
  /** Backwards too, because the wall clock may be set. */
  const steps = fc.array(
    fc.record({ signals, waitMs: fc.integer({ min: -2 * 3_600_000, max: 3_600_000 }), random: chance, limit: limits }),
    {
      maxLength: 40,
    },
  )
  const histories = fc.tuple(limits, steps).map(([limit, taken]) => {
    let now = 1_800_000_000_000
    let pace = freshPace(limit)
    for (const step of taken) {
      now += step.waitMs
      pace = paceAfter(pace, step.signals, { now, random: () => step.random, limit: step.limit })
    }
    return { pace, now, limit: taken.at(-1)?.limit ?? limit }
  })

  it('there is never more room than the limit, nor less than none', () => {
    fc.assert(
      fc.property(histories, limits, fc.nat(200), ({ pace, now }, limit, inFlight) => {
        const room = freeConnections(pace, { now, limit, inFlight })
        expect(room).toBeGreaterThanOrEqual(0)
        expect(room + inFlight).toBeLessThanOrEqual(Math.max(limit, inFlight))
      }),
    )
  })

  it('a message gets its turn after the longest pause at the latest', () => {
    fc.assert(
      fc.property(histories, limits, ({ pace, now }, limit) => {
        const isNow = freeConnections(pace, { now, limit, inFlight: 0 }) > 0
        const turn = isNow ? now : (pace.pausedUntilMs ?? Number.POSITIVE_INFINITY)
        expect(turn - now).toBeLessThanOrEqual(PAUSE_MS_MAX)
        expect(freeConnections(pace, { now: turn, limit, inFlight: 0 })).toBeGreaterThanOrEqual(1)
      }),
    )
  })

  it('successes alone lead back to the limit', () => {
    fc.assert(
      fc.property(histories, ({ pace, now, limit }) => {
        const later = Math.max(now, pace.pausedUntilMs ?? now)
        let recovering = pace
        // One connection more for each round of at most as many messages.
        for (let round = 0; round < 2 * limit; round++) recovering = next(recovering, times(limit, 'taken'), later, { limit })
        expect(freeConnections(recovering, { now: later, limit, inFlight: 0 })).toBe(limit)
      }),
    )
  })

  const rooms = (pace: Pace, now: number, limit: number) =>
    [0, 1_000, 30_000, PAUSE_MS_MAX].map((ms) => freeConnections(pace, { now: now + ms, limit, inFlight: 0 }))

  it.each<[string, PaceSignal, (more: number, less: number) => boolean]>([
    ['one more success never leaves less room', 'taken', (more, less) => more >= less],
    ['one more strain never leaves more room', 'strained', (more, less) => more <= less],
    ['one more neutral outcome changes nothing', 'neutral', (more, less) => more === less],
  ])('%s', (_, signal, isAsExpected) => {
    fc.assert(
      fc.property(histories, signals, chance, ({ pace, now, limit }, given, random) => {
        const without = rooms(next(pace, given, now, { limit, random }), now, limit)
        const withOneMore = rooms(next(pace, [...given, signal], now, { limit, random }), now, limit)
        expect(withOneMore.every((room, index) => isAsExpected(room, without[index] ?? 0))).toBe(true)
      }),
    )
  })

  it('the state survives being stored as JSON', () => {
    fc.assert(
      fc.property(histories, ({ pace }) => {
        expect(JSON.parse(JSON.stringify(pace))).toEqual(pace)
      }),
    )
  })
})

describe('paceSignalOf', () => {
  const outcome = { kind: 'delayed', code: null, enhancedCode: null, text: '', stage: 'rcpt' }

  it.each<[string, PaceSignal, object]>([
    ['a delivery', 'taken', { kind: 'delivered', code: 250 }],
    ['a bounce', 'neutral', { kind: 'bounced', code: 550 }],
    ['a stop of our own', 'neutral', { kind: 'abandoned' }],
    ['421', 'strained', { code: 421 }],
    ['421 as greeting', 'strained', { code: 421, stage: 'greeting' }],
    ['a refusal of us as greeting', 'strained', { code: 554, stage: 'greeting' }],
    ['450', 'strained', { code: 450 }],
    ['451 with a reason that is not the mailbox', 'strained', { code: 451, enhancedCode: '4.7.652' }],
    ['452 after the message', 'strained', { code: 452, stage: 'end' }],
    ['a refused connection or a timeout', 'strained', { stage: 'connect' }],
    ['a connection lost in the middle', 'strained', { stage: 'data' }],
    ['greylisting', 'neutral', { code: 451, enhancedCode: '4.7.1', text: 'Greylisted, try again in 300 seconds' }],
    ['gray-listing', 'neutral', { code: 450, text: 'gray-listing in action' }],
    ['a full mailbox', 'neutral', { code: 452, enhancedCode: '4.2.2' }],
    ['a shortage of our own', 'neutral', { enhancedCode: '4.4.5', stage: 'connect' }],
    ['a certificate that is not valid', 'neutral', { enhancedCode: '4.7.5', stage: 'greeting' }],
    ['a login that is asked for', 'neutral', { code: 530, stage: 'mail' }],
  ])('takes %s as %s', (_, signal, parts) => expect(toPaceSignal({ ...outcome, ...parts })).toBe(signal))
})
