// What commands share: the database they work on, and how they print.
import { openMigratedDatabase } from '../compose.ts'
import { readConfig } from '../config.ts'
import { systemClock } from '../lib/clock.ts'
import { isUnavailable } from '../lib/database-errors.ts'
import { Failure } from '../lib/failure.ts'
import { createLog } from '../lib/process-log.ts'
import { StartupProblem } from '../lib/startup-problem.ts'
import { createRepositories, type Repositories } from '../repositories/repositories.ts'

/** Runs against the database of the configuration, beside a service that uses it or alone. */
export async function withRepositories(act: (repositories: Repositories) => Promise<void>): Promise<void> {
  const config = readConfig()
  const log = createLog({ logLevel: 'warn' })
  const opened = await openMigratedDatabase(config, log, 'command')
  try {
    await act(createRepositories(opened.database, { clock: systemClock, onLost: (what, count) => log.error({ count }, `${what} lost`) }))
  } catch (error) {
    // The service that the database belongs to may stop at any time.
    throw isUnavailable(error)
      ? new StartupProblem('The database went away in the middle of the command: look what of it was done, and run it again.', {
          cause: error,
        })
      : error
  } finally {
    await opened.close()
  }
}

/** The team that was named, or the only one. */
export async function teamOf({ teams }: Repositories, id: string | undefined): Promise<string> {
  const all = await teams.listAll()
  const [first, ...others] = all
  if (id !== undefined) {
    if (!all.some((team) => team.id === id)) throw new Failure('notFound', `There is no team ${id}; \`teams list\` shows all.`)
    return id
  }
  if (!first) throw new Failure('notFound', 'There is no team yet; `teams create <name>` makes one.')
  if (others.length > 0) throw new Failure('validation', 'There are several teams: name one with --team; `teams list` shows all.')
  return first.id
}

/** Names are other people's words: what a terminal would obey is left out. */
export const print = (line: string): void => {
  process.stdout.write(`${line.replaceAll(/\p{Cc}/gu, ' ')}\n`)
}
