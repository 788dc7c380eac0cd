// Parts of the queue that an operator has stopped; in SQL, because a null means any, and the rows that are removed are returned.
import type { QueuePart } from '../../lib/engine/queue-parts.ts'
import { createId } from '../../lib/ids.ts'
import type { Database } from '../database.ts'
import { IS_NOT_HELD } from '../held-queue.ts'

/** More would be a mistake, and each worker reads all of them every second. */
const PAUSES_MAX = 1_000

export type QueuePauseRow = QueuePart & {
  id: string
  createdAt: Date
  /** When the backup was made, if the database was restored. Webhooks, broadcasts and automations rest too. */
  backupAt: Date | null
}

/** Parts of the queue that an operator has paused. They are rows, so that they stay paused after a restart. */
export function queuePauseRepository({ execute }: Pick<Database, 'execute'>) {
  return {
    listAcrossTeams: (): Promise<QueuePauseRow[]> => execute<QueuePauseRow>(`select ${COLUMNS} from queue_pauses order by created_at, id`),

    /** When the backup was made from which the database was restored, if the queue was not resumed since; otherwise null. */
    async heldSinceBackupAcrossTeams(): Promise<Date | null> {
      const [row] = await execute<{ backupAt: Date | null }>('select max(backup_at) as "backupAt" from queue_pauses')
      return row?.backupAt ?? null
    },

    /** Pauses a part. Workers park its rows as they find them. */
    async addAcrossTeams(part: QueuePart, now: Date): Promise<'added' | 'exists' | 'too many'> {
      const values = [part.class, part.teamId, part.destination]
      const [counted] = await execute<{ isThere: boolean; isFull: boolean }>(COUNT, values)
      if (counted?.isThere) return 'exists'
      if (counted?.isFull) return 'too many'
      await execute('insert into queue_pauses (id, class, team_id, destination, created_at) values ($1, $2, $3, $4, $5)', [
        createId(),
        ...values,
        now,
      ])
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

const COLUMNS = 'id, class, team_id as "teamId", destination, created_at as "createdAt", backup_at as "backupAt"'

const COUNT = `
select count(*) >= ${PAUSES_MAX} as "isFull", coalesce(bool_or(
  class is not distinct from $1 and team_id is not distinct from $2::uuid and destination is not distinct from $3 and backup_at is null
), false) as "isThere" from queue_pauses`

const REMOVE = `
delete from queue_pauses where ($1::text is null or class = $1) and ($2::uuid is null or team_id = $2) and ($3::text is null or destination = $3)
  and (backup_at is not null or $1 is not null or $2 is not null or $3 is not null or ${IS_NOT_HELD})
returning ${COLUMNS}`
