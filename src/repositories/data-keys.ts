import type { Clock } from '../lib/clock.ts'
import type { Database } from './database.ts'

export type DataKeyRow = { purpose: string; version: number; wrapped: Uint8Array }

/** Random keys, one per purpose and version, wrapped by SECRET_KEY. They belong to the installation, not to a team. */
export function dataKeyRepository({ tables }: Pick<Database, 'tables'>, { clock }: { clock: Clock }) {
  return {
    list: (): Promise<DataKeyRow[]> => tables.dataKey.findMany({ select: { purpose: true, version: true, wrapped: true } }),
    /** Of two processes that start at once, the first has it. */
    async add(key: { purpose: string; version: number; wrapped: Uint8Array<ArrayBuffer> }): Promise<void> {
      await tables.dataKey.createMany({ data: [{ ...key, createdAt: clock.now() }], skipDuplicates: true })
    },
    async rewrap({ purpose, version, wrapped }: { purpose: string; version: number; wrapped: Uint8Array<ArrayBuffer> }): Promise<void> {
      await tables.dataKey.update({ where: { purpose_version: { purpose, version } }, data: { wrapped } })
    },
  }
}
