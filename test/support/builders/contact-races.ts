// Transactions that meet while they change contacts.
import { createId } from '../../../src/lib/ids.ts'
import { type ContactToMerge, mergeContacts } from '../../../src/repositories/contacts/merge-contacts.ts'
import type { Execute } from '../../../src/repositories/database.ts'
import { until } from '../clocks/until.ts'
import { expectLockWait, untilLockWait } from '../servers/lock-waits.ts'
import type { TestService } from '../servers/service.ts'

export type ContactRaces = ReturnType<typeof createContactRaces>

export function createContactRaces(of: TestService) {
  const { service, database, teamId } = of
  const hashOf = (email: string) => service.context.hashAddress(teamId, email)

  const toMerge = (email: string): ContactToMerge => ({
    id: createId(),
    email,
    addressHash: hashOf(email),
    firstName: null,
    lastName: null,
    unsubscribed: false,
    properties: {},
  })

  return {
    hashOf,
    toMerge,

    merge: (execute: Execute, emails: string[], onConflict: 'upsert' | 'skip' = 'upsert') =>
      mergeContacts(execute, emails.map(toMerge), { teamId, segmentIds: [], topics: [], onConflict, now: new Date() }),

    /** Until a transaction of this database waits for another. */
    untilLockWait: () => untilLockWait(of),

    /** Starts something while a transaction is open, and continues the transaction as soon as the other has ended or waits for it. */
    async meetHalfway<Outcome>(act: () => Promise<Outcome>): Promise<{ outcome: Promise<Outcome> }> {
      let isOver = false
      const outcome = act().finally(() => {
        isOver = true
      })
      await until(() => (isOver ? undefined : expectLockWait(of)))
      return { outcome }
    },

    async rowsWithoutContact(): Promise<unknown> {
      const [row] = await database.execute(
        `select (select count(*)::int from contact_segments m where not exists (select from contacts c where c.id = m.contact_id)) as segments,
           (select count(*)::int from contact_topics m where not exists (select from contacts c where c.id = m.contact_id)) as topics`,
      )
      return row
    },
  }
}

export const optOut = (topic: string) => [{ id: topic, subscription: 'opt_out' as const }]
