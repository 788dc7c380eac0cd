// Deliveries that were claimed together: loaded, prepared, begun and sent. Each of them is settled or released, whatever fails.

import type { Lease } from '../../../db/leases/lease.ts'
import type { PlatformContext } from '../../../http/platform.context.ts'
import type { ByteBudget } from '../../../lib/limits/bytes.ts'
import type { OpenSpan, SpanAttributes, Tracing } from '../../../lib/tracing.ts'
import { simulatedOutcome } from '../../../mail/simulator.ts'
import type { AudienceContext } from '../../audience/audience.context.ts'
import type { DomainsContext } from '../../domains/domains.context.ts'
import type { EmailsContext } from '../../emails/emails.context.ts'
import type { OutgoingEmail } from '../../emails/outgoing-emails.repository.ts'
import type { SuppressionsContext } from '../../suppressions/suppressions.context.ts'
import type { TrackingContext } from '../../tracking/tracking.context.ts'
import type { DeliveryContext } from '../delivery.context.ts'
import type { ClaimedDelivery, Settlement } from '../queue/deliveries.repository.ts'
import type { RecentWork } from '../recent-work.ts'
import type { OutgoingMessage } from './outgoing-message.ts'
import { type Attempt, type Fault, loadPart, prepareAll } from './preparation.ts'
import { type Outcome, sentNotification, toSettlement } from './settlements.ts'
import { type Outcomes, pauseAfterFault } from './settling.ts'
import { actAsReader, simulate } from './simulate.ts'

type Context = PlatformContext & DomainsContext & SuppressionsContext & AudienceContext & EmailsContext & TrackingContext & DeliveryContext

// A batch is processed in parts that fit into memory.

// The spans of the deliveries that this worker has in progress: one for all that is done about a delivery, and in it one for the attempt.

export type DeliveryTraces = {
  /** Continues the traces in which these emails were accepted. */
  begin(part: ClaimedDelivery[], emails: Map<string, OutgoingEmail>): void
  /** Null if the delivery has no span. */
  beginAttempt(delivery: ClaimedDelivery): OpenSpan | null
  settle(delivery: ClaimedDelivery, settlement: Settlement): void
  /** The work on this delivery has ended. Without an outcome, it was given back. */
  end(delivery: ClaimedDelivery): void
}

export function createDeliveryTraces(tracing: Tracing): DeliveryTraces {
  const open = new Map<string, { span: OpenSpan; outcome: string }>()
  return {
    begin(part, emails) {
      for (const delivery of part) {
        const traceparent = emails.get(delivery.emailId)?.traceparent ?? null
        const span = tracing.begin('deliver email', { kind: 'consumer', traceparent, attributes: idsOf(delivery) })
        open.set(delivery.id, { span, outcome: 'released' })
      }
    },
    beginAttempt(delivery) {
      const attributes = { 'network.protocol.name': 'smtp', 'posthaste.attempt': delivery.attemptCount + 1 }
      return open.get(delivery.id)?.span.child('attempt delivery', { kind: 'client', attributes }) ?? null
    },
    settle({ id }, { attempt, state }) {
      const known = open.get(id)
      if (known) known.outcome = attempt?.outcome ?? state?.to ?? known.outcome
    },
    end({ id }) {
      const known = open.get(id)
      open.delete(id)
      known?.span.end({ attributes: { 'posthaste.outcome': known.outcome } })
    },
  }
}

/** The words of the server are left out: they often name the recipient. */
export const endOfAttempt = ({ kind, code, enhancedCode, host, tls }: Outcome) => ({
  isError: kind !== 'delivered',
  attributes: {
    'server.address': host,
    'posthaste.outcome': kind,
    ...(code !== null && { 'posthaste.smtp.reply_code': code }),
    ...(enhancedCode !== null && { 'posthaste.smtp.enhanced_code': enhancedCode }),
    ...(tls !== null && { 'tls.protocol.version': tls }),
  },
})

const idsOf = ({ id, emailId, teamId, class: kind }: ClaimedDelivery): SpanAttributes => ({
  'posthaste.email.id': emailId,
  'posthaste.recipient.id': id,
  'posthaste.team.id': teamId,
  'posthaste.class': kind,
})

/** Content that one statement loads. A batch of large emails is processed in parts. */
const PART_BYTES_MAX = 8 * 1024 * 1024
/** What an email costs in addition to its content, roughly: rows, addresses, the composed message. */
const EMAIL_BYTES = 4_096

/** While a message is composed, memory holds its encoded content, the same in lines, and the whole. */
const COMPOSED_COPIES = 3

