// How fast each set of MX hosts is sent to; in SQL where many are written at once, or read by the JSON of their pace.

import type { Database } from '../../../db/database.ts'
import { isPaused, type Pace, parsePace } from './destination-pace.ts'

/** Rows of one reading. Fewer change within a few seconds. */
const READ_MAX = 1_000

export type PaceRow = { key: string; pace: Pace; updatedAt: Date }

/** The pace of each set of MX hosts, in rows that all processes share. For workers. */
export function destinationPaceRepository({ tables, execute }: Pick<Database, 'tables' | 'execute'>) {
  return {
    /** What other workers have written since. */
    async changedSince(since: Date, workerId: string): Promise<PaceRow[]> {
      const rows = await tables.destinationPace.findMany({
        where: { updatedAt: { gte: since }, updatedBy: { not: workerId } },
        select: { key: true, pace: true, updatedAt: true },
        orderBy: { updatedAt: 'asc' },
        take: READ_MAX,
      })
      return rows.flatMap(({ pace, ...row }) => {
        const known = parsePace(pace)
        return known ? [{ ...row, pace: known }] : []
      })
    },

    /** Lists the paces that changed last. */
    async newestAcrossTeams(limit: number): Promise<PaceRow[]> {
      const rows = await tables.destinationPace.findMany({
        select: { key: true, pace: true, updatedAt: true },
        orderBy: { updatedAt: 'desc' },
        take: limit,
      })
      return rows.flatMap(({ pace, ...row }) => {
        const known = parsePace(pace)
        return known ? [{ ...row, pace: known }] : []
      })
    },

    async save(paces: { key: string; pace: Pace }[], workerId: string, now: Date): Promise<void> {
      await execute(
        `insert into destination_paces (key, pace, updated_by, updated_at)
         select key, pace, $2, $3 from jsonb_to_recordset($1::jsonb) as p(key text, pace jsonb) order by key
         on conflict (key) do update set pace = excluded.pace, updated_by = excluded.updated_by, updated_at = excluded.updated_at`,
        [JSON.stringify(paces), workerId, now],
      )
    },

    /** Sets that are paused for a while, because their hosts asked for less or do not answer. */
    async listPausedAcrossTeams(now: Date): Promise<{ key: string; pace: Pace }[]> {
      const rows = await execute<{ key: string; pace: unknown }>(
        `select key, pace from destination_paces where pace->'pausedUntilMs' > to_jsonb($1::bigint) order by updated_at desc limit ${READ_MAX}`,
        [now.getTime()],
      )
      return rows.flatMap(({ key, pace }) => {
        const known = parsePace(pace)
        return known && isPaused(known, now.getTime()) ? [{ key, pace: known }] : []
      })
    },

    /** Forgets destinations without problems for a long time; returns how many. */
    async removeBeforeAcrossTeams(before: Date): Promise<number> {
      return (await tables.destinationPace.deleteMany({ where: { updatedAt: { lt: before } } })).count
    },
  }
}
