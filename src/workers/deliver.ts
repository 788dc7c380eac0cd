// The delivery engine: claims due deliveries, opens their attempts, sends, and settles. Several batches are on their way at once;
// everything that is claimed is settled or given back, whatever fails.
import type { Context } from '../context.ts'
import { isRefusedData } from '../lib/database-errors.ts'
import { createId } from '../lib/ids.ts'
import type { ClaimedDelivery, Settlement } from '../repositories/deliveries.ts'
import type { OutgoingEmail } from '../repositories/outgoing-emails.ts'
import { type BuiltMessage, buildMessage } from '../services/build-message.ts'
import type { Lease } from './lease.ts'
import { sentNotification, settlementOf, settlementWithoutAttempt } from './settlements.ts'
import { simulate, suppressionOf, transmit } from './transmit.ts'

/** Deliveries that are claimed and not settled. Several times the connections, so that these never wait for the database. */
const IN_FLIGHT_MAX = 200
const CLAIM_MAX = 50
/** Bytes of content loaded at once: a batch of large emails is worked through in parts. */
const LOADED_BYTES_MAX = 16 * 1024 * 1024
const SETTLE_MAX = 200
const POLL_MS = 1_000
const RETRY_AFTER_FAULT_MS = 1_000
/** A row claimed more often than this without an outcome is given up: no message can kill the service for ever. */
const CLAIMS_MAX = 5
/** Rows that may be what kills workers are looked for this often. */
const SUSPECTS_EVERY_MS = 5_000

export type Deliverer = {
  wake(): void
  /** Claims nothing more, waits for what is on its way, and gives back what was not begun. */
  stop(): Promise<void>
}

type Attempt = { delivery: ClaimedDelivery; attemptId: string; email: OutgoingEmail; message: BuiltMessage }

