// For tests of the delivery engine: emails with many recipients, and reads of the tables.
import { expect } from 'vitest'
import type { Database } from '../../../src/db/database.ts'
import { createId } from '../../../src/lib/ids.ts'
import { type Outcome, sentNotification, toSettlement } from '../../../src/modules/delivery/engine/settlements.ts'
import type { Lane } from '../../../src/modules/delivery/lanes.ts'
import type { ClaimedDelivery } from '../../../src/modules/delivery/queue/deliveries.repository.ts'
import { lastEventOf, type RecipientState, type WholeState } from '../../../src/modules/emails/email-states.ts'
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

// Rows of the queue without their emails, made by one statement, for tests that need many or unusual ones.

export type QueuedRow = Lane & { dueAt?: Date; isReady?: boolean; claims?: number; leasedBy?: string | null }

/** Ready unless stated otherwise. Returns their ids, in order. */
export async function queueRows({ execute }: Pick<Database, 'execute'>, rows: QueuedRow[]): Promise<string[]> {
  const given = rows.map((row) => ({ id: createId(), dueAt: new Date(), isReady: true, claims: 0, leasedBy: null, ...row }))
  await execute(
    `insert into deliveries (id, team_id, class, destination, email_id, due_at, is_ready, claims, leased_by)
     select id, "teamId", class, destination, gen_random_uuid(), "dueAt", "isReady", claims, "leasedBy"
     from jsonb_to_recordset($1::jsonb) as r(id uuid, "teamId" uuid, class text, destination text, "dueAt" timestamptz, "isReady" boolean, claims int, "leasedBy" uuid)`,
    [JSON.stringify(given)],
  )
  return given.map(({ id }) => id)
}

/**
 * Two calls at once. The loser of the last race starts earlier in the next, twice as much for each consecutive loss. So on a machine of any speed
 * the rounds gather around the point where they meet.
 */
export class EvenRace {
  readonly #random: () => number
  /** How many turns of the event loop the first call waits; below 0, the second. */
  #lead = 0
  #step = 1
  #lastLoser = ''

  constructor(seed: number) {
    this.#random = seededRandom(seed)
  }

  run<First, Second>(first: () => Promise<First>, second: () => Promise<Second>): Promise<[First, Second]> {
    return Promise.all([turns(this.#lead).then(first), turns(-this.#lead).then(second)])
  }

  favor(loser: 'first' | 'second'): void {
    this.#step = loser === this.#lastLoser ? this.#step * 2 : 1 + Math.floor(this.#random() * 8)
    this.#lastLoser = loser
    this.#lead += loser === 'second' ? this.#step : -this.#step
  }
}

/** Waits for a few turns of the event loop. */
async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve))
}

// Mail whose attempts have ended, without a server.

export type SentMail = { emailId: string; recipientId: string; address: string; messageId: string; returnPath: string }

type Sending = { kind?: 'delivered' | 'delayed'; token?: string }

/** Sends an email, and records the same outcome for each recipient. Returns those in the order of their addresses. */
export async function sentToAll(
  service: TestService,
  fields: Record<string, unknown> = {},
  { kind = 'delivered', token }: Sending = {},
): Promise<SentMail[]> {
  const { clock, repositories, returnPathTokens } = service.service.context
  const emailId = await sendEmail(service, fields, token)
  const workerId = createId()
  const begun = (await claimAndBegin(service, workerId, clock.now())).filter(({ delivery }) => delivery.emailId === emailId)
  const moment = { now: clock.now(), random: () => 0.5 }
  const settlements = begun.map(({ delivery, attemptId }) => toSettlement(delivery, attemptId, outcome(kind), moment))
  await repositories.deliveries.settle(workerId, settlements, clock.now())
  return begun
    .map(({ delivery: { id: recipientId, address } }) => ({
      emailId,
      recipientId,
      address,
      messageId: `<${emailId}@example.com>`,
      returnPath: `${returnPathTokens.create(recipientId)}@send.example.com`,
    }))
    .toSorted((a, b) => a.address.localeCompare(b.address))
}

export async function sentToOne(service: TestService, fields: Record<string, unknown> = {}, sending: Sending = {}): Promise<SentMail> {
  const [one] = await sentToAll(service, fields, sending)
  if (!one) throw new Error('Nothing was sent')
  return one
}