/** Parts whose content fits into memory together. A larger email is a part of its own. */
export function splitBatch(claimed: ClaimedDelivery[]): ClaimedDelivery[][] {
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

/** The bytes that the loaded emails of a part take in memory. They are loaded once each, however many recipients they have. */
export const loadedBytes = (part: ClaimedDelivery[]): number =>
  [...new Map(part.map(({ emailId, contentBytes }) => [emailId, contentBytes])).values()].reduce((sum, bytes) => sum + bytes, 0)

/** The bytes that a delivery takes, whose message is composed for its recipient. */
export const composedBytes = ({ contentBytes }: ClaimedDelivery): number => contentBytes * COMPOSED_COPIES + EMAIL_BYTES

/** The bytes that a part takes in memory. */
export const weightOf = (part: ClaimedDelivery[]): number =>
  loadedBytes(part) + part.reduce((sum, delivery) => sum + composedBytes(delivery), 0)

/** Why an attempt did not deliver, for the process log: the words of the server without the addresses that many of them repeat. */
export const loggedReason = (text: string): string =>
  text
    .replace(QUOTED, ADDRESS)
    .split(' ')
    .map((word) => (AT.test(word) ? ADDRESS : word))
    .join(' ')
    // Cut after that, because a cut before could remove the `@` of an address.
    .slice(0, REASON_LENGTH_MAX)

const ADDRESS = '[address]'
/** A local part in quotes may hold spaces (RFC 5321, section 4.1.2). */
const QUOTED = /"[^"]*"@\S*/g
const AT = /@|[([]at[)\]]/i

const REASON_LENGTH_MAX = 300

export type BatchOptions = {
  lease: Lease
  outcomes: Outcomes
  memory: ByteBudget
  urgentMail: Pick<RecentWork, 'isRecent'>
  /** Makes one attempt; every result is an outcome. */
  transmit(delivery: ClaimedDelivery, message: OutgoingMessage): Promise<Outcome>
  /** The work on this delivery has ended, whatever the outcome. */
  onEnd(delivery: ClaimedDelivery): void
  isStopping(): boolean
}

type Batch = BatchOptions & { context: Context; traces: DeliveryTraces | null }

export async function deliverBatch(context: Context, claimed: ClaimedDelivery[], options: BatchOptions): Promise<void> {
  const traces = context.tracing && createDeliveryTraces(context.tracing)
  const batch = { ...options, context, traces, ...(traces && { onEnd: endingSpans(traces, options) }) }
  // One that waits for a slow server does not hold up the next ones. The memory decides how many are in progress.
  await Promise.all(splitBatch(claimed).map((part) => deliverPart(batch, part)))
}

const endingSpans =
  (traces: DeliveryTraces, { onEnd }: BatchOptions): BatchOptions['onEnd'] =>
  (delivery) => {
    traces.end(delivery)
    onEnd(delivery)
  }

async function deliverPart(batch: Batch, part: ClaimedDelivery[]): Promise<void> {
  const { memory } = batch
  let held = weightOf(part)
  await memory.take(held)
  const release = (bytes: number): void => {
    held -= bytes
    memory.giveBack(bytes)
  }
  try {
    const work = await beginPart(batch, part, { onAttempted: (delivery) => release(composedBytes(delivery)) })
    // What is left are the messages that are being sent. An attempt may take minutes, and must not hold more than its own.
    release(held - work.attempted.reduce((sum, delivery) => sum + composedBytes(delivery), 0))
    await Promise.all(work.ends)
  } finally {
    memory.giveBack(held)
  }
}

type BegunPart = { attempted: ClaimedDelivery[]; ends: Promise<void>[] }

/** A function of its own, so that nothing of the part stays in memory but what is being sent. */
async function beginPart(
  batch: Batch,
  part: ClaimedDelivery[],
  { onAttempted }: { onAttempted: (delivery: ClaimedDelivery) => void },
): Promise<BegunPart> {
  const { context, isStopping } = batch
  const loaded = isStopping() ? null : await loadPart(context, part)
  if (!loaded) {
    await giveBack(batch, part)
    return { attempted: [], ends: [] }
  }
  batch.traces?.begin(part, loaded.emails)
  const prepared = await prepareAll(context, part, { loaded, urgentMail: batch.urgentMail })
  const attempts = prepared.flatMap((one) => ('message' in one ? [one] : []))
  const withoutAttempt = prepared.flatMap((one) => ('settlement' in one ? [end(batch, one.delivery, one.settlement)] : []))
  const unbuilt = prepared.flatMap((one) => ('fault' in one ? [one] : []))
  const begun = await begin(batch, attempts)
  return {
    attempted: begun.map(({ delivery }) => delivery),
    ends: [
      ...withoutAttempt,
      giveBackUnbuilt(batch, unbuilt),
      ...begun.map((attempt) => {
        const { delivery } = attempt
        return deliverOne(batch, attempt)
          .catch((error) => leaveOpen(batch, attempt, error))
          .finally(() => onAttempted(delivery))
      }),
    ],
  }
}

