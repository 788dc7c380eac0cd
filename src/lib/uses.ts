// What uses a record that is to be deleted, and cannot go on without it.
import { Failure } from './failure.ts'
import type { Warning } from './header-codes.ts'

/** An automation, a broadcast, or a scheduled email, which is named by its subject. */
export type Use = { kind: 'automation' | 'broadcast' | 'email'; id: string; name: string }

/** At most as many as are named, and how many there are in all. */
export type Uses = { first: Use[]; count: number }

/** A refusal names so many. */
export const USES_NAMED_MAX = 10

/** Names are shown up to here. */
const NAME_LENGTH_MAX = 60

/** `ended`: what could not go on without it. `usedBy`: it was not removed, because that was asked for only if nothing uses it. */
export type Removal = { id: string; ended: Uses } | { usedBy: Uses }

export const usesIn = (uses: readonly Use[]): Uses => ({ first: uses.slice(0, USES_NAMED_MAX), count: uses.length })

export const quoted = (name: string): string => `\u201c${name.slice(0, NAME_LENGTH_MAX).toWellFormed()}\u201d`

/** Refuses to delete what is in use. */
export function inUse(noun: string, { first, count }: Uses): Failure {
  const named = first.map(({ kind, id, name }) => `${kind} \`${id}\` (${name.slice(0, NAME_LENGTH_MAX).toWellFormed()})`).join(', ')
  const more = count > first.length ? `, and ${(count - first.length).toLocaleString('en')} more` : ''
  const records = count === 1 ? 'one record' : `${count.toLocaleString('en')} records`
  return new Failure(
    'inUse',
    `The ${noun} is in use by ${records}: ${named}${more}. Change that first, or delete the ${noun} without \`unless_used\`: what needs it is then disabled or canceled.`,
  )
}

/** What `x-warnings` says. Emails are counted, because there can be thousands. */
export function endedWarnings({ first, count }: Uses): Warning[] {
  const records = first.flatMap(({ kind, id }) => (kind === 'email' ? [] : [{ code: ENDED[kind], about: id }]))
  const emails = count - records.length
  return emails > 0 ? [...records, { code: 'emails_canceled', about: String(emails) }] : records
}

const ENDED = { automation: 'automation_disabled', broadcast: 'broadcast_unscheduled' } as const
