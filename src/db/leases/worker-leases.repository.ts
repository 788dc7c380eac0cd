// Which workers are alive: each worker process raises a counter, and a process that sees a counter stand still releases what its worker held;
// in SQL, because that is released as a set.
import type { Database, Execute } from '../database.ts'
import { IS_NOT_BEING_RESTORED } from '../held.ts'

// Which processes run the service; in SQL, because a beat inserts the row again that a restore or another process has removed.

export type ServiceProcessRow = { id: string; name: string; knows: string; hasWorker: boolean }

export function serviceProcessRepository({ execute }: Pick<Database, 'execute'>) {
  return {
    async beat({ id, name, knows, hasWorker }: ServiceProcessRow): Promise<void> {
      await execute(
        `insert into service_processes (id, name, knows, has_worker) values ($1, $2, $3, $4)
         on conflict (id) do update set beat = service_processes.beat + 1`,
        [id, name, knows, hasWorker],
      )
    },
    list(): Promise<{ id: string; beat: string }[]> {
      return execute<{ id: string; beat: string }>('select id, beat::text as beat from service_processes')
    },
    /** @param beat the counter that stood still; null for a process that ends by itself. */
    async remove(id: string, beat: string | null): Promise<void> {
      await execute('delete from service_processes where id = $1 and ($2::bigint is null or beat = $2)', [id, beat])
    },
  }
}

/** A table whose `leased_by` names a worker. Its module says how that is released. */
export type HeldWork = {
  table: string
  /** Inside the caller's transaction. `hasEnded`: the worker has died, perhaps of this work. */
  free(inside: Execute, workerId: string, how: { now: Date; hasEnded: boolean }): Promise<unknown>
}

/** @param held in the order in which it is released */
export function workerLeaseRepository(
  { execute, transaction }: Pick<Database, 'execute' | 'transaction'>,
  { held }: { held: readonly HeldWork[] },
) {
  async function freeWork(inside: Execute, workerId: string, how: { now: Date; hasEnded: boolean }): Promise<void> {
    for (const work of held) await work.free(inside, workerId, how)
    await inside('select graphile_worker.force_unlock_workers(array[$1::text])', [workerId])
  }

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
      const rows = await transaction((inside) => inside<{ id: string }>(goneOf(held)), { plans: 'by index' })
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

/** Workers whose work is freed at once. */
const GONE_MAX = 10
const goneOf = (held: readonly HeldWork[]): string => `
select leased_by as id from (
  ${held.map(({ table }) => `select distinct leased_by from ${table} where leased_by is not null`).join(' union ')}
) held where not exists (select from worker_leases l where l.id = held.leased_by) limit ${GONE_MAX}`
