// Deliveries that were claimed together: loaded, prepared, begun and sent. Each of them is settled or released, whatever fails.
import type { Context } from '../../context.ts'
import { createId } from '../../lib/ids.ts'
import type { ByteBudget } from '../../lib/limits/byte-budget.ts'
import type { OutgoingEmail } from '../../repositories/emails/outgoing-emails.ts'
import type { ClaimedDelivery, Settlement } from '../../repositories/engine/deliveries.ts'
import { type BuiltMessage, buildMessage } from '../../services/build-message.ts'
import type { Lease } from './lease.ts'
import { loggedReason } from './logged-reason.ts'
import type { Outcomes } from './outcomes.ts'
import { pauseAfterFault } from './pause.ts'
import { type Outcome, sentNotification, settlementOf, settlementWithoutAttempt } from './settlements.ts'
import { simulate, suppressionOf } from './simulate.ts'
import { topicRefusalsOf } from './topic-refusals.ts'

/** A row that was claimed more often without an outcome is given up, so that no message can kill the service forever. */
const CLAIMS_MAX = 5
/** Content that one statement loads. A batch of large emails is processed in parts. */
const PART_BYTES_MAX = 8 * 1024 * 1024
/** What an email costs in addition to its content, roughly: rows, addresses, the composed message. */
const EMAIL_BYTES = 4_096

/** While a message is composed, memory holds its encoded content, the same in lines, and the whole. */
const COMPOSED_COPIES = 3

/** What is loaded for a part before any of it is tried. */
type Loaded = {
  emails: Map<string, OutgoingEmail>
  /** Why a delivery must not be tried, by its id. */
  topicRefusals: Map<string, string>
}

type Attempt = { delivery: ClaimedDelivery; attemptId: string; message: BuiltMessage }

export type BatchOptions = {
  lease: Lease
  outcomes: Outcomes
  memory: ByteBudget
  /** Makes one attempt; every result is an outcome. */
  transmit(delivery: ClaimedDelivery, message: BuiltMessage): Promise<Outcome>
  /** The work on this delivery has ended, whatever the outcome. */
  onEnd(delivery: ClaimedDelivery): void
  isStopping(): boolean
}