/** @returns the attempts that are open now. The others were dropped, rescheduled, or are released. */
async function begin(batch: Batch, attempts: Attempt[]): Promise<Attempt[]> {
  if (attempts.length === 0) return []
  const { context, lease, onEnd } = batch
  const { repositories, clock, log, config } = context
  try {
    const begun = await repositories.deliveries.begin(
      lease.id,
      attempts.map(({ delivery, attemptId }) => ({
        deliveryId: delivery.id,
        attemptId,
        sentNotification: sentNotification(delivery, { isSimulated: simulatedOutcome(delivery.address, config.simulatorDomains) !== null }),
      })),
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
    await giveBack(
      batch,
      attempts.map(({ delivery }) => delivery),
    )
    return []
  }
}

async function deliverOne(batch: Batch, { delivery, attemptId, message }: Attempt): Promise<void> {
  const { clock, log, metrics } = batch.context
  const span = batch.traces?.beginAttempt(delivery) ?? null
  const outcome = await transmitMessage(batch, delivery, message).catch((error) => {
    span?.end({ isError: true })
    throw error
  })
  span?.end(endOfAttempt(outcome))
  discard(message)
  metrics.deliveries.inc({ outcome: outcome.kind, class: delivery.class })
  metrics.destinationDeliveries.inc({ destination: metrics.destinationLabel(delivery.destination), outcome: outcome.kind })
  metrics.deliverySeconds.observe(outcome.durationMs / 1_000)
  log.info(
    {
      emailId: delivery.emailId,
      teamId: delivery.teamId,
      recipientId: delivery.id,
      attempt: delivery.attemptCount + 1,
      outcome: outcome.kind,
      ...(outcome.code !== null && { code: outcome.code }),
      ...(outcome.kind !== 'delivered' && { reason: loggedReason(outcome.text) }),
      host: outcome.host,
      durationMs: Math.round(outcome.durationMs),
    },
    'delivery attempted',
  )
  await end(batch, delivery, toSettlement(delivery, attemptId, outcome, { now: clock.now(), random: Math.random }))
  if (outcome.readerEvents) await actAsReader(batch.context, delivery, outcome.readerEvents)
}

async function transmitMessage({ context, transmit }: Batch, delivery: ClaimedDelivery, message: OutgoingMessage): Promise<Outcome> {
  return simulate(delivery.address, context.config) ?? (await transmit(delivery, message))
}

async function end({ outcomes, traces, onEnd }: Batch, delivery: ClaimedDelivery, settlement: Settlement): Promise<void> {
  await outcomes.settle(settlement)
  traces?.settle(delivery, settlement)
  onEnd(delivery)
}

/** A fault of ours during an attempt: the others continue, and this one is retried. */
async function leaveOpen(batch: Batch, { delivery }: Attempt, error: unknown): Promise<void> {
  batch.context.log.error({ err: error, emailId: delivery.emailId, recipientId: delivery.id }, 'attempt failed unexpectedly')
  await giveBack(batch, [delivery])
}

async function giveBackUnbuilt(batch: Batch, unbuilt: { delivery: ClaimedDelivery; fault: Fault }[]): Promise<void> {
  if (unbuilt.length === 0) return
  await pauseAfterFault()
  const withFault = (wanted: Fault) => unbuilt.flatMap(({ delivery, fault }) => (fault === wanted ? [delivery] : []))
  await giveBack(batch, withFault('outage'))
  await giveBack(batch, withFault('unexplained'), { isClaimCounted: true })
}

/** With `isClaimCounted`, a delivery is given up after as many claims as when it stops its worker. */
async function giveBack({ context, lease, onEnd }: Batch, given: ClaimedDelivery[], { isClaimCounted = false } = {}): Promise<void> {
  const { repositories, clock, log } = context
  const ids = given.map(({ id }) => id)
  while (ids.length > 0 && lease.isHeld()) {
    try {
      await repositories.deliveries.release(lease.id, ids, clock.now(), { isClaimCounted })
      break
    } catch (error) {
      log.warn({ err: error, count: ids.length }, 'deliveries not released')
      await pauseAfterFault()
    }
  }
  given.forEach(onEnd)
}

/** A message that was not sent completely may hold open files. */
function discard({ content }: OutgoingMessage): void {
  if (!Buffer.isBuffer(content)) content.destroy()
}
