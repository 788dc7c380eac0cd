// Which processes run the service; in SQL, because a beat inserts the row again that a restore or another process has removed.
import type { Database } from '../database.ts'

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
