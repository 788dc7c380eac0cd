// Parts of the queue that an operator has stopped; in SQL only their removal, because a null means any there, and the removed rows are returned.

import { oneOf } from '../../../db/columns.ts'
import type { Database } from '../../../db/database.ts'
import { IS_NOT_HELD } from '../../../db/held.ts'
import type { Prisma } from '../../../generated/prisma/client.ts'
import { createId } from '../../../lib/ids.ts'
import { LANE_CLASSES } from '../../emails/new-delivery.ts'
import type { QueuePart } from '../lanes.ts'

/** More would be a mistake, and each worker reads all of them every second. */
const PAUSES_MAX = 1_000

export type QueuePauseRow = QueuePart & {
  id: string
  createdAt: Date
  /** When the backup was made, if the database was restored. Webhooks, broadcasts and automations rest too. */
  backupAt: Date | null
}

/** Parts of the queue that an operator has paused. They are rows, so that they stay paused after a restart. */
export function queuePauseRepository({ tables, execute }: Pick<Database, 'tables' | 'execute'>) {
  return {
    async listAcrossTeams(): Promise<QueuePauseRow[]> {
      return (await tables.queuePause.findMany({ select: columns, orderBy: [{ createdAt: 'asc' }, { id: 'asc' }] })).map(toRow)
    },

    /** When the backup was made from which the database was restored, if the queue was not resumed since; otherwise null. */
    async heldSinceBackupAcrossTeams(): Promise<Date | null> {
      const { _max } = await tables.queuePause.aggregate({ _max: { backupAt: true } })
      return _max.backupAt
    },

    /** Pauses a part. Workers park its rows as they find them. */
    async addAcrossTeams({ class: kind, teamId, destination }: QueuePart, now: Date): Promise<'added' | 'exists' | 'too many'> {
      const part = { class: kind, teamId, destination }
      if (await tables.queuePause.findFirst({ where: { ...part, backupAt: null }, select: { id: true } })) return 'exists'
      if ((await tables.queuePause.count()) >= PAUSES_MAX) return 'too many'
      await tables.queuePause.create({ data: { id: createId(), ...part, createdAt: now }, select: { id: true } })
      return 'added'
    },

    /**
     * Removes every pause that lies wholly in a part, and returns them. Of a queue that a restore holds, the whole is that hold alone: what an operator
     * had paused before the backup was made stays paused until it is resumed itself.
     */
    removeWithinAcrossTeams: (part: QueuePart): Promise<QueuePauseRow[]> =>
      execute<QueuePauseRow>(REMOVE, [part.class, part.teamId, part.destination]),
  }
}

const columns = { id: true, class: true, teamId: true, destination: true, createdAt: true, backupAt: true } as const

const toRow = ({ class: kind, ...row }: Prisma.QueuePauseGetPayload<{ select: typeof columns }>): QueuePauseRow => ({
  ...row,
  class: kind === null ? null : oneOf(LANE_CLASSES, kind),
})

const COLUMNS = 'id, class, team_id as "teamId", destination, created_at as "createdAt", backup_at as "backupAt"'

const REMOVE = `
delete from queue_pauses where ($1::text is null or class = $1) and ($2::uuid is null or team_id = $2) and ($3::text is null or destination = $3)
  and (backup_at is not null or $1 is not null or $2 is not null or $3 is not null or ${IS_NOT_HELD})
returning ${COLUMNS}`
