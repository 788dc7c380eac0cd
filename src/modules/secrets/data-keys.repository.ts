// Random keys, one per purpose and version, wrapped by SECRET_KEY; in SQL only to read the time, because the clock of the database dates them.
import type { Database, Execute } from '../../db/database.ts'

/** `ageMs` by the database's clock, which all processes share. */
export type DataKeyRow = { purpose: string; version: number; wrapped: Uint8Array; createdAt: Date; ageMs: number }
type NewDataKey = { purpose: string; version: number; wrapped: Uint8Array<ArrayBuffer> }

/** They belong to the installation, not to a team. */
export function dataKeyRepository({ tables, execute, records }: Pick<Database, 'tables' | 'execute' | 'records'>) {
  return {
    async list(): Promise<DataKeyRow[]> {
      const now = await timeOf(execute)
      // Made while the database's clock was ahead: it would be too young until the clock has caught up.
      await tables.dataKey.updateMany({ where: { createdAt: { gt: now } }, data: { createdAt: now } })
      const rows = await tables.dataKey.findMany({
        select: { purpose: true, version: true, wrapped: true, createdAt: true },
        orderBy: [{ purpose: 'asc' }, { version: 'asc' }],
      })
      return rows.map((row) => ({ ...row, ageMs: now.getTime() - row.createdAt.getTime() }))
    },

    /** Version 1 of a purpose that has none. If two processes start at once, the first one wins. */
    async addFirst({ purpose, wrapped }: Omit<NewDataKey, 'version'>): Promise<void> {
      await records(async ({ tables: inside, execute: executeInside }) => {
        if ((await inside.dataKey.count({ where: { purpose } })) > 0) return
        const createdAt = await timeOf(executeInside)
        await inside.dataKey.createMany({ data: [{ purpose, version: 1, wrapped, createdAt }], skipDuplicates: true })
      })
    },

    /** False if there is such a version already. */
    async add({ purpose, version, wrapped }: NewDataKey): Promise<boolean> {
      const data = [{ purpose, version, wrapped, createdAt: await timeOf(execute) }]
      return (await tables.dataKey.createMany({ data, skipDuplicates: true })).count > 0
    },

    async rewrap({ purpose, version, wrapped }: NewDataKey): Promise<void> {
      await tables.dataKey.updateMany({ where: { purpose, version }, data: { wrapped } })
    },

    /** Removes a version for good. False if it does not exist, or if no newer one is at least `newerAgeMs` old. The newest always stays. */
    async retire({ purpose, version, newerAgeMs }: { purpose: string; version: number; newerAgeMs: number }): Promise<boolean> {
      return records(async ({ tables: inside, execute: executeInside }) => {
        const createdBy = new Date((await timeOf(executeInside)).getTime() - newerAgeMs)
        const newer = await inside.dataKey.count({ where: { purpose, version: { gt: version }, createdAt: { lte: createdBy } } })
        return newer > 0 && (await inside.dataKey.deleteMany({ where: { purpose, version } })).count > 0
      })
    },
  }
}

async function timeOf(execute: Execute): Promise<Date> {
  const [row] = await execute<{ now: Date }>('select clock_timestamp() as now')
  if (!row) throw new Error('The database did not say what time it is')
  return row.now
}
