// The state of a domain, which follows from its records.
import type { DomainStatus, RecordKind, RecordStatus } from './domain-records.ts'

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
