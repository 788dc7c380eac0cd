// For tests of the delivery engine: emails with many recipients, and reads of the tables.
import { expect } from 'vitest'
import { createId } from '../../../src/lib/ids.ts'
import { lastEventOf, type RecipientState, type WholeState } from '../../../src/mail/email-states.ts'
import type { ClaimedDelivery } from '../../../src/repositories/engine/deliveries.ts'
import { type Outcome, sentNotification } from '../../../src/workers/engine/settlements.ts'
import { until } from '../clocks/until.ts'
import type { TestService } from '../servers/service.ts'

/** Sends an email over HTTP and returns its id. */
export async function sendEmail(
  { call }: Pick<TestService, 'call'>,
  fields: Record<string, unknown> = {},
  token?: string,
): Promise<string> {
  const body = { from: 'Acme <hello@example.com>', to: 'to@example.org', subject: 'Hello', text: 'Hello.', ...fields }
  const answer = await call('POST', '/emails', { body, ...(token !== undefined && { token }) })
  if (answer.status !== 200) throw new Error(`The email was not accepted: ${answer.text}`)
  return (answer.body as { id: string }).id
}

/** `count` addresses, spread over to, cc and bcc, which take 50 each. */
export function recipientFields(count: number): { to: string[]; cc: string[]; bcc: string[] } {
  const addresses = Array.from({ length: count }, (_, index) => `r${index}@example.org`)
  return { to: addresses.slice(0, 50), cc: addresses.slice(50, 100), bcc: addresses.slice(100) }
}

/** Claims what is due, at most `limit` of each lane, after moving it into its lane as the engine does. */
export async function claimDue(
  { service }: Pick<TestService, 'service'>,
  workerId: string,
  now: Date = new Date(),
  limit = 1_000,
): Promise<ClaimedDelivery[]> {
  const { deliveries, lanes } = service.context.repositories
  await lanes.promoteAcrossTeams(now)
  const found = [...(await lanes.listAcrossTeams('transactional', null)), ...(await lanes.listAcrossTeams('bulk', null))]
  return deliveries.claim(
    workerId,
    found.map((lane) => ({ ...lane, count: limit })),
  )
}

/** Claims everything that is due, and opens an attempt for each; returns the attempts that were opened. */
export async function claimAndBegin(
  { service }: Pick<TestService, 'service'>,
  workerId: string,
  now: Date = new Date(),
): Promise<{ delivery: ClaimedDelivery; attemptId: string }[]> {
  const { deliveries } = service.context.repositories
  const claimed = await claimDue({ service }, workerId, now)
  const attempts = claimed.map((delivery) => ({ delivery, attemptId: createId() }))
  const begun = await deliveries.begin(
    workerId,
    attempts.map(({ delivery, attemptId }) => ({ deliveryId: delivery.id, attemptId, sentNotification: sentNotification(delivery) })),
    now,
  )
  return attempts.filter(({ delivery }) => begun.has(delivery.id))
}

export const outcome = (kind: Outcome['kind'], more: Partial<Outcome> = {}): Outcome => ({
  kind,
  code: kind === 'delivered' ? 250 : kind === 'delayed' ? 450 : kind === 'bounced' ? 550 : null,
  enhancedCode: null,
  text: `${kind} by the test`,
  host: 'mail.example.org',
  tls: null,
  durationMs: 1,
  isRefusalByRecipient: kind === 'delayed' || kind === 'bounced',
  ...more,
})

export type EmailState = { state: string; lastEvent: string; recipients: string[] }

/** The state of the email, its last event, and the states of its recipients in the order of their addresses. */
export async function stateOf({ database }: Pick<TestService, 'database'>, emailId: string): Promise<EmailState> {
  const [email] = await database.execute<{ state: string; lastEvent: string }>(
    'select state, last_event as "lastEvent" from emails where id = $1',
    [emailId],
  )
  const recipients = await database.execute<{ state: string }>('select state from recipients where email_id = $1 order by address', [
    emailId,
  ])
  return { state: email?.state ?? 'missing', lastEvent: email?.lastEvent ?? 'missing', recipients: recipients.map(({ state }) => state) }
}

export const untilEvent = (service: Pick<TestService, 'database'>, emailId: string, lastEvent: string) =>
  until(async () => expect((await stateOf(service, emailId)).lastEvent).toBe(lastEvent))

/** The last event that the pure function computes for an email in this state. */
export const expectedLastEvent = ({ state, recipients }: EmailState): string =>
  lastEventOf({ wholeState: state as WholeState, recipientStates: recipients as RecipientState[] })

/** Types of an email's notifications, in the order in which they were written. */
export async function notificationsOf(
  { database }: Pick<TestService, 'database'>,
  emailId: string,
): Promise<{ type: string; to: string[] }[]> {
  return database.execute<{ type: string; to: string[] }>(
    `select type, data->'to' as "to" from notifications where subject_id = $1 order by created_at, id`,
    [emailId],
  )
}

export type AttemptRow = { number: number; outcome: string | null; code: number | null; enhancedCode: string | null; text: string | null }

export const attemptsOf = ({ database }: Pick<TestService, 'database'>, emailId: string): Promise<AttemptRow[]> =>
  database.execute<AttemptRow>(
    'select number, outcome, code, enhanced_code as "enhancedCode", text from attempts where email_id = $1 order by number, recipient_id',
    [emailId],
  )

export type DeliveryRow = { id: string; dueAt: Date; leasedBy: string | null; claims: number; attemptId: string | null }

export const deliveriesOf = ({ database }: Pick<TestService, 'database'>, emailId: string): Promise<DeliveryRow[]> =>
  database.execute<DeliveryRow>(
    'select id, due_at as "dueAt", leased_by as "leasedBy", claims, attempt_id as "attemptId" from deliveries where email_id = $1 order by id',
    [emailId],
  )

/** Numbers from 0 up to 1, the same for the same seed (mulberry32), so that a failure can be repeated. */
export function seededRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

export function shuffled<Item>(items: Item[], random: () => number): Item[] {
  return items
    .map((item) => ({ item, key: random() }))
    .sort((a, b) => a.key - b.key)
    .map(({ item }) => item)
}
