// Acts upon what the SMTP server took: bounces, complaints and what else comes back. Messages are read first, several at once; then a batch of them
// is acted upon in one transaction, which settles each exactly once.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Context } from '../../context.ts'
import { isCanceled, isDeadlock, isUnavailable } from '../../lib/database-errors.ts'
import { Failure } from '../../lib/failure.ts'
import { readReport } from '../../mail/reports/report.ts'
import type { Report } from '../../mail/reports/reported.ts'
import type { Conclusion, WaitingMessage } from '../../repositories/inbound/waiting-messages.ts'
import { conclude, unreadable } from './conclusions.ts'
import { recipientsOfReports } from './recipients-of-reports.ts'

const LOOK_EVERY_MS = 1_000
/** Messages of one transaction. */
const BATCH_MAX = 100
/** Messages that are read at once. Reading is mostly work of this process. */
const READ_AT_ONCE = 4
/** A message that was taken more often, and never settled, may kill its worker. */
const TRIES_MAX = 5

type Dependencies = Pick<Context, 'repositories' | 'gateways' | 'returnPathTokens' | 'config' | 'clock' | 'log' | 'metrics'>

/** The message, with what it says; null if that could not be found out now. */
export type ReadMessage = { message: WaitingMessage; report: Report | 'unreadable' | null }

export function startActingOnReports(
  context: Dependencies,
  { lookEveryMs = LOOK_EVERY_MS }: { lookEveryMs?: number } = {},
): { stop(): Promise<void> } {
  const stopping = new AbortController()
  const { signal } = stopping

  async function follow(): Promise<void> {
    while (!signal.aborted) {
      const taken = await actOnReports(context, { signal }).catch((error) => {
        context.log.warn({ err: error }, 'reports not acted upon')
        return 0
      })
      if (taken === 0) await sleep(lookEveryMs, undefined, { signal, ref: false }).catch(() => {})
    }
  }

  const following = follow()
  return {
    async stop() {
      stopping.abort()
      await following
    },
  }
}

/**
 * Acts upon the oldest messages that wait.
 *
 * @returns how many were taken.
 */
export async function actOnReports(
  context: Dependencies,
  { signal, limit = BATCH_MAX }: { signal?: AbortSignal; limit?: number } = {},
): Promise<number> {
  const { repositories, clock } = context
  const taken = await repositories.waitingMessages.takeAcrossTeams(limit, clock.now())
  if (taken.length === 0) return 0
  const read = await readAll(context, taken, signal)
  await postpone(read.filter(({ report }) => report === null))
  try {
    await actUpon(
      context,
      read.filter(({ report }) => report !== null),
    )
  } catch (error) {
    // The database is at fault, not the messages.
    await postpone(read.filter(({ report }) => report !== null)).catch(() => {})
    throw error
  }
  return taken.length

  async function postpone(messages: ReadMessage[]): Promise<void> {
    const ids = messages.map(({ message }) => message.id)
    if (ids.length > 0) await repositories.waitingMessages.postponeAcrossTeams(ids, clock.now())
  }
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
  try {
    return await readReport(await gateways.blobs.open(blobKey))
  } catch (error) {
    if (error instanceof Failure && error.kind === 'notFound') {
      log.error({ inboundMessageId: id, blobKey }, 'content of an inbound message is missing')
      return 'unreadable'
    }
    log.warn({ err: error, inboundMessageId: id }, 'inbound message not read')
    return null
  }
}

/** One message may hold what the database or our own code refuses. Acted upon alone, it does not hold up the others. */
async function actUpon(context: Dependencies, read: ReadMessage[]): Promise<void> {
  try {
    await settle(context, await concludeAll(context, read))
  } catch (error) {
    // A statement that took too long may have done so because of one message.
    if ((isUnavailable(error) && !isCanceled(error)) || isDeadlock(error)) throw error
    const [only] = read
    if (!only || read.length > 1) {
      for (const each of read) await actUpon(context, [each])
      return
    }
    if (only.report === 'unreadable') throw error
    context.log.error({ err: error, inboundMessageId: only.message.id }, 'inbound message given up: what it says could not be acted upon')
    await settle(context, [unreadable(only.message)])
  }
}

async function concludeAll(context: Dependencies, read: ReadMessage[]): Promise<Conclusion[]> {
  const reports = read.flatMap(({ message, report }) => (report === null || report === 'unreadable' ? [] : [{ message, report }]))
  const found = await recipientsOfReports(context, reports)
  const moment = { now: context.clock.now(), simulatorDomains: context.config.simulatorDomains }
  return [
    ...reports.map(({ message, report }) => conclude(message, report, found(message), moment)),
    ...read.flatMap(({ message, report }) => (report === 'unreadable' ? [unreadable(message)] : [])),
  ]
}

async function settle({ repositories, clock, log, metrics }: Dependencies, conclusions: Conclusion[]): Promise<void> {
  if (conclusions.length === 0) return
  const settled = await repositories.waitingMessages.settleAcrossTeams(conclusions, clock.now())
  for (const { messageId, verdict, detail } of conclusions) {
    if (!settled.has(messageId)) continue
    metrics.inboundMessages.inc({ verdict })
    log.info({ inboundMessageId: messageId, verdict, reason: detail.reason }, 'inbound message acted upon')
  }
}
