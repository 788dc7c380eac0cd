// The database that commands use.
import { type Config, readConfig, slipsOf } from '../config.ts'
import { namesInEnvFile } from '../gateways/files/env-file.ts'
import { systemClock } from '../lib/clock.ts'
import { isUnavailable } from '../lib/database-errors.ts'
import { Failure } from '../lib/failure.ts'
import type { PageRequest } from '../lib/page-request.ts'
import { StartupProblem } from '../lib/startup-problem.ts'
import type { Page } from '../repositories/page.ts'
import type { Repositories } from '../repositories/repositories.ts'
import { secretKeyOf } from '../secret-key.ts'
import { say } from './output.ts'

/** Runs against the database of the configuration, beside a running service or alone, and prints which one that is. */
export async function withRepositories(
  act: (repositories: Repositories, config: Config, databaseUrl: string) => Promise<void>,
  {
    tables = 'expected',
    force = false,
    config = commandConfig(),
  }: { tables?: 'migrated' | 'expected' | 'as they are'; force?: boolean; config?: Config } = {},
): Promise<void> {
  // Loaded here: a command that is only explained or refused needs none of it.
  const [{ openExistingDatabase }, { createLog }, { createRepositories }] = await Promise.all([
    import('../open-database.ts'),
    import('../process-log.ts'),
    import('../repositories/repositories.ts'),
  ])
  const log = createLog({ logLevel: 'warn' }, { fileDescriptor: STANDARD_ERROR })
  const opened = await openExistingDatabase(config, log, { tables, force, onFound: (where) => say(`Database: ${where}`) })
  try {
    await act(
      createRepositories(opened.database, {
        clock: systemClock,
        installation: config.installation,
        softBounces: config.softBounces,
        onLost: (what, count) => log.error({ count }, `${what} lost`),
        onUnreadable: (unreadable) => log.error(unreadable, 'data of a notification not readable'),
      }),
      config,
      opened.databaseUrl,
    )
  } catch (error) {
    // The service that owns the database may stop at any time.
    throw isUnavailable(error) && !(error instanceof StartupProblem)
      ? new StartupProblem('The database went away in the middle of the command: look what of it was done, and run it again.', {
          cause: error,
        })
      : error
  } finally {
    await opened.close()
  }
}

/** What is configured here, and a line for each name that resembles a variable. */
export function commandConfig(): Config {
  for (const slip of slipsOf(namesInEnvFile())) say(slip)
  process.stdout.on('error', ignoreClosedPipe)
  return readConfig()
}

/** A reader such as `head` may close the pipe early. The command still does its work. */
function ignoreClosedPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error
}

/** As a file descriptor, because standard output is for what was asked for. */
const STANDARD_ERROR = 2

/** The team with this id, or the only one. */
export async function teamOf({ teams }: Repositories, id: string | undefined): Promise<string> {
  const all = await teams.listAll()
  const [first, ...others] = all
  if (id !== undefined) {
    if (!all.some((team) => team.id === id)) throw new Failure('notFound', `There is no team "${id}"; \`teams list\` shows all.`)
    return id
  }
  if (!first) throw new Failure('notFound', 'There is no team yet; `teams create <name>` makes one.')
  if (others.length > 0) throw new Failure('validation', 'There are several teams: name one with --team; `teams list` shows all.')
  return first.id
}

/** The secret that wraps the keys in the database. Only a service makes one. */
export async function existingSecretKey(config: Config, { dataKeys }: Repositories): Promise<string> {
  if ((await dataKeys.list()).length === 0)
    throw new Failure('notFound', 'There are no keys yet: the first start of the service makes them.')
  return secretKeyOf(config, dataKeys)
}

const ROWS_PER_QUERY = 100

/** All pages of a list, one after the other. */
export async function allRows<Row extends { id: string }>(list: (request: PageRequest) => Promise<Page<Row>>): Promise<Row[]> {
  const all: Row[] = []
  for (let hasMore = true; hasMore; ) {
    const page = await list({ limit: ROWS_PER_QUERY, after: all.at(-1)?.id ?? null, before: null })
    all.push(...page.rows)
    hasMore = page.hasMore
  }
  return all
}
