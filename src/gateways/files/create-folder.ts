import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'

/**
 * Makes a folder for its owner only, and the missing ones above it. Returns the topmost that was made, or undefined. Not `mkdir` with `recursive`,
 * which never returns if a file system refuses new folders with ENOENT, as /proc does.
 */
export async function createFolder(path: string): Promise<string | undefined> {
  try {
    return await makeUnlessThere(path)
  } catch (error) {
    if (codeOf(error) !== 'ENOENT' || dirname(path) === path) throw error
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
    if (codeOf(error) === 'EEXIST') return undefined
    throw error
  }
}

const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined)
