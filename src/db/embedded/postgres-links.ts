// The second names of the libraries of the embedded PostgreSQL. npm packages hold no symbolic links, so that its package makes them by an install script,
// which `npm ci --ignore-scripts` leaves out.
import { existsSync, lstatSync, readFileSync, symlinkSync } from 'node:fs'
import { basename, join, resolve, sep } from 'node:path'
import { StartupProblem } from '../../lib/startup-problem.ts'

type Link = { source: string; target: string }

/** Makes the links that are missing in the package's folder. Throws a StartupProblem if there are some and the folder cannot be written. */
export function makeMissingLinks(folder: string): void {
  const list = join(folder, 'native', 'pg-symlinks.json')
  if (!existsSync(list)) return
  const links: Link[] = JSON.parse(readFileSync(list, 'utf8'))
  for (const { source, target } of links) {
    const path = resolve(folder, target)
    // All of them are names of a library beside its file.
    if (!path.startsWith(folder + sep) || lstatSync(path, { throwIfNoEntry: false })) continue
    try {
      symlinkSync(basename(source), path)
    } catch (error) {
      // Another process may have made it meanwhile.
      if (lstatSync(path, { throwIfNoEntry: false })) continue
      throw new StartupProblem(
        `The embedded PostgreSQL lacks the link ${path}, and this user may not make it: run npm rebuild as the owner of the folder, or set DATABASE_URL.`,
        { cause: error },
      )
    }
  }
}
