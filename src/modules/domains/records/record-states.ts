// When the DNS is asked about a domain again.
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../lib/clock.ts'
import type { DomainStatus, RecordKind, RecordStatus, RecordVerdict } from '../../../mail/record-types.ts'

// The life of one DNS record of a domain: not_started -> pending -> verified or failed, and verified -> temporary_failure -> verified or failed.

/** `missingSince`: since when a record that is pending or has failed temporarily is looked for; null in the other states. */
export type RecordState = { status: RecordStatus; missingSince: Date | null }

/** How long a record may be missing before it has failed. */
export const MISSING_HOURS_MAX = 72
export const MISSING_MS_MAX = MISSING_HOURS_MAX * HOUR_MS

/**
 * The state after verification was requested. A verified record is checked in its state. One that is missed keeps its time, so that requests do not
 * keep a domain that was given up verified.
 */
export function askedRecordState(state: RecordState, now: Date): RecordState {
  return state.status === 'verified' || state.status === 'temporary_failure' ? state : { status: 'pending', missingSince: now }
}

/** The state after the DNS was asked. */
export function nextRecordState(state: RecordState, verdict: RecordVerdict, now: Date): RecordState {
  if (verdict === 'unknown') return state
  if (verdict === 'right') return state.status === 'verified' ? state : { status: 'verified', missingSince: null }
  switch (state.status) {
    case 'verified':
      return { status: 'temporary_failure', missingSince: now }
    case 'pending':
    case 'temporary_failure':
      return isOverdue(state.missingSince ?? now, now) ? { status: 'failed', missingSince: null } : state
    case 'not_started':
    case 'failed':
      return state
  }
}

const isOverdue = (since: Date, now: Date): boolean => now.getTime() - since.getTime() >= MISSING_MS_MAX

const SECOND_MS = 1_000

/** After verification was requested. Most records are there within the first minutes. */
const FIRST_CHECKS_MS = [10 * SECOND_MS, MINUTE_MS, 5 * MINUTE_MS, 15 * MINUTE_MS]

export type CheckedDomain = {
  id: string
  /** The statuses of all records of the domain. */
  statuses: readonly RecordStatus[]
  /** When verification was last requested; null: never. */
  askedAt: Date | null
}

/**
 * When to ask the DNS next: soon and then hourly while a record is looked for, daily while the domain has a verified record. Otherwise null: when
 * verification is requested. A record is looked for longer than it may be missing only where the DNS does not answer at all: daily then.
 */
export function nextCheckAt({ id, statuses, askedAt }: CheckedDomain, now: Date): Date | null {
  if (statuses.includes('pending'))
    return firstCheckAfter(askedAt, now) ?? (isGivenUp(askedAt, now) ? dailyCheckAfter(id, now) : hourAfter(now))
  if (statuses.includes('temporary_failure')) return hourAfter(now)
  return statuses.includes('verified') ? dailyCheckAfter(id, now) : null
}

/** Whether asking again changes nothing yet, because the DNS is being asked. */
export const wasJustAsked = (askedAt: Date | null, now: Date): boolean =>
  askedAt !== null && now.getTime() - askedAt.getTime() < ASKED_AGAIN_AFTER_MS

const ASKED_AGAIN_AFTER_MS = 10 * SECOND_MS

const hourAfter = (now: Date): Date => new Date(now.getTime() + HOUR_MS)

/** The check after the last hour fails what is missing. */
const isGivenUp = (askedAt: Date | null, now: Date): boolean =>
  askedAt !== null && now.getTime() - askedAt.getTime() > (MISSING_HOURS_MAX + 1) * HOUR_MS

function firstCheckAfter(askedAt: Date | null, now: Date): Date | null {
  if (askedAt === null) return null
  const times = FIRST_CHECKS_MS.map((ms) => askedAt.getTime() + ms)
  const next = times.find((time) => time > now.getTime())
  return next === undefined ? null : new Date(next)
}