export function startDeliverer(context: Context, lease: Lease): Deliverer {
  const { repositories, config, clock, log, metrics } = context
  const deliveries = repositories.deliveries
  const inFlight = new Set<string>()
  const batches = new Set<Promise<void>>()
  const unsettled: { settlement: Settlement; settled: () => void }[] = []
  let isStopping = false
  let isWoken = false
  let wakeUp: () => void = () => {}
  let suspectsLookedForAtMs = Number.NEGATIVE_INFINITY
  let isSettling = false

  const running = run()

  async function run(): Promise<void> {
    while (!isStopping) {
      isWoken = false
      const tookFully = await claim().catch((error) => {
        log.warn({ err: error }, 'deliveries not claimed')
        return false
      })
      if (!tookFully && !isStopping) await rest()
    }
  }

  /** Until woken, or for a second: polling is the truth, being woken only makes it faster. */
  async function rest(): Promise<void> {
    if (isWoken) return
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, POLL_MS)
      wakeUp = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }

  function wake(): void {
    isWoken = true
    wakeUp()
  }

  /** Takes what there is room for. True: there may be more at once. */
  async function claim(): Promise<boolean> {
    if (!lease.isHeld()) return false
    if (clock.monotonicMs() - suspectsLookedForAtMs >= SUSPECTS_EVERY_MS) await claimSuspect()
    const room = Math.min(CLAIM_MAX, IN_FLIGHT_MAX - inFlight.size)
    if (room < CLAIM_MAX / 2) return false
    const claimed = await deliveries.claim(lease.id, { now: clock.now(), limit: room, isSuspect: false })
    track(claimed)
    return claimed.length === room
  }

  /** A row that was taken several times without an outcome may be what kills its worker: alone, it takes nothing else with it. */
  async function claimSuspect(): Promise<void> {
    suspectsLookedForAtMs = clock.monotonicMs()
    while (!isStopping) {
      const claimed = await deliveries.claim(lease.id, { now: clock.now(), limit: 1, isSuspect: true })
      if (claimed.length === 0) return
      await Promise.all(batches)
      track(claimed)
      await Promise.all(batches)
    }
  }

  function track(claimed: ClaimedDelivery[]): void {
    if (claimed.length === 0) return
    for (const { id } of claimed) inFlight.add(id)
    const batch = deliverAll(claimed).finally(() => {
      batches.delete(batch)
      wake()
    })
    batches.add(batch)
  }

  async function deliverAll(claimed: ClaimedDelivery[]): Promise<void> {
    for (const part of parts(claimed)) {
      if (isStopping) await giveBack(part)
      else await deliverPart(part)
    }
  }

  async function deliverPart(part: ClaimedDelivery[]): Promise<void> {
    const emails = await load(part)
    if (!emails) return giveBack(part)
    const attempts: Attempt[] = []
    const ended: Promise<void>[] = []
    for (const delivery of part) {
      const attempt = await prepare(delivery, emails.get(delivery.emailId))
      if ('attemptId' in attempt) attempts.push(attempt)
      else ended.push(settle(attempt))
    }
    const begun = await begin(attempts)
    await Promise.all([...ended, ...begun.map((attempt) => deliverOne(attempt).catch((error) => leaveOpen(attempt, error)))])
  }

  /** A fault of ours in the middle of an attempt: the others go on, and this one is tried again. */
  async function leaveOpen({ delivery }: Attempt, error: unknown): Promise<void> {
    log.error({ err: error, emailId: delivery.emailId, recipientId: delivery.recipientId }, 'attempt failed by itself')
    await giveBack([delivery])
  }

  /** Null when the database does not answer: whoever comes next waits a little, instead of asking as fast as it can. */
  async function load(part: ClaimedDelivery[]): Promise<Map<string, OutgoingEmail> | null> {
    try {
      return await repositories.outgoingEmails.load([...new Set(part.map(({ emailId }) => emailId))])
    } catch (error) {
      log.warn({ err: error }, 'emails not loaded')
      await pauseAfterFault()
      return null
    }
  }

  /** @returns the attempts that are open now. The others were dropped, dated anew, or are given back. */
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
        inFlight.delete(delivery.id)
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

  /** What can be said before anything is tried, or else the message to try with. */
  async function prepare(delivery: ClaimedDelivery, email: OutgoingEmail | undefined): Promise<Attempt | Settlement> {
    if (!email) return settlementWithoutAttempt(delivery, 'failed', 'The email does not exist any more.')
    if (delivery.claims > CLAIMS_MAX) {
      log.error(
        { emailId: email.id, recipientId: delivery.recipientId, claims: delivery.claims },
        'delivery given up: it could not be processed',
      )
      return settlementWithoutAttempt(delivery, 'failed', 'The email could not be processed.')
    }
    if (!email.isKeyActive)
      return settlementWithoutAttempt(delivery, 'failed', 'The API key that scheduled the email was deleted before its time.')
    const suppression = suppressionOf(delivery.address, config)
    if (suppression) return settlementWithoutAttempt(delivery, 'suppressed', suppression)
    try {
      return { delivery, email, attemptId: createId(), message: await buildMessage(context, email) }
    } catch (error) {
      log.error({ err: error, emailId: email.id }, 'message not built')
      return settlementWithoutAttempt(delivery, 'failed', 'The message could not be built.')
    }
  }

  async function deliverOne({ delivery, attemptId, message, email }: Attempt): Promise<void> {
    const outcome = simulate(delivery.address, config) ?? (await transmit(context, { delivery, message, mayContinue: lease.isHeld }))
    discard(message)
    metrics.deliveries.inc({ outcome: outcome.kind })
    metrics.deliverySeconds.observe(outcome.durationMs / 1_000)
    log.info(
      {
        emailId: email.id,
        teamId: delivery.teamId,
        recipientId: delivery.recipientId,
        attempt: delivery.attemptCount + 1,
        outcome: outcome.kind,
        code: outcome.code,
        host: outcome.host,
        durationMs: Math.round(outcome.durationMs),
      },
      'delivery attempted',
    )
    await settle(settlementOf(delivery, attemptId, outcome, { now: clock.now(), random: Math.random }))
  }

  /** Resolves once the outcome is written. What settles meanwhile shares the next transaction. */
  function settle(settlement: Settlement): Promise<void> {
    return new Promise((resolve) => {
      unsettled.push({
        settlement,
        settled() {
          inFlight.delete(settlement.deliveryId)
          resolve()
        },
      })
      if (!isSettling) void settleAll()
    })
  }

  async function settleAll(): Promise<void> {
    isSettling = true
    while (unsettled.length > 0) {
      const batch = unsettled.splice(0, SETTLE_MAX)
      const wasWritten = await write(batch.map(({ settlement }) => settlement))
      if (wasWritten) for (const { settled } of batch) settled()
      else {
        // An outcome is a fact: it is kept until the database takes it.
        unsettled.unshift(...batch)
        await pauseAfterFault()
      }
      if (inFlight.size < IN_FLIGHT_MAX - CLAIM_MAX) wake()
    }
    isSettling = false
  }

  async function write(settlements: Settlement[]): Promise<boolean> {
    try {
      await deliveries.settle(lease.id, settlements, clock.now())
      return true
    } catch (error) {
      if (!isRefusedData(error)) {
        log.warn({ err: error, count: settlements.length }, 'outcomes not written')
        return false
      }
      const [only] = settlements
      if (only && settlements.length === 1) return writeBare(only, error)
      // One of them is at fault: alone it does not keep the others back.
      for (const settlement of settlements) if (!(await write([settlement]))) return false
      return true
    }
  }

  /** The outcome without the words that came with it: these can be refused, the outcome itself cannot. */
  async function writeBare(settlement: Settlement, cause: unknown): Promise<boolean> {
    log.error({ err: cause, deliveryId: settlement.deliveryId }, 'details of an outcome refused by the database')
    const attempt = settlement.attempt && { ...settlement.attempt, host: null, tls: null, enhancedCode: null, text: null }
    return deliveries.settle(lease.id, [{ ...settlement, attempt, notifications: [] }], clock.now()).then(
      () => true,
      () => false,
    )
  }

  async function giveBack(claimed: ClaimedDelivery[]): Promise<void> {
    const ids = claimed.map(({ id }) => id)
    while (ids.length > 0 && lease.isHeld()) {
      try {
        await deliveries.release(lease.id, ids, clock.now())
        break
      } catch (error) {
        log.warn({ err: error, count: ids.length }, 'deliveries not given back')
        await pauseAfterFault()
      }
    }
    for (const id of ids) inFlight.delete(id)
  }

  return {
    wake,
    async stop() {
      isStopping = true
      wake()
      await running
      await Promise.all(batches)
    },
  }
}

const pauseAfterFault = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, RETRY_AFTER_FAULT_MS))

/** Batches whose content fits into memory together; a larger email goes alone. */
function parts(claimed: ClaimedDelivery[]): ClaimedDelivery[][] {
  const found: ClaimedDelivery[][] = []
  let current: ClaimedDelivery[] = []
  let bytes = 0
  for (const delivery of claimed) {
    if (current.length > 0 && bytes + delivery.contentBytes > LOADED_BYTES_MAX) {
      found.push(current)
      current = []
      bytes = 0
    }
    current.push(delivery)
    bytes += delivery.contentBytes
  }
  return current.length > 0 ? [...found, current] : found
}

/** A message that was not sent to its end may hold open files. */
function discard({ content }: BuiltMessage): void {
  if (!Buffer.isBuffer(content)) content.destroy()
}
