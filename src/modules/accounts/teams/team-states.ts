// Whether a team may act: it may be suspended, or deleted with some days left in which it can be restored.
import { DAY_MS } from '../../../lib/clock.ts'
import { Failure } from '../../../lib/failure.ts'

export const TEAM_STATUSES = ['active', 'suspended', 'deleted'] as const
export type TeamStatus = (typeof TEAM_STATUSES)[number]

/** How long a deleted team can be restored. */
export const REMOVAL_AFTER_DAYS = 7

/** Kinds of records that the deletion of a team counts, with their tables. */
export const COUNTED_TABLES = {
  api_keys: 'api_keys',
  domains: 'domains',
  emails: 'emails',
  recipients_waiting: 'deliveries',
  received_emails: 'received_emails',
  contacts: 'contacts',
  suppressions: 'suppressions',
  broadcasts: 'broadcasts',
  templates: 'templates',
  automations: 'automations',
  webhooks: 'webhooks',
} as const

/** How many records of each kind there were when the team was deleted, counted up to COUNTED_MAX. */
export type RemovedCounts = Record<keyof typeof COUNTED_TABLES, number>

/** Counting more would take longer than a request may. */
export const COUNTED_MAX = 1_000_000

export type TeamState = {
  suspendedAt: Date | null
  suspendedReason: string | null
  deletedAt: Date | null
}

export const teamStatus = ({ suspendedAt, deletedAt }: TeamState): TeamStatus => {
  if (deletedAt) return 'deleted'
  return suspendedAt ? 'suspended' : 'active'
}

/** When the removal of its records begins. */
export const removalAt = (deletedAt: Date): Date => new Date(deletedAt.getTime() + REMOVAL_AFTER_DAYS * DAY_MS)

const day = (date: Date): string => date.toISOString().slice(0, 10)

/** Why a credential of the team may not do this; null if it may. `state`: null once the team is removed. */
export function refusalByState(state: TeamState | null, { writes }: { writes: boolean }): Failure | null {
  if (!state) return new Failure('invalidAccess', 'This team was deleted.')
  if (state.deletedAt)
    return new Failure(
      'invalidAccess',
      `This team was deleted. Its records are removed on ${day(removalAt(state.deletedAt))}; until then, only the operator of this service can restore it.`,
    )
  if (!state.suspendedAt || !writes) return null
  return new Failure(
    'invalidAccess',
    `This team is suspended: it can read, but nothing can be changed or sent until the operator of this service resumes it. Reason: ${state.suspendedReason}`,
  )
}
