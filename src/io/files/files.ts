import { randomUUID } from 'node:crypto'
import { link, mkdir, open, readFile, stat, unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { StartupProblem } from '../../lib/startup-problem.ts'

/**
 * Makes a folder for its owner only, and the missing ones above it. Returns the topmost that was made, or undefined. Not `mkdir` with `recursive`,
 * which never returns if a file system refuses new folders with ENOENT, as /proc does.
 */
export async function createFolder(path: string): Promise<string | undefined> {
  try {
    return await makeUnlessThere(path)
  } catch (error) {
    if (errorCode(error) !== 'ENOENT' || dirname(path) === path) throw error
  }
  const topmost = await createFolder(dirname(path))
  // The parent exists now, so a second ENOENT is a refusal.
  const made = await makeUnlessThere(path)
  return topmost ?? made
}

async function makeUnlessThere(path: string): Promise<string | undefined> {
  try {
    await mkdir(path, { mode: 0o700 })
    return path
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return undefined
    throw error
  }
}

const errorCode = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined)

/** The mode of a folder that users other than its owner may read or enter, such as `0755`; null if they may not, and on systems without modes. */
export async function findOpenMode(folder: string): Promise<string | null> {
  if (process.platform === 'win32') return null
  const { mode } = await stat(folder)
  return (mode & OF_OTHERS) === 0 ? null : (mode & 0o777).toString(8).padStart(4, '0')
}

/** What a mode grants to the group and to everyone. */
const OF_OTHERS = 0o077

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
      throw new StartupProblem(`${join(folder, name)} cannot be read: make it readable by this user.`, { cause: error })
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