/** Each domain has its own time of the day (UTC), so that a million of them are checked evenly. */
function dailyCheckAfter(id: string, now: Date): Date {
  const midnight = now.getTime() - (now.getTime() % DAY_MS)
  const today = midnight + timeOfDayMs(id)
  return new Date(today > now.getTime() ? today : today + DAY_MS)
}

/** By the end of the id, which is random; its beginning is a time (RFC 9562, section 5.7). */
function timeOfDayMs(id: string): number {
  const share = Number.parseInt(id.slice(-RANDOM_DIGITS), 16) / 16 ** RANDOM_DIGITS
  return Number.isNaN(share) ? 0 : Math.floor(share * DAY_MS)
}

const RANDOM_DIGITS = 8

// The state of a domain, which follows from its records.

export type CheckedRecord = { kind: RecordKind; status: RecordStatus; isRecommended: boolean }

export type EnabledCapabilities = {
  sending: boolean
  receiving: boolean
  /** Not null: the MX record alone is enough for receiving, as it was before. */
  receivingUnprovenUntil: Date | null
}

/**
 * A capability is as its records are. Recommended records and those of tracking do not count. A record that failed temporarily counts as verified,
 * because the domain is used as before until it fails.
 */
export function domainStatus(records: readonly CheckedRecord[], enabled: EnabledCapabilities): DomainStatus {
  const { sending, receiving } = enabled
  const capabilities = [...(sending ? [SENDING] : []), ...(receiving ? [receivingKinds(enabled)] : [])].map((kinds) =>
    capabilityStatus(records, kinds),
  )
  const has = (status: CapabilityStatus) => capabilities.includes(status)
  if (has('verified')) {
    if (capabilities.every((status) => status === 'verified')) return 'verified'
    return has('failed') ? 'partially_failed' : 'partially_verified'
  }
  if (has('pending')) return 'pending'
  return has('failed') ? 'failed' : 'not_started'
}

/** Whether mail from the domain may leave. */
export const canSend = (records: readonly CheckedRecord[]): boolean => capabilityStatus(records, SENDING) === 'verified'

/** Whether mail to the domain is accepted. */
export const canReceive = (records: readonly CheckedRecord[], enabled: Pick<EnabledCapabilities, 'receivingUnprovenUntil'>): boolean =>
  capabilityStatus(records, receivingKinds(enabled)) === 'verified'

/** Whether a record that holds a key of this team was seen. All others are the same for every team. */
export const isProven = (records: readonly CheckedRecord[]): boolean => capabilityStatus(records, PROOF) === 'verified'

type CapabilityStatus = 'not_started' | 'pending' | 'verified' | 'failed'

const SENDING: readonly RecordKind[] = ['ReturnPathMX', 'SPF', 'DKIM']
const RECEIVING: readonly RecordKind[] = ['Receiving', 'DKIM']
const RECEIVING_UNPROVEN: readonly RecordKind[] = ['Receiving']
const PROOF: readonly RecordKind[] = ['DKIM']

const receivingKinds = ({ receivingUnprovenUntil }: Pick<EnabledCapabilities, 'receivingUnprovenUntil'>): readonly RecordKind[] =>
  receivingUnprovenUntil === null ? RECEIVING : RECEIVING_UNPROVEN

function capabilityStatus(records: readonly CheckedRecord[], kinds: readonly RecordKind[]): CapabilityStatus {
  const statuses = records.filter(({ kind, isRecommended }) => kinds.includes(kind) && !isRecommended).map(({ status }) => status)
  if (statuses.includes('failed')) return 'failed'
  if (statuses.every((status) => status === 'not_started')) return 'not_started'
  // Without a key there is no proof.
  const isWhole = kinds !== RECEIVING || records.some(({ kind, isRecommended }) => kind === 'DKIM' && !isRecommended)
  return isWhole && statuses.every((status) => status === 'verified' || status === 'temporary_failure') ? 'verified' : 'pending'
}
