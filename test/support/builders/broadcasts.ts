import { expect } from 'vitest'
// Broadcasts for tests.
import { createId } from '../../../src/lib/ids.ts'
import { type AdvanceOptions, advanceBroadcasts } from '../../../src/modules/broadcasts/broadcasts.worker.ts'
import type { CallOptions, TestService } from '../servers/service.ts'
import { TIMESTAMP } from './answers.ts'
import { addSegment, createContact } from './contacts.ts'

/** The body of a valid POST /broadcasts. */
export const broadcastInput = (segmentId: string, changes: Record<string, unknown> = {}): Record<string, unknown> => ({
  segment_id: segmentId,
  from: 'Acme <hello@example.com>',
  subject: 'News',
  html: '<p>News</p>',
  ...changes,
})

export const LINK_MISSING = 'The `html` has no unsubscribe link: put `{{{UNSUBSCRIBE_URL}}}` where the link is to lead.'
export const segmentEmpty = (id: string) =>
  `The segment \`${id}\` has no contacts: add some before the broadcast is sent, or choose another segment.`
export const DOMAIN_NOT_REGISTERED =
  'The domain `example.com` of the sender is not registered: register it with POST /domains, publish its DNS records, and verify it.'

/** What the broadcast of `broadcastInput` is warned of, before it is sent to an empty segment. */
export const warningsOfInput = (segmentId: string): string[] => [LINK_MISSING, segmentEmpty(segmentId), DOMAIN_NOT_REGISTERED]

/** Creates a broadcast, by default a draft for an empty segment, and returns its id. */
export async function createBroadcast(
  service: TestService,
  changes: Record<string, unknown> = {},
  options: CallOptions = {},
): Promise<string> {
  const segmentId = changes.segment_id === undefined ? await addSegment(service) : String(changes.segment_id)
  const { status, body, text } = await service.call('POST', '/broadcasts', { body: broadcastInput(segmentId, changes), ...options })
  if (status !== 201) throw new Error(`The broadcast was not created: ${text}`)
  return (body as { id: string }).id
}

export async function readBroadcast(service: TestService, id: string): Promise<Record<string, unknown>> {
  const { status, body, text } = await service.call('GET', `/broadcasts/${id}`)
  if (status !== 200) throw new Error(`The broadcast was not answered: ${text}`)
  return body as Record<string, unknown>
}

export const NO_COUNTS = {
  recipients: 0,
  sent: 0,
  delivered: 0,
  opened: 0,
  clicked: 0,
  bounced: 0,
  complained: 0,
  unsubscribed: 0,
  suppressed: 0,
  failed: 0,
  canceled: 0,
}

/** The API's answer about the broadcast of `broadcastInput`. */
export const broadcastRecord = (id: string, segmentId: string, changes: Record<string, unknown> = {}): Record<string, unknown> => ({
  object: 'broadcast',
  id,
  name: 'News',
  audience_id: segmentId,
  segment_id: segmentId,
  topic_id: null,
  status: 'draft',
  status_reason: null,
  rate_per_hour: null,
  created_at: TIMESTAMP,
  scheduled_at: null,
  sent_at: null,
  from: 'Acme <hello@example.com>',
  subject: 'News',
  reply_to: null,
  preview_text: null,
  html: '<p>News</p>',
  text: null,
  content_document: null,
  version: expect.stringMatching(/^[\w-]{16}$/),
  counts: NO_COUNTS,
  ...changes,
})

/** Everyone in the segment, by their addresses: the ids of the contacts. */
export async function addMembers(
  service: TestService,
  segmentId: string,
  people: Record<string, Record<string, unknown>>,
): Promise<Record<string, string>> {
  const ids: Record<string, string> = {}
  for (const [email, fields] of Object.entries(people))
    ids[email] = await createContact(service, { email, segments: [{ id: segmentId }], ...fields })
  return ids
}

export type BroadcastEmailRow = {
  id: string
  to: string
  subject: string
  lastEvent: string
  contactId: string
  mergeValues: Record<string, unknown>
  recipientState: string
  deliveries: string[]
}

/** The emails of a broadcast, in the order in which they were made. */
export const emailsOf = ({ database }: Pick<TestService, 'database'>, broadcastId: string): Promise<BroadcastEmailRow[]> =>
  database.execute<BroadcastEmailRow>(
    `select e.id, e."to"[1] as "to", e.subject, e.last_event as "lastEvent", e.contact_id as "contactId", e.merge_values as "mergeValues",
       r.state as "recipientState", array(select d.class || ' ' || d.destination from deliveries d where d.id = r.id) as deliveries
     from emails e join recipients r on r.email_id = e.id where e.broadcast_id = $1 order by e.id`,
    [broadcastId],
  )

/** One step of each broadcast that is due. Returns whether there is more to do at once. */
export async function stepDue({ service: { context } }: Pick<TestService, 'service'>, options: AdvanceOptions = {}): Promise<boolean> {
  const teams = await context.repositories.dueBroadcasts.teamsAcrossTeams(context.clock.now(), { except: [], max: 100 })
  let hasMore = false
  for (const teamId of teams) hasMore = (await advanceBroadcasts(context, teamId, options)) || hasMore
  return hasMore
}

/** Does all that can be done for broadcasts without delivering. */
export async function doDue(service: Pick<TestService, 'service'>, options: AdvanceOptions = {}): Promise<void> {
  while (await stepDue(service, options));
}

/** Marks all emails that were made as begun by a worker. */
export const beginAll = ({ database }: Pick<TestService, 'database'>, broadcastId: string): Promise<unknown> =>
  database.execute(`update emails set last_event = 'sent' where broadcast_id = $1 and last_event = 'queued'`, [broadcastId])

/** Members without anything but an address, which are returned in order. */
export async function addManyMembers(
  { database, teamId }: Pick<TestService, 'database' | 'teamId'>,
  segmentId: string,
  count: number,
): Promise<string[]> {
  const ids = Array.from({ length: count }, () => createId())
  const addresses = ids.map((_id, index) => `m${index}.${segmentId}@example.org`)
  await database.execute(
    `with made as (
       insert into contacts (id, team_id, email, address_hash, created_at, updated_at)
       select id, $1, email, md5(email), now(), now() from unnest($2::uuid[], $3::text[]) as m(id, email) returning id
     ) insert into contact_segments (segment_id, contact_id, created_at) select $4, id, now() from made`,
    [teamId, ids, addresses, segmentId],
  )
  return addresses
}
