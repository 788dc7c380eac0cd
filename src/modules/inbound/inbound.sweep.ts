// Clean-up of what the SMTP server took. Anyone can send to it, so what is kept has a limit in time and in bytes.

import type { PlatformContext } from '../../http/platform.context.ts'
import { DAY_MS } from '../../lib/clock.ts'
import { purgeWithBlobs, type RemovedRows } from '../../lib/purge.ts'
import type { InboundContext } from './inbound.context.ts'
import { INBOUND_VERDICTS, type InboundVerdict } from './inbound-messages.repository.ts'

type Context = PlatformContext & InboundContext

const MIB = 1024 * 1024

/** The content of what was not acted upon is kept for operators who look into it. */
export const OTHER_CONTENT_KEPT_DAYS = 3
export const OTHER_CONTENT_BYTES_MAX = 512 * MIB
/** Room for a million bounces of the usual size. Everyone who got a mail has a return path, and can send bounces to it. */
export const ACTED_UPON_CONTENT_BYTES_MAX = 4_096 * MIB

/**
 * The limit for each verdict, so that a flood of one leaves what operators look for of another. Messages that were acted upon are in the events, and
 * anyone who got a mail can send their rows.
 */
export const ACTED_UPON_ROWS_MAX = 1_000_000
export const OTHER_ROWS_MAX = 50_000

type Dependencies = Pick<Context, 'repositories' | 'gateways' | 'config' | 'clock' | 'log'>

export async function sweepInboundMessages(context: Dependencies): Promise<void> {
  const { repositories, gateways, config, clock, log } = context
  const nowMs = clock.now().getTime()
  // What became of a message is in the events by then.
  const before = new Date(nowMs - config.logRetentionDays * DAY_MS)
  const removed = await purgeWithBlobs(gateways.blobs, () => repositories.inboundMessages.removeDoneAcrossTeams(before))
  if (removed > 0) log.info({ removed }, 'old inbound messages removed')

  const othersBefore = new Date(nowMs - OTHER_CONTENT_KEPT_DAYS * DAY_MS)
  const cleared = await purgeWithBlobs(gateways.blobs, () => repositories.keptContents.removeOtherAcrossTeams(othersBefore))
  if (cleared > 0) log.info({ cleared }, 'contents of inbound messages that were not acted upon removed')
}

type BoundDependencies = Pick<Dependencies, 'repositories' | 'gateways' | 'log'>

/** Removes the oldest beyond what is kept, whatever their age: more may arrive in an hour than there is room for. */
export async function boundInbound(context: BoundDependencies): Promise<void> {
  await boundRows(context)
  await boundContents(context)
}

async function boundRows(context: BoundDependencies): Promise<void> {
  const { repositories, gateways, log } = context
  for (const verdict of INBOUND_VERDICTS) {
    const rowsMax = isActedUpon(verdict) ? ACTED_UPON_ROWS_MAX : OTHER_ROWS_MAX
    const newest = await repositories.inboundMessages.newestBeyondAcrossTeams(verdict, rowsMax)
    if (newest === null) continue
    const removed = await purgeWithBlobs(gateways.blobs, () => repositories.inboundMessages.removeUpToAcrossTeams(verdict, newest))
    log.warn({ removed, verdict, rowsMax }, 'oldest inbound messages removed to make room')
  }
}

const isActedUpon = (verdict: InboundVerdict): boolean => verdict === 'bounce' || verdict === 'complaint'

async function boundContents(context: BoundDependencies): Promise<void> {
  const { repositories, gateways, log } = context
  for (const [kind, bytesMax] of [
    ['other', OTHER_CONTENT_BYTES_MAX],
    ['acted upon', ACTED_UPON_CONTENT_BYTES_MAX],
  ] as const) {
    let excess = (await repositories.keptContents.bytesAcrossTeams(kind)) - bytesMax
    const cleared = await purgeWithBlobs(gateways.blobs, async () => {
      if (excess <= 0) return NOTHING_REMOVED
      const removed = await repositories.keptContents.removeOldestAcrossTeams(kind, excess)
      excess -= removed.bytes
      return removed
    })
    if (cleared > 0) log.warn({ cleared, kind, bytesMax }, 'oldest contents of inbound messages removed to make room')
  }
}

const NOTHING_REMOVED: RemovedRows = { rows: 0, blobKeys: [] }
