// Evaluates the bounces and complaints of a team, and says what follows: a pure decision over counts, so that recorded traffic can be played through it.
import { DAY_MS, HOUR_MS } from '../../lib/clock.ts'
import { type GuardMode, type OutcomePeriod, REPUTATION_STATUSES, type ReputationStatus, type Throttled } from './reputation.schema.ts'

/** Recipients that mail went to, and what became of it. The simulator's and suppressed addresses are none of them. */
export type Outcomes = {
  sent: number
  /** For good: what a full mailbox or a network has held up says nothing about a list. */
  bounced: number
  complained: number
  /** Bounced, because there is no such mailbox. */
  unknownUsers: number
  /** Bounced, and the server speaks of a spam trap. */
  spamTraps: number
}

export const NO_OUTCOMES: Outcomes = { sent: 0, bounced: 0, complained: 0, unknownUsers: 0, spamTraps: 0 }

/** `domain`: that of the sender; null: all mail of the team. */
export type CountedPeriod = { period: OutcomePeriod; domain: string | null; outcomes: Outcomes }

/** Percentages at which bulk mail is paused. */
export type GuardThresholds = { bouncesPercent: number; complaintsPercent: number }

/** What was sent to fewer recipients says too little: a batch of twenty stops no one. */
export const EVALUATED_SENT_MIN = 500
/** All mail is paused at so many times the thresholds. */
const ALL_AT_TIMES = 2
/** The warning comes at these parts of the thresholds. */
const WARNING_PARTS = { bounced: 1 / 2, complained: 1 / 3 } as const

/** The earliest release without an operator, and how long a team is throttled after it. */
export const PAUSED_MS_MIN = DAY_MS
export const THROTTLED_MS = DAY_MS
/** A warning is told once in this time. */
const WARNED_EVERY_MS = DAY_MS
/** How often a team that is not good is looked at without a new outcome. */
const LOOK_AGAIN_MS = HOUR_MS / 4

type Measure = keyof typeof WARNING_PARTS

export type Evaluation = {
  status: ReputationStatus
  /** What it is for; null: good. */
  cause: (CountedPeriod & { measure: Measure; percent: number; threshold: number }) | null
}

const rank = (status: ReputationStatus): number => REPUTATION_STATUSES.indexOf(status)

const LIMITS: Record<GuardMode, ReputationStatus> = { warn: 'warning', bulk: 'bulk_paused', all: 'paused' }

/** The worst of what was counted, as far as the guard goes with the team. */
export function evaluate(
  counted: readonly CountedPeriod[],
  { thresholds, mode }: { thresholds: GuardThresholds; mode: GuardMode },
): Evaluation {
  let worst: Evaluation = { status: 'good', cause: null }
  let worstTimes = 0
  for (const one of counted) {
    if (one.outcomes.sent < EVALUATED_SENT_MIN) continue
    for (const measure of ['bounced', 'complained'] as const) {
      const threshold = measure === 'bounced' ? thresholds.bouncesPercent : thresholds.complaintsPercent
      const percent = (one.outcomes[measure] * 100) / one.outcomes.sent
      const times = percent / threshold
      const status = statusAt(times, measure)
      if (status === 'good' || rank(status) < rank(worst.status) || (status === worst.status && times <= worstTimes)) continue
      worst = { status, cause: { ...one, measure, percent, threshold } }
      worstTimes = times
    }
  }
  const limit = LIMITS[mode]
  return rank(worst.status) > rank(limit) ? { ...worst, status: limit } : worst
}

/** Fractions of binary numbers are not exact: three of a thousand are 0.3 %. */
const ROUNDING = 1e-9

function statusAt(times: number, measure: Measure): ReputationStatus {
  if (times >= ALL_AT_TIMES - ROUNDING) return 'paused'
  if (times >= 1 - ROUNDING) return 'bulk_paused'
  return times >= WARNING_PARTS[measure] - ROUNDING ? 'warning' : 'good'
}

export type Reputation = {
  status: ReputationStatus
  since: Date
  reason: string | null
  warnedAt: Date | null
  countedFrom: Date | null
  throttled: Throttled | null
  throttledUntil: Date | null
  lookAt: Date | null
}

/** `warning` and `paused` are told with the evaluation. */
export type ReputationNotice = 'warning' | 'paused' | 'released'

export const newReputation = (now: Date): Reputation => ({
  ...{ status: 'good', since: now, reason: null, warnedAt: null, countedFrom: null },
  ...{ throttled: null, throttledUntil: null, lookAt: null },
})

