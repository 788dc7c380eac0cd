// Deliveries that were claimed together: loaded, prepared, begun and sent. Each of them is settled or released, whatever fails.
import type { Context } from '../../context.ts'
import type { RecentWork } from '../../lib/engine/recent-work.ts'
import type { ByteBudget } from '../../lib/limits/byte-budget.ts'
import type { ClaimedDelivery, Settlement } from '../../repositories/engine/deliveries.ts'
import { composedBytes, partsOf, weightOf } from './batch-parts.ts'
import { createDeliveryTraces, type DeliveryTraces, endOfAttempt } from './delivery-traces.ts'
import type { Lease } from './lease.ts'
import { loggedReason } from './logged-reason.ts'
import type { Outcomes } from './outcomes.ts'
import type { OutgoingMessage } from './outgoing-message.ts'
import { pauseAfterFault } from './pause.ts'
import { type Attempt, type Fault, loadPart, prepareAll } from './preparation.ts'
import { type Outcome, sentNotification, settlementOf } from './settlements.ts'
import { simulate } from './simulate.ts'
import { actAsReader } from './simulated-reader.ts'

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
  await Promise.all(partsOf(claimed).map((part) => deliverPart(batch, part)))
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
  const { repositories, clock, log } = context
  try {
    const begun = await repositories.deliveries.begin(
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
  const outcome = await outcomeOf(batch, delivery, message).catch((error) => {
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
  await end(batch, delivery, settlementOf(delivery, attemptId, outcome, { now: clock.now(), random: Math.random }))
  if (outcome.readerActs) await actAsReader(batch.context, delivery, outcome.readerActs)
}

async function outcomeOf({ context, transmit }: Batch, delivery: ClaimedDelivery, message: OutgoingMessage): Promise<Outcome> {
  return simulate(delivery.address, context.config) ?? (await transmit(delivery, message))
}

async function end({ outcomes, traces, onEnd }: Batch, delivery: ClaimedDelivery, settlement: Settlement): Promise<void> {
  await outcomes.settle(settlement)
  traces?.settle(delivery, settlement)
  onEnd(delivery)
}

/** A fault of ours during an attempt: the others continue, and this one is retried. */
async function leaveOpen(batch: Batch, { delivery }: Attempt, error: unknown): Promise<void> {
  batch.context.log.error({ err: error, emailId: delivery.emailId, recipientId: delivery.id }, 'attempt failed by itself')
  await giveBack(batch, [delivery])
}

async function giveBackUnbuilt(batch: Batch, unbuilt: { delivery: ClaimedDelivery; fault: Fault }[]): Promise<void> {
  if (unbuilt.length === 0) return
  await pauseAfterFault()
  const withFault = (sought: Fault) => unbuilt.flatMap(({ delivery, fault }) => (fault === sought ? [delivery] : []))
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
      log.warn({ err: error, count: ids.length }, 'deliveries not given back')
      await pauseAfterFault()
    }
  }
  given.forEach(onEnd)
}

/** A message that was not sent completely may hold open files. */
function discard({ content }: OutgoingMessage): void {
  if (!Buffer.isBuffer(content)) content.destroy()
}
