// Acts upon what the SMTP server took: bounces, complaints and what else comes back. Messages are read first, several at once; then a batch of them
// is acted upon in one transaction, which settles each exactly once.
import { isCanceled, isDeadlock, isUnavailable } from '../../db/database-errors.ts'
import type { PlatformContext } from '../../http/platform.context.ts'
import { Failure } from '../../lib/failure.ts'
import { startPollLoop } from '../../lib/poll-loop.ts'
import type { DeliveryContext } from '../delivery/delivery.context.ts'
import type { DomainsContext } from '../domains/domains.context.ts'
import type { BouncesContext } from './bounces.context.ts'
import {
  type ClaimedComplaint,
  type ComplaintVerifier,
  createComplaintVerifier,
  type ReportableRecipients,
  takesTooLong,
} from './complaint-verifier.ts'
import { conclude, concludeClaim, unreadable } from './conclusions.ts'
import type { Conclusion, PostponeOptions, WaitingMessage } from './pending-reports.repository.ts'
import { recipientsOfReports } from './recipients-of-reports.ts'
import type { Report } from './reports/delivery-status.ts'
import { READ_BYTES_MAX } from './reports/message-parts.ts'

type Context = PlatformContext & DomainsContext & DeliveryContext & BouncesContext

const LOOK_EVERY_MS = 1_000
/** Messages of one transaction. */
const BATCH_MAX = 100
/** Contents that are fetched at once. The thread takes one after the other apart. */
const READ_AT_ONCE = 4
/** Reading is tried so often when our own code fails, or takes too long. */
const FAULTS_MAX = 3
/** A message that was taken more often, and never settled, may kill its worker. */
const TRIES_MAX = 5

type Dependencies = Pick<Context, 'repositories' | 'gateways' | 'returnPathTokens' | 'config' | 'clock' | 'log' | 'metrics'>

/** The message, with what it says. `later`: its content could not be read now. `faulty`: our own code failed. */
export type ReadMessage = { message: WaitingMessage; report: Report | 'unreadable' | 'later' | 'faulty' }

export function startActingOnReports(
  context: Dependencies,
  { lookEveryMs = LOOK_EVERY_MS }: { lookEveryMs?: number } = {},
): { stop(): Promise<void> } {
  const verifier = createComplaintVerifier(context)
  const verifying = new Set<Promise<void>>()

  const loop = startPollLoop(async ({ signal, pause }) => {
    // What waits for the DNS holds up nothing else.
    const batch = await actOnBatch(context, { signal, verifier }).catch((error) => {
      context.log.warn({ err: error }, 'reports not acted upon')
      return { taken: 0, verifying: null }
    })
    if (batch.verifying !== null) {
      const verified = batch.verifying
        .catch((error) => context.log.warn({ err: error }, 'complaints not acted upon'))
        .finally(() => verifying.delete(verified))
      verifying.add(verified)
    }
    if (batch.taken === 0) await pause(lookEveryMs)
  })

  return {
    async stop() {
      await loop.stop()
      await Promise.all(verifying)
    },
  }
}

type BatchOptions = { signal?: AbortSignal; limit?: number; verifier?: ComplaintVerifier }

/**
 * Acts upon the oldest messages that wait.
 *
 * @returns how many were taken.
 */
export async function actOnReports(context: Dependencies, options: BatchOptions = {}): Promise<number> {
  const { taken, verifying } = await actOnBatch(context, options)
  await verifying
  return taken
}

