// Contacts for tests, and the segments and topics that they can be in, created without their own operations.

import type { Execute } from '../../../src/db/database.ts'
import { createId } from '../../../src/lib/ids.ts'
import type { Subscription } from '../../../src/modules/audience/audience-fields.ts'
import { type ContactToMerge, mergeContacts } from '../../../src/modules/audience/contacts/merge-contacts.repository.ts'
import { until } from '../clocks/until.ts'
import type { CallOptions, TestService } from '../servers/service.ts'
import { expectLockWait, untilLockWait } from '../servers/statements.ts'
import { TIMESTAMP } from './answers.ts'

let made = 0

/** An address that no contact has yet. */
export const newAddress = (): string => `person-${++made}@example.com`

/** Creates a contact and returns its id. */
export async function createContact(service: TestService, body: Record<string, unknown>, options: CallOptions = {}): Promise<string> {
  const { status, body: answer, text } = await service.call('POST', '/contacts', { body, ...options })
  if (status !== 201) throw new Error(`The contact was not created: ${text}`)
  return (answer as { id: string }).id
}

/** The contact as the API answers it. */
export async function readContact(service: TestService, reference: string, options: CallOptions = {}): Promise<Record<string, unknown>> {
  const { status, body, text } = await service.call('GET', `/contacts/${encodeURIComponent(reference)}`, options)
  if (status !== 200) throw new Error(`The contact was not answered: ${text}`)
  return body as Record<string, unknown>
}

/** The API's answer about a contact of which only the address is known; `changes` are other fields. */
export const contactRecord = (id: string, email: string, changes: Record<string, unknown> = {}): Record<string, unknown> => ({
  object: 'contact',
  id,
  email,
  first_name: null,
  last_name: null,
  created_at: TIMESTAMP,
  unsubscribed: false,
  properties: {},
  ...changes,
})

export async function addSegment(
  { database, teamId }: TestService,
  { ofTeam = teamId, filter = null as object | null } = {},
): Promise<string> {
  const id = createId()
  await database.execute('insert into segments (id, team_id, name, filter, created_at) values ($1, $2, $3, $4, now())', [
    id,
    ofTeam,
    `Segment ${id}`,
    filter && JSON.stringify(filter),
  ])
  return id
}

export async function addTopic(
  { database, teamId }: TestService,
  { ofTeam = teamId, defaultSubscription = 'opt_in' as Subscription } = {},
): Promise<string> {
  const id = createId()
  await database.execute(
    `insert into topics (id, team_id, name, default_subscription, visibility, created_at, updated_at) values ($1, $2, $3, $4, 'public', now(), now())`,
    [id, ofTeam, `Topic ${id}`, defaultSubscription],
  )
  return id
}

/** What the contact chose, by topic. */
export async function choicesOf({ database }: TestService, contactId: string): Promise<Record<string, string>> {
  const rows = await database.execute<{ id: string; subscription: string }>(
    'select topic_id as id, subscription from contact_topics where contact_id = $1',
    [contactId],
  )
  return Object.fromEntries(rows.map(({ id, subscription }) => [id, subscription]))
}

/** The segments that the contact was added to. */
export async function segmentsOf({ database }: TestService, contactId: string): Promise<string[]> {
  const rows = await database.execute<{ id: string }>(
    'select segment_id as id from contact_segments where contact_id = $1 order by segment_id',
    [contactId],
  )
  return rows.map(({ id }) => id)
}

// Transactions that meet while they change contacts.

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
