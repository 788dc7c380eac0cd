// Random keys, one per purpose and version, wrapped by SECRET_KEY; in SQL, because the clock of the database dates them and changes depend on what is there.
import type { Database } from '../database.ts'

/** `ageMs` by the database's clock, which all processes share. */
export type DataKeyRow = { purpose: string; version: number; wrapped: Buffer; createdAt: Date; ageMs: number }

/** They belong to the installation, not to a team. */
export function dataKeyRepository({ execute }: Pick<Database, 'execute'>) {
  return {
    async list(): Promise<DataKeyRow[]> {
      // Made while the database's clock was ahead: it would be too young for as long as the clock was set back.
      await execute('update data_keys set created_at = clock_timestamp() where created_at > clock_timestamp()')
      return execute<DataKeyRow>(
        `select purpose, version, wrapped, created_at as "createdAt",
            (extract(epoch from clock_timestamp() - created_at) * 1000)::float8 as "ageMs"
           from data_keys order by purpose, version`,
      )
    },

    /** Version 1 of a purpose that has none. Of two processes that start at once, the first has it. */
    async addFirst({ purpose, wrapped }: { purpose: string; wrapped: Buffer }): Promise<void> {
      await execute(
        `insert into data_keys (purpose, version, wrapped, created_at)
         select $1, 1, $2, clock_timestamp() where not exists (select from data_keys where purpose = $1)
         on conflict do nothing`,
        [purpose, wrapped],
      )
    },

    /** False when there is such a version already. */
    async add({ purpose, version, wrapped }: { purpose: string; version: number; wrapped: Buffer }): Promise<boolean> {
      const rows = await execute(
        `insert into data_keys (purpose, version, wrapped, created_at) values ($1, $2, $3, clock_timestamp())
         on conflict do nothing returning version`,
        [purpose, version, wrapped],
      )
      return rows.length > 0
    },

    async rewrap({ purpose, version, wrapped }: { purpose: string; version: number; wrapped: Buffer }): Promise<void> {
      await execute('update data_keys set wrapped = $3 where purpose = $1 and version = $2', [purpose, version, wrapped])
    },

    /** Removes a version for good. False when there is none, or none that is newer and at least `newerAgeMs` old. The newest always stays. */
    async retire({ purpose, version, newerAgeMs }: { purpose: string; version: number; newerAgeMs: number }): Promise<boolean> {
      const rows = await execute(
        `delete from data_keys where purpose = $1 and version = $2
           and exists (select from data_keys newer
             where newer.purpose = $1 and newer.version > $2 and newer.created_at <= clock_timestamp() - $3 * interval '1 millisecond')
         returning version`,
        [purpose, version, newerAgeMs],
      )
      return rows.length > 0
    },
  }
}
