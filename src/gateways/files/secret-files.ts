import { randomUUID } from 'node:crypto'
import { link, open, readFile, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { StartupProblem } from '../../lib/startup-problem.ts'
import { createFolder } from './create-folder.ts'

/** Files in DATA_DIR that only their owner may read. */
export type SecretFiles = {
  /** Null if there is none of this name. */
  find(name: string): Promise<string | null>
  /** The secret of this name, created and kept for good if there is none yet. If two processes create it at once, one wins. */
  readOrCreate(name: string, create: () => string): Promise<string>
  /** @returns the path of the file. */
  write(name: string, secret: string): Promise<string>
}

export function createSecretFiles(folder: string): SecretFiles {
  async function write(name: string, secret: string): Promise<string> {
    const path = join(folder, name)
    const temporary = `${path}.${randomUUID()}`
    await createFolder(folder)
    const file = await open(temporary, 'wx', 0o600)
    try {
      await file.writeFile(`${secret}\n`)
      await file.sync()
    } finally {
      await file.close()
    }
    // A link fails if the name exists, whereas a rename would replace what another process has just written.
    await link(temporary, path).finally(() => unlink(temporary))
    return path
  }

  const read = (name: string) => readFile(join(folder, name), 'utf8').then((text) => text.trim())

  async function find(name: string): Promise<string | null> {
    try {
      return await read(name)
    } catch (error) {
      if (hasCode(error, 'ENOENT')) return null
      throw new StartupProblem(`${join(folder, name)} cannot be read: make it readable for this user.`, { cause: error })
    }
  }

  return {
    find,
    async readOrCreate(name, create) {
      const found = await find(name)
      if (found !== null) return found
      try {
        await write(name, create())
      } catch (error) {
        if (!hasCode(error, 'EEXIST'))
          throw new StartupProblem(
            `${join(folder, name)} cannot be written: make DATA_DIR writable for this user and see that its disk has room.`,
            { cause: error },
          )
      }
      return read(name)
    },
    async write(name, secret) {
      await unlink(join(folder, name)).catch((error) => {
        if (!hasCode(error, 'ENOENT')) throw error
      })
      return write(name, secret)
    },
  }
}

const hasCode = (error: unknown, code: string): boolean => error instanceof Error && 'code' in error && error.code === code