export async function deliverBatch(context: Context, claimed: ClaimedDelivery[], options: BatchOptions): Promise<void> {
  const { repositories, config, clock, log, metrics } = context
  const { lease, outcomes, memory, transmit, onEnd, isStopping } = options
  const { deliveries } = repositories

  for (const part of parts(claimed)) {
    if (isStopping()) await giveBack(part)
    else await deliverPart(part)
  }

  async function deliverPart(part: ClaimedDelivery[]): Promise<void> {
    const bytes = weightOf(part)
    await memory.take(bytes)
    try {
      const loaded = await load(part)
      if (!loaded) return await giveBack(part)
      const prepared = await Promise.all(part.map((delivery) => prepare(delivery, loaded)))
      const attempts = prepared.flatMap((one) => ('message' in one ? [one] : []))
      const ended = prepared.flatMap((one) => ('message' in one ? [] : [end(one.delivery, one.settlement)]))
      const begun = await begin(attempts)
      await Promise.all([...ended, ...begun.map((attempt) => deliverOne(attempt).catch((error) => leaveOpen(attempt, error)))])
    } finally {
      memory.giveBack(bytes)
    }
  }

  /** Null if the database does not answer. The next request then waits a little instead of asking again at once. */
  async function load(part: ClaimedDelivery[]): Promise<Loaded | null> {
    try {
      const emails = await repositories.outgoingEmails.load([...new Set(part.map(({ emailId }) => emailId))])
      return { emails, topicRefusals: await topicRefusalsOf(context, part, emails) }
    } catch (error) {
      log.warn({ err: error }, 'emails not loaded')
      await pauseAfterFault()
      return null
    }
  }

  /** The outcome if it is known before any attempt, or else the message to send. */
  async function prepare(
    delivery: ClaimedDelivery,
    { emails, topicRefusals }: Loaded,
  ): Promise<Attempt | { delivery: ClaimedDelivery; settlement: Settlement }> {
    const without = (state: 'failed' | 'suppressed', reason: string) => ({
      delivery,
      settlement: settlementWithoutAttempt(delivery, state, reason),
    })
    const email = emails.get(delivery.emailId)
    if (!email) return without('failed', 'The email has been deleted.')
    if (delivery.claims > CLAIMS_MAX) {
      log.error(
        { emailId: email.id, recipientId: delivery.recipientId, claims: delivery.claims },
        'delivery given up: it could not be processed',
      )
      return without('failed', 'The email could not be processed.')
    }
    if (!email.isKeyActive) return without('failed', 'The API key that scheduled the email was deleted before its time.')
    const refusal = topicRefusals.get(delivery.id)
    if (refusal !== undefined) return without('failed', refusal)
    const suppression = suppressionOf(delivery.address, config)
    if (suppression) return without('suppressed', suppression)
    try {
      return { delivery, attemptId: createId(), message: await buildMessage(context, email) }
    } catch (error) {
      log.error({ err: error, emailId: email.id }, 'message not built')
      return without('failed', 'The message could not be built.')
    }
  }

  /** @returns the attempts that are open now. The others were dropped, rescheduled, or are released. */
  async function begin(attempts: Attempt[]): Promise<Attempt[]> {
    if (attempts.length === 0) return []
    try {
      const begun = await deliveries.begin(
        lease.id,
        attempts.map(({ delivery, attemptId }) => ({ deliveryId: delivery.id, attemptId, sentNotification: sentNotification(delivery) })),
        clock.now(),
      )
      for (const { delivery, message } of attempts) {
        if (begun.has(delivery.id)) continue
        discard(message)
        onEnd(delivery)
      }
      return attempts.filter(({ delivery }) => begun.has(delivery.id))
    } catch (error) {
      log.warn({ err: error, count: attempts.length }, 'deliveries not begun')
      for (const { message } of attempts) discard(message)
      await pauseAfterFault()
      await giveBack(attempts.map(({ delivery }) => delivery))
      return []
    }
  }

  async function deliverOne({ delivery, attemptId, message }: Attempt): Promise<void> {
    const outcome = simulate(delivery.address, config) ?? (await transmit(delivery, message))
    discard(message)
    metrics.deliveries.inc({ outcome: outcome.kind, class: delivery.class })
    metrics.deliverySeconds.observe(outcome.durationMs / 1_000)
    log.info(
      {
        emailId: delivery.emailId,
        teamId: delivery.teamId,
        recipientId: delivery.recipientId,
        attempt: delivery.attemptCount + 1,
        outcome: outcome.kind,
        ...(outcome.code !== null && { code: outcome.code }),
        ...(outcome.kind !== 'delivered' && { reason: loggedReason(outcome.text) }),
        host: outcome.host,
        durationMs: Math.round(outcome.durationMs),
      },
      'delivery attempted',
    )
    await end(delivery, settlementOf(delivery, attemptId, outcome, { now: clock.now(), random: Math.random }))
  }

  async function end(delivery: ClaimedDelivery, settlement: Settlement): Promise<void> {
    await outcomes.settle(settlement)
    onEnd(delivery)
  }

  /** A fault of ours during an attempt: the others continue, and this one is retried. */
  async function leaveOpen({ delivery }: Attempt, error: unknown): Promise<void> {
    log.error({ err: error, emailId: delivery.emailId, recipientId: delivery.recipientId }, 'attempt failed by itself')
    await giveBack([delivery])
  }

  async function giveBack(given: ClaimedDelivery[]): Promise<void> {
    const ids = given.map(({ id }) => id)
    while (ids.length > 0 && lease.isHeld()) {
      try {
        await deliveries.release(lease.id, ids, clock.now())
        break
      } catch (error) {
        log.warn({ err: error, count: ids.length }, 'deliveries not given back')
        await pauseAfterFault()
      }
    }
    given.forEach(onEnd)
  }
}

const weightOf = (part: ClaimedDelivery[]): number => {
  const contents = new Map(part.map(({ emailId, contentBytes }) => [emailId, contentBytes]))
  // Loaded once for each email, composed once for each recipient.
  return (
    [...contents.values()].reduce((sum, bytes) => sum + bytes, 0) +
    part.reduce((sum, { contentBytes }) => sum + contentBytes * COMPOSED_COPIES + EMAIL_BYTES, 0)
  )
}

/** Parts whose content fits into memory together. A larger email is a part of its own. */
function parts(claimed: ClaimedDelivery[]): ClaimedDelivery[][] {
  const found: ClaimedDelivery[][] = []
  let bytes = Number.POSITIVE_INFINITY
  for (const delivery of claimed) {
    bytes += delivery.contentBytes
    if (bytes > PART_BYTES_MAX) {
      found.push([])
      bytes = delivery.contentBytes
    }
    found.at(-1)?.push(delivery)
  }
  return found
}

/** A message that was not sent completely may hold open files. */
function discard({ content }: BuiltMessage): void {
  if (!Buffer.isBuffer(content)) content.destroy()
}