/** `verifying` ends when the complaints are settled that need the DNS; null if there are none. */
async function actOnBatch(
  context: Dependencies,
  { signal, limit = BATCH_MAX, verifier = createComplaintVerifier(context) }: BatchOptions,
): Promise<{ taken: number; verifying: Promise<void> | null }> {
  const taken = await context.repositories.waitingMessages.takeAcrossTeams(limit, context.clock.now())
  if (taken.length === 0) return { taken: 0, verifying: null }
  const read = await readAll(context, taken, signal)
  try {
    const unread = Map.groupBy(read, ({ report }) => (report === 'later' || report === 'faulty' ? report : 'known'))
    await postpone(context, unread.get('later') ?? [])
    await postpone(context, unread.get('faulty') ?? [], { counts: 'try' })
    const claims = await oneByOneIfNeeded(context, unread.get('known') ?? [], (some) => actUpon(context, some))
    const verified = claims.splice(0, verifier.room())
    await postpone(context, claims, { counts: 'postponement' })
    return { taken: taken.length, verifying: verified.length === 0 ? null : actUponClaims(context, verified, { verifier, signal }) }
  } catch (error) {
    // The database is at fault, not the messages.
    await postpone(context, read).catch(() => {})
    throw error
  }
}

async function postpone(
  { repositories, clock }: Dependencies,
  messages: { message: WaitingMessage }[],
  options?: PostponeOptions,
): Promise<void> {
  const ids = messages.map(({ message }) => message.id)
  if (ids.length > 0) await repositories.waitingMessages.postponeAcrossTeams(ids, clock.now(), options)
}

async function readAll(context: Dependencies, messages: WaitingMessage[], signal: AbortSignal | undefined): Promise<ReadMessage[]> {
  const waiting = [...messages]
  const read: ReadMessage[] = []
  async function readSome(): Promise<void> {
    for (let message = waiting.shift(); message; message = signal?.aborted ? undefined : waiting.shift())
      read.push({ message, report: await readOne(context, message) })
  }
  await Promise.all(Array.from({ length: READ_AT_ONCE }, readSome))
  if (waiting.length > 0) await context.repositories.waitingMessages.releaseAcrossTeams(waiting.map(({ id }) => id))
  return read
}

async function readOne({ gateways, log }: Dependencies, { id, blobKey, tries }: WaitingMessage): Promise<ReadMessage['report']> {
  if (tries > TRIES_MAX) {
    log.error({ inboundMessageId: id, tries }, 'inbound message given up: it could not be processed')
    return 'unreadable'
  }
  let bytes: Uint8Array
  try {
    bytes = await readBeginning(await gateways.blobs.open(blobKey))
  } catch (error) {
    if (error instanceof Failure && error.kind === 'notFound') {
      log.error({ inboundMessageId: id, blobKey }, 'content of an inbound message is missing')
      return 'unreadable'
    }
    log.warn({ err: error, inboundMessageId: id }, 'inbound message not read')
    return 'later'
  }
  try {
    const report = await gateways.reports.read(bytes)
    if (report !== 'overdue') return report
    if (tries < FAULTS_MAX) {
      log.warn({ inboundMessageId: id, tries }, 'inbound message not read in time')
      return 'faulty'
    }
    log.error({ inboundMessageId: id, blobKey, tries }, 'inbound message given up: it takes too long to read')
    return 'unreadable'
  } catch (error) {
    // No thread was there, which says nothing about the message.
    const isWithoutThread = error instanceof Failure && error.kind === 'unavailable'
    if (isWithoutThread || tries < FAULTS_MAX) {
      log.warn({ err: error, inboundMessageId: id, tries }, 'inbound message not read')
      return isWithoutThread ? 'later' : 'faulty'
    }
    log.error({ err: error, inboundMessageId: id, blobKey, tries }, 'inbound message given up: reading it fails')
    return 'unreadable'
  }
}

/** Returns as much of a message as is read. */
async function readBeginning(content: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const pieces: Uint8Array[] = []
  let length = 0
  for await (const piece of content) {
    pieces.push(piece)
    length += piece.length
    if (length >= READ_BYTES_MAX) break
  }
  return Buffer.concat(pieces, Math.min(length, READ_BYTES_MAX))
}

