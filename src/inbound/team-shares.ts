// How much a team may receive, so that one that gets a flood of mail leaves room for the others.
import type { Context } from '../context.ts'
import { createExpiringCache } from '../lib/expiring-cache.ts'
import { createWindowCounts } from '../lib/limits/window-counts.ts'
import type { RefusalReason } from './replies.ts'

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS
/** Teams that are counted at once. */
const TEAMS_MAX = 10_000
/** What other processes stored is seen after this time. */
const BYTES_KEPT_MS = 10_000

export function createTeamShares({ config, clock, repositories }: Pick<Context, 'config' | 'clock' | 'repositories'>) {
  const messages = createWindowCounts({ keysMax: TEAMS_MAX, clock })
  const bytes = createExpiringCache<{ ofDay: number }>({ entriesMax: TEAMS_MAX, clock })

  async function bytesOf(teamId: string): Promise<{ ofDay: number }> {
    const known = bytes.get(teamId)
    if (known !== undefined) return known
    const since = new Date(clock.now().getTime() - DAY_MS)
    const counted = { ofDay: await repositories.receivedEmails.bytesSince(teamId, since) }
    bytes.set(teamId, counted, BYTES_KEPT_MS)
    return counted
  }

  return {
    /** Counts a message. Null if the team may receive it. */
    async takeMessage(teamId: string): Promise<RefusalReason | null> {
      if ((await bytesOf(teamId)).ofDay >= config.receivedBytesPerDay) return 'team bytes'
      return messages.add(teamId, MINUTE_MS).current > config.receivedPerMinute ? 'team messages' : null
    },

    /** A message was stored. */
    addBytes(teamId: string, count: number): void {
      const known = bytes.get(teamId)
      if (known !== undefined) known.ofDay += count
    },
  }
}
