// How fast mail is sent to one set of MX hosts. The pace slows down when the hosts ask for it, and carefully speeds up again. Pure: the state is
// plain data that all processes share, and time and chance are handed in.

/** The pace for one set of MX hosts, over all processes. Times are milliseconds of the wall clock, because processes share them. */
export type Pace = {
  /** Connections that may be in use, from 1 up to the limit. Successes add fractions of one. */
  connections: number
  /** Consecutive pauses without a success. The next pause is longer. */
  pauseCount: number
  pausedUntilMs: number | null
  /** When it last slowed down. */
  slowedAtMs: number | null
}

/** taken: a message was delivered. strained: the hosts want less, or do not answer. neutral: the outcome says nothing about the pace. */
export type PaceSignal = 'taken' | 'strained' | 'neutral'

/** Messages that were sent at the same time fail together. They are one reason to slow down, not many. */
const SLOWING_INTERVAL_MS = 5_000

const PAUSE_MS_MIN = 30_000
export const PAUSE_MS_MAX = 15 * 60_000
/** Pauses are up to a fifth shorter, so that destinations that failed together do not resume together. */
const PAUSE_JITTER = 0.2

/** It is unknown at first whether the hosts answer at all, and many that do not must not take all places. A few successes raise this. */
const FRESH_CONNECTIONS = 2

export const freshPace = (limit: number): Pace => ({
  connections: bounded(FRESH_CONNECTIONS, limit),
  pauseCount: 0,
  pausedUntilMs: null,
  slowedAtMs: null,
})

type PaceOptions = { now: number; random: () => number; limit: number }

/**
 * The pace after these outcomes. Each success adds its share, so that a round of successes over all connections adds about one. Strain halves the
 * connections. If one connection was already too many, it pauses: for 30 seconds, doubled each time, at most 15 minutes.
 */
export function paceAfter(before: Pace, signals: readonly PaceSignal[], { now, random, limit }: PaceOptions): Pace {
  const pace = isPaused(before, now) ? before : { ...before, pausedUntilMs: null }
  const isStrained = signals.includes('strained')
  const takenCount = signals.filter((signal) => signal === 'taken').length
  let connections = bounded(pace.connections, limit)
  for (let index = 0; index < takenCount && connections < limit; index++) connections = bounded(connections + 1 / connections, limit)
  if (!isStrained) return { ...pace, connections, pauseCount: takenCount > 0 ? 0 : pace.pauseCount }

  const mayStillBeTheSame = isWithin(pace.slowedAtMs, SLOWING_INTERVAL_MS, now)
  if (isPaused(pace, now) || mayStillBeTheSame) return { ...pace, connections: bounded(pace.connections, limit) }
  const slowed = { connections: Math.max(1, Math.floor(connections / 2)), slowedAtMs: now }
  if (bounded(pace.connections, limit) >= 2) return { ...pace, ...slowed }
  const pauseMs = Math.min(PAUSE_MS_MAX, PAUSE_MS_MIN * 2 ** Math.min(pace.pauseCount, 10)) * (1 - PAUSE_JITTER * random())
  return { ...slowed, connections: 1, pauseCount: pace.pauseCount + 1, pausedUntilMs: now + Math.round(pauseMs) }
}

/** How many more messages may be in flight now. */
export function freeConnections(pace: Pace, { now, limit, inFlight }: { now: number; limit: number; inFlight: number }): number {
  return isPaused(pace, now) ? 0 : Math.max(0, Math.floor(bounded(pace.connections, limit)) - inFlight)
}

/** A pause that is longer than any pause should be was written by a wrong clock. It must not hold mail forever. */
export const isPaused = ({ pausedUntilMs }: Pace, now: number): boolean =>
  pausedUntilMs !== null && now < pausedUntilMs && pausedUntilMs - now <= PAUSE_MS_MAX

const isWithin = (thenMs: number | null, ms: number, now: number): boolean => thenMs !== null && now >= thenMs && now - thenMs < ms

/** The row may be older than the limit, and a limit is never less than one. */
const bounded = (connections: number, limit: number): number => Math.max(1, Math.min(connections, Math.max(1, Math.floor(limit))))

/** What one attempt says about the pace. A shortage on our side, or an invalid certificate, has no code but an enhanced one. */
export function toPaceSignal(outcome: {
  kind: string
  code: number | null
  enhancedCode: string | null
  text: string
  stage: string
}): PaceSignal {
  const { kind, code, enhancedCode, text, stage } = outcome
  if (kind === 'delivered') return 'taken'
  if (kind !== 'delayed') return 'neutral'
  if (code === null) return enhancedCode === null ? 'strained' : 'neutral'
  // We are blocked, or open too many connections: the refusal came before any message.
  if (stage === 'connect' || stage === 'greeting') return 'strained'
  if (code === 421) return 'strained'
  // Greylisting asks for a later attempt of this message, and 4.2 is the state of one mailbox (RFC 3463, section 3.3).
  if (GREYLISTING.test(text) || enhancedCode?.startsWith('4.2.')) return 'neutral'
  return code >= 450 && code <= 459 ? 'strained' : 'neutral'
}

const GREYLISTING = /gr[ea]y-?\s?list/i

/** A pace as it was stored; null if it is not valid. */
export function parsePace(stored: unknown): Pace | null {
  if (stored === null || typeof stored !== 'object') return null
  const { connections, pauseCount, pausedUntilMs, slowedAtMs }: Partial<Record<keyof Pace, unknown>> = stored
  if (typeof connections !== 'number' || typeof pauseCount !== 'number' || !isTime(pausedUntilMs) || !isTime(slowedAtMs)) return null
  return { connections, pauseCount, pausedUntilMs, slowedAtMs }
}

const isTime = (value: unknown): value is number | null => value === null || typeof value === 'number'