export const isPaused = (status: ReputationStatus): boolean => status === 'bulk_paused' || status === 'paused'

/** What a evaluation makes of a reputation. A pause ends no sooner than after a day, and not while the team is at the thresholds. */
export function nextReputation(
  before: Reputation,
  evaluation: Evaluation,
  now: Date,
): { next: Reputation; notice: ReputationNotice | null } {
  const known = atClock(before, now)
  if (rank(evaluation.status) > rank(known.status)) return risen(known, evaluation, now)
  const isOver = now.getTime() - known.since.getTime() >= PAUSED_MS_MIN
  if (isPaused(known.status))
    return isOver && !isPaused(evaluation.status)
      ? { next: released(known, now), notice: 'released' }
      : { next: { ...known, lookAt: lookAgain(known, now) }, notice: null }
  if (known.status === 'warning' && evaluation.status === 'good' && isOver)
    return { next: { ...known, status: 'good', since: now, reason: null, lookAt: lookAgainIfThrottled(known) }, notice: null }
  return { next: { ...known, lookAt: lookAgain(known, now) }, notice: null }
}

function risen(known: Reputation, evaluation: Evaluation, now: Date): ReturnType<typeof nextReputation> {
  const next = {
    ...known,
    status: evaluation.status,
    since: now,
    reason: reasonOf(evaluation),
    lookAt: new Date(now.getTime() + LOOK_AGAIN_MS),
  }
  if (isPaused(evaluation.status)) return { next: { ...next, throttled: null, throttledUntil: null }, notice: 'paused' }
  const isTold = known.warnedAt !== null && now.getTime() - known.warnedAt.getTime() < WARNED_EVERY_MS
  return { next: isTold ? next : { ...next, warnedAt: now }, notice: isTold ? null : 'warning' }
}

/** Mail is sent again at a tenth of its pace, and what happened until now no longer counts. */
export const released = (known: Reputation, now: Date): Reputation => ({
  ...{ ...known, status: 'good', since: now, reason: null, countedFrom: now },
  throttled: known.status === 'paused' ? 'all' : 'bulk',
  throttledUntil: new Date(now.getTime() + THROTTLED_MS),
  lookAt: new Date(now.getTime() + THROTTLED_MS),
})

function lookAgain(known: Reputation, now: Date): Date | null {
  if (known.status === 'good') return lookAgainIfThrottled(known)
  return new Date(now.getTime() + LOOK_AGAIN_MS)
}

/** The guard then forgets that the team was throttled. */
const lookAgainIfThrottled = ({ throttledUntil }: Reputation): Date | null => throttledUntil

/** Times that lie ahead were written before the clock was set back: they count from now. Throttling that is over is forgotten. */
function atClock(known: Reputation, now: Date): Reputation {
  const notAfter = (time: Date | null): Date | null => (time !== null && time > now ? now : time)
  const until = known.throttledUntil
  const isThrottled = until !== null && until > now
  return {
    ...known,
    since: notAfter(known.since) ?? now,
    warnedAt: notAfter(known.warnedAt),
    countedFrom: notAfter(known.countedFrom),
    throttled: isThrottled ? known.throttled : null,
    throttledUntil: isThrottled ? new Date(Math.min(until.getTime(), now.getTime() + THROTTLED_MS)) : null,
  }
}

const PERIOD_WORDS: Record<OutcomePeriod, string> = { day: 'in the last 24 hours', week: 'in the last 7 days' }
const STATUS_WORDS: Record<ReputationStatus, string> = {
  good: '',
  warning: 'Nothing is paused yet.',
  bulk_paused: 'Bulk mail is paused; transactional mail is sent.',
  paused: 'All mail is paused.',
}

const shown = (percent: number): string => `${Math.round(percent * 100) / 100} %`

/** A sentence for people. */
function reasonOf({ status, cause }: Evaluation): string | null {
  if (!cause) return null
  const { measure, period, domain, outcomes, percent, threshold } = cause
  const what = measure === 'bounced' ? 'bounced' : 'was reported as spam'
  const whose = domain === null ? 'the mail of this team' : `the mail from ${domain}`
  const to = `of ${outcomes.sent.toLocaleString('en')} recipients`
  return `${shown(percent)} of ${whose} ${what} ${PERIOD_WORDS[period]} (${outcomes[measure].toLocaleString('en')} ${to}). ${STATUS_WORDS[status]} Bulk mail pauses at ${shown(threshold)}, all mail at ${shown(threshold * ALL_AT_TIMES)}.`
}