/** One message may hold what the database or our own code refuses. Acted upon alone, it does not hold up the others. */
async function oneByOneIfNeeded<Item extends { message: WaitingMessage }, Result>(
  context: Dependencies,
  items: Item[],
  act: (items: Item[]) => Promise<Result[]>,
): Promise<Result[]> {
  try {
    return await act(items)
  } catch (error) {
    // A statement that took too long may have done so because of one message.
    if ((isUnavailable(error) && !isCanceled(error)) || isDeadlock(error)) throw error
    const [only] = items
    if (only && items.length === 1) {
      const { id } = only.message
      context.log.error({ err: error, inboundMessageId: id }, 'inbound message given up: what it says could not be acted upon')
      await settle(context, [unreadable(only.message)])
      return []
    }
    const results: Result[] = []
    for (const item of items) results.push(...(await oneByOneIfNeeded(context, [item], act)))
    return results
  }
}

/** @returns the complaints that have to be verified first. */
async function actUpon(context: Dependencies, read: ReadMessage[]): Promise<ClaimedComplaint[]> {
  const reports = read.flatMap(({ message, report }) => (typeof report === 'string' ? [] : [{ message, report }]))
  const found = await recipientsOfReports(context, reports, context.clock.now())
  const concluded = reports.map(({ message, report }) => conclude(message, report, found(message), conclusionOptions(context)))
  await settle(context, [
    ...concluded.flatMap((one) => ('claim' in one ? [] : [one])),
    ...read.flatMap(({ message, report }) => (report === 'unreadable' ? [unreadable(message)] : [])),
  ])
  return concluded.flatMap((one) => ('claim' in one ? [one.claim] : []))
}

async function actUponClaims(
  context: Dependencies,
  claims: ClaimedComplaint[],
  { verifier, signal }: { verifier: ComplaintVerifier; signal: AbortSignal | undefined },
): Promise<void> {
  const verified = await Promise.all(
    claims.map(async (claim) => ({ claim, result: await verifyClaim(context, claim, { verifier, signal }) })),
  )
  const later = (how: 'later' | 'overdue') => verified.flatMap(({ claim, result }) => (result === how ? [claim] : []))
  try {
    // A worker that stops has not waited for the DNS.
    await postpone(context, later('later'), signal?.aborted ? {} : { counts: 'postponement' })
    await postpone(context, later('overdue'), { counts: 'try' })
    const decided = verified.flatMap(({ claim, result }) => (typeof result === 'string' ? [] : [{ ...claim, result }]))
    await oneByOneIfNeeded(context, decided, async (some) => {
      await settle(
        context,
        some.map(({ result, ...claim }) => concludeClaim(claim, result, conclusionOptions(context))),
      )
      return []
    })
  } catch (error) {
    await postpone(context, claims).catch(() => {})
    throw error
  }
}

async function verifyClaim(
  { log }: Dependencies,
  claim: ClaimedComplaint,
  { verifier, signal }: { verifier: ComplaintVerifier; signal: AbortSignal | undefined },
): Promise<ReportableRecipients | 'later' | 'overdue'> {
  const { id, tries } = claim.message
  try {
    const result = await verifier.verify(claim, signal)
    if (result !== 'overdue') return result
    log.warn({ inboundMessageId: id, tries }, 'signature of a complaint not verified in time')
    return tries < FAULTS_MAX ? 'overdue' : takesTooLong
  } catch (error) {
    log.warn({ err: error, inboundMessageId: id }, 'complaint not verified')
    return 'later'
  }
}

const conclusionOptions = ({ clock, config }: Dependencies) => ({ now: clock.now(), simulatorDomains: config.simulatorDomains })

async function settle({ repositories, clock, log, metrics }: Dependencies, conclusions: Conclusion[]): Promise<void> {
  if (conclusions.length === 0) return
  const { settled, suppressed } = await repositories.waitingMessages.settleAcrossTeams(conclusions, clock.now())
  for (const origin of suppressed) metrics.suppressionsAdded.inc({ origin })
  for (const { messageId, verdict, detail } of conclusions) {
    if (!settled.has(messageId)) continue
    metrics.inboundMessages.inc({ verdict })
    log.info({ inboundMessageId: messageId, verdict, reason: detail.reason }, 'inbound message settled')
  }
}
