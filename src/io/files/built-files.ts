// Files that were built from sources beside them. They have the digest of these sources, so that files of another version are known.
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** Beside the files: the digest of the sources that they were built from. */
export const DIGEST_FILE = 'sources.sha256'

/** `missing`: nothing was built. `outdated`: what was built is of other sources. */
export type Built = 'current' | 'missing' | 'outdated'

/** The digest of all sources, with their names. `sources` are files, and folders with all that is in them. */
export function digestOfSources(root: string, sources: readonly string[]): string {
  const hash = createHash('sha256')
  for (const name of sources.flatMap((source) => filesIn(root, source)).sort())
    hash
      .update(name)
      .update('\0')
      .update(readFileSync(join(root, name)))
      .update('\0')
  return hash.digest('hex')
}

function filesIn(root: string, source: string): string[] {
  const path = join(root, source)
  if (!existsSync(path)) return []
  if (!statSync(path).isDirectory()) return [source]
  const entries = readdirSync(path, { recursive: true, withFileTypes: true })
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
}

/** Where no sources are, as in the package, what was built counts as current. */
export function stateOfBuilt(folder: string, { root, sources }: { root: string; sources: readonly string[] }): Built {
  const file = join(folder, DIGEST_FILE)
  if (!existsSync(file)) return 'missing'
  if (!sources.some((source) => existsSync(join(root, source)))) return 'current'
  return readFileSync(file, 'utf8').trim() === digestOfSources(root, sources) ? 'current' : 'outdated'
}
