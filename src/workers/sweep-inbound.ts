// Clean-up of what the SMTP server took. Anyone can send to it, so what is kept has a limit in time and in bytes.
import type { Context } from '../context.ts'
import type { RemovedMessages } from '../repositories/inbound/inbound-messages.ts'

const DAY_MS = 24 * 60 * 60 * 1_000
const MIB = 1024 * 1024

/** The content of what was not acted upon is kept for operators who look into it. */
export const OTHER_CONTENT_KEPT_DAYS = 3
export const OTHER_CONTENT_BYTES_MAX = 512 * MIB
/** Room for a million bounces of the usual size. Everyone who got a mail has a return path, and can send bounces to it. */
export const ACTED_UPON_CONTENT_BYTES_MAX = 4_096 * MIB

type Dependencies = Pick<Context, 'repositories' | 'gateways' | 'config' | 'clock' | 'log'>

export async function sweepInboundMessages(context: Dependencies): Promise<void> {
  const { repositories, config, clock, log } = context
  const nowMs = clock.now().getTime()
  // What became of a message is in the events by then.
  const before = new Date(nowMs - config.logRetentionDays * DAY_MS)
  const removed = await removeAll(context, () => repositories.inboundMessages.removeDoneAcrossTeams(before))
  if (removed > 0) log.info({ removed }, 'old inbound messages removed')

  const othersBefore = new Date(nowMs - OTHER_CONTENT_KEPT_DAYS * DAY_MS)
  const cleared = await removeAll(context, () => repositories.keptContents.removeOtherAcrossTeams(othersBefore))
  if (cleared > 0) log.info({ cleared }, 'contents of inbound messages that were not acted upon removed')
}

/** Removes the oldest contents beyond the bytes that are kept, whatever their age: more may arrive in an hour than the disk has room for. */
export async function boundInboundContents(context: Pick<Dependencies, 'repositories' | 'gateways' | 'log'>): Promise<void> {
  const { repositories, log } = context
  for (const [kind, bytesMax] of [
    ['other', OTHER_CONTENT_BYTES_MAX],
    ['acted upon', ACTED_UPON_CONTENT_BYTES_MAX],
  ] as const) {
    const cleared = await removeAll(context, () => repositories.keptContents.removeBeyondAcrossTeams(kind, bytesMax))
    if (cleared > 0) log.warn({ cleared, kind, bytesMax }, 'oldest contents of inbound messages removed to make room')
  }
}

/** @returns how many messages. */
async function removeAll({ gateways }: Pick<Dependencies, 'gateways'>, removeSome: () => Promise<RemovedMessages>): Promise<number> {
  let removed = 0
  for (let messages = -1; messages !== 0; removed += messages) {
    const batch = await removeSome()
    // Rows before blobs, as with emails.
    for (const key of batch.blobKeys) await gateways.blobs.remove(key)
    messages = batch.messages
  }
  return removed
}
