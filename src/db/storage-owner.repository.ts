// The id of this database that is in the mark beside its files too. It belongs to the installation, not to a team.
import { randomUUID } from 'node:crypto'
import type { Database } from './database.ts'

/** `isMarked`: its files had the mark once. */
export type StorageOwnerRow = { owner: string; isMarked: boolean }

const ONLY = { id: 1 }

export function storageOwnerRepository({ tables }: Pick<Database, 'tables'>) {
  const find = (): Promise<StorageOwnerRow | null> =>
    tables.storageOwner.findUnique({ where: ONLY, select: { owner: true, isMarked: true } })

  return {
    /** Null: the database is new. */
    find,

    /** If several processes start at once, the first one wins. */
    async findOrCreate(): Promise<StorageOwnerRow> {
      await tables.storageOwner.createMany({ data: [{ ...ONLY, owner: randomUUID() }], skipDuplicates: true })
      const row = await find()
      if (!row) throw new Error('The row of the owner of the files was just made')
      return row
    },

    async setMarked(): Promise<void> {
      await tables.storageOwner.update({ where: ONLY, data: { isMarked: true } })
    },
  }
}
