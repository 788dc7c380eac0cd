// The life of one DNS record of a domain: not_started -> pending -> verified or failed, and verified -> temporary_failure -> verified or failed.
import type { RecordStatus, RecordVerdict } from './domain-records.ts'

/** `missingSince`: since when a record that is pending or has failed temporarily is looked for; null in the other states. */
export type RecordState = { status: RecordStatus; missingSince: Date | null }

/** How long a record may be missing before it has failed. */
export const MISSING_HOURS_MAX = 72
export const MISSING_MS_MAX = MISSING_HOURS_MAX * 60 * 60_000

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
