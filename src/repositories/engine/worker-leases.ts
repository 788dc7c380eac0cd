// Which workers are alive: each worker process raises a counter, and a process that sees a counter stand still releases what its worker held;
// in SQL, because that is released as a set.
import type { Database } from '../database.ts'

export function workerLeaseRepository({ execute, transaction }: Pick<Database, 'execute' | 'transaction'>) {
  return {
    async register(workerId: string): Promise<void> {
      await execute('insert into worker_leases (id, beat) values ($1, 0)', [workerId])
    },
    /** False if another process has declared this worker dead. */
    async beat(workerId: string): Promise<boolean> {
      const rows = await execute('update worker_leases set beat = beat + 1 where id = $1 returning id', [workerId])
      return rows.length > 0
    },
    list(): Promise<{ id: string; beat: string }[]> {
      return execute<{ id: string; beat: string }>('select id, beat::text as beat from worker_leases')
    },
    /**
     * Declares a worker dead (or gone, at its own request): releases its deliveries and jobs, and settles its open attempts as unknown. One
     * transaction, so that nothing is released twice.
     *
     * @param beat the counter that stood still; null for a worker that leaves by itself. Nothing happens if it has risen since.
     */
    async free(workerId: string, beat: string | null, now: Date): Promise<boolean> {
      return transaction(async (inside) => {
        const gone = await inside('delete from worker_leases where id = $1 and ($2::bigint is null or beat = $2) returning id', [
          workerId,
          beat,
        ])
        if (gone.length === 0) return false
        await inside(
          `with freed as (select id, attempt_id from deliveries where leased_by = $1 order by id for update),
                unknown as (update attempts a set outcome = 'unknown', ended_at = $2 from freed f where a.id = f.attempt_id and a.outcome is null)
           update deliveries d set leased_by = null, attempt_id = null from freed f where d.id = f.id`,
          [workerId, now],
        )
        await inside('select graphile_worker.force_unlock_workers(array[$1::text])', [workerId])
        return true
      })
    },
  }
}
