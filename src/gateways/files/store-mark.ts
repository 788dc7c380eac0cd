// Whose the files of a store are: the id of their database, in a file beside them. No database removes the files of another.
import { randomUUID } from 'node:crypto'
import { open, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { StartupProblem } from '../../lib/startup-problem.ts'
import { refuseFull } from './full-disk.ts'

export const STORE_MARK = 'owner'

export type StoreMark = {
  /** The address of the store, as messages name it. */
  where: string
  /** Null if there is none. */
  read(): Promise<string | null>
  /** Replaces what it was. Fails with `unavailable` if the disk is full, or the object store does not take it. */
  write(owner: string): Promise<void>
}

export const createFolderMark = (folder: string): StoreMark => ({
  where: folder,
  async read() {
    try {
      return (await readFile(join(folder, STORE_MARK), 'utf8')).trim()
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
      throw new StartupProblem(`${join(folder, STORE_MARK)} cannot be read: make it readable for this user.`, { cause: error })
    }
  },
  async write(owner) {
    const temporary = join(folder, `${STORE_MARK}.${randomUUID()}`)
    try {
      const file = await open(temporary, 'wx', 0o600)
      await file
        .writeFile(`${owner}\n`)
        .then(() => file.sync())
        .finally(() => file.close())
      // Another process of the service may write the same at the same time.
      await rename(temporary, join(folder, STORE_MARK))
    } catch (error) {
      await rm(temporary, { force: true })
      refuseFull(error)
    }
  },
})
