import type { Database } from '../../db/database.ts'

/** How far the emails of a broadcast have been made. `reachedContactId`: null before the first. */
export type BroadcastReach = { startedAt: Date; reachedContactId: string | null; recipientCount: number; isFannedOut: boolean }

export function broadcastReachRepository({ tables }: Pick<Database, 'tables'>) {
  return {
    /** Null if no worker has begun to make them. */
    async find(teamId: string, id: string): Promise<BroadcastReach | null> {
      const row = await tables.broadcast.findFirst({
        where: { teamId, id },
        select: { startedAt: true, reachedContactId: true, recipientCount: true, isFannedOut: true },
      })
      return row?.startedAt ? { ...row, startedAt: row.startedAt } : null
    },
  }
}
