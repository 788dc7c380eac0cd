// Contacts for tests, and the segments and topics that they can be in, created without their own operations.
import { createId } from '../../../src/lib/ids.ts'
import type { Subscription } from '../../../src/schemas/notifications.ts'
import type { CallOptions, TestService } from '../servers/service.ts'
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
