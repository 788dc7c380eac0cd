// The state of a domain, which follows from its records.
import type { DomainStatus, RecordKind, RecordStatus } from './domain-records.ts'

export type CheckedRecord = { kind: RecordKind; status: RecordStatus; isRecommended: boolean }

export type EnabledCapabilities = { sending: boolean; receiving: boolean }

/**
 * A capability is as its records are. Recommended records and those of tracking do not count. A record that failed temporarily counts as verified,
 * because the domain is used as before until it fails.
 */
export function domainStatus(records: readonly CheckedRecord[], { sending, receiving }: EnabledCapabilities): DomainStatus {
  const capabilities = [...(sending ? [SENDING] : []), ...(receiving ? [RECEIVING] : [])].map((kinds) => capabilityStatus(records, kinds))
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
export const canReceive = (records: readonly CheckedRecord[]): boolean => capabilityStatus(records, RECEIVING) === 'verified'

type CapabilityStatus = 'not_started' | 'pending' | 'verified' | 'failed'

const SENDING: readonly RecordKind[] = ['ReturnPathMX', 'SPF', 'DKIM']
const RECEIVING: readonly RecordKind[] = ['Receiving']

function capabilityStatus(records: readonly CheckedRecord[], kinds: readonly RecordKind[]): CapabilityStatus {
  const statuses = records.filter(({ kind, isRecommended }) => kinds.includes(kind) && !isRecommended).map(({ status }) => status)
  if (statuses.includes('failed')) return 'failed'
  if (statuses.every((status) => status === 'not_started')) return 'not_started'
  return statuses.every((status) => status === 'verified' || status === 'temporary_failure') ? 'verified' : 'pending'
}
