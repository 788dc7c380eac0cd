// Which workers are alive: each worker process raises a counter, and a process that sees a counter stand still releases what its worker held;
// in SQL, because that is released as a set.
import { IS_NOT_BEING_RESTORED } from '../../lib/restore-marker.ts'
import { CLAIMS_BEFORE_SUSPICION } from '../../lib/webhooks/ladder.ts'
import type { Database, Execute } from '../database.ts'

export function workerLeaseRepository({ execute, transaction }: Pick<Database, 'execute' | 'transaction'>) {
  return {
    /** @throws while a backup is restored into the database, which a service reaches that has outlived the one before. */
    async register(workerId: string): Promise<void> {
      const rows = await execute(`insert into worker_leases (id, beat) select $1::uuid, 0 where ${IS_NOT_BEING_RESTORED} returning id`, [
        workerId,
      ])
      if (rows.length === 0) throw new Error('A backup is being restored into the database: no worker starts before that has ended')
    },
    /** False if another process has declared this worker dead, or if the database is being restored. */
    async beat(workerId: string): Promise<boolean> {
      const rows = await execute(`update worker_leases set beat = beat + 1 where id = $1 and ${IS_NOT_BEING_RESTORED} returning id`, [
        workerId,
      ])
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
        await freeWork(inside, workerId, { now, hasEnded: beat !== null })
        return true
      })
    },
    /** Workers that are no longer listed, but hold something: a claim was committed just after its worker was declared dead. */
    async gone(): Promise<string[]> {
      const rows = await transaction((inside) => inside<{ id: string }>(GONE), { plans: 'by index' })
      return rows.map(({ id }) => id)
    },
    /** Releases what such a worker holds. False if it is listed. */
    async freeGone(workerId: string, now: Date): Promise<boolean> {
      return transaction(async (inside) => {
        const listed = await inside('select from worker_leases where id = $1', [workerId])
        if (listed.length > 0) return false
        await freeWork(inside, workerId, { now, hasEnded: true })
        return true
      })
    },
  }
}

/** `hasEnded`: what it held may have been the reason. */
async function freeWork(inside: Execute, workerId: string, { now, hasEnded }: { now: Date; hasEnded: boolean }): Promise<void> {
  await inside(
    `with freed as (select id, email_id, attempt_id from deliveries where leased_by = $1 order by id for update),
          unknown as (update attempts a set outcome = 'unknown', ended_at = $2 from freed f where a.email_id = f.email_id and a.id = f.attempt_id and a.outcome is null)
     update deliveries d set leased_by = null, attempt_id = null from freed f where d.id = f.id`,
    [workerId, now],
  )
  await inside(FREE_WEBHOOK_MESSAGES, [workerId, hasEnded])
  await inside(FREE_RUNS, [workerId, hasEnded])
  await inside('select graphile_worker.force_unlock_workers(array[$1::text])', [workerId])
}

/** Workers whose work is freed at once. */
const GONE_MAX = 10
const GONE = `
select leased_by as id from (
  select distinct leased_by from deliveries where leased_by is not null union select distinct leased_by from webhook_deliveries where leased_by is not null
  union select distinct leased_by from automation_runs where leased_by is not null
) held where not exists (select from worker_leases l where l.id = held.leased_by) limit ${GONE_MAX}`

// A claim counts only if the worker has ended: the run may have been the reason.
const FREE_RUNS = `
update automation_runs r set leased_by = null, claims = case when $2 then r.claims else greatest(r.claims - 1, 0) end
from (select id from automation_runs where leased_by = $1 order by id for update) held where r.id = held.id`

// A worker holds only one message at a time that may kill its workers (repositories/webhooks/webhook-deliveries.ts). If the worker held one, that one
// is to blame, and the claims of the others do not count. None is to blame if the worker left by itself.
const FREE_WEBHOOK_MESSAGES = `
with held as materialized (
  select seq, webhook_id, message_id, attempt_id, claims from webhook_deliveries where leased_by = $1 order by seq for update
), suspect as (
  select from held where claims > ${CLAIMS_BEFORE_SUSPICION}
), unknown as (
  update webhook_attempts a set outcome = 'unknown' from held h
   where a.webhook_id = h.webhook_id and a.message_id = h.message_id and a.id = h.attempt_id and a.outcome is null
)
update webhook_deliveries d set leased_by = null, attempt_id = null,
  claims = case when not $2 or (h.claims <= ${CLAIMS_BEFORE_SUSPICION} and exists (select from suspect)) then h.claims - 1 else h.claims end
from held h where d.seq = h.seq`
