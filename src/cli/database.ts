// The database that commands use.
import { userInfo } from 'node:os'
import { type Config, misspelledSettings, readConfig } from '../config/config.ts'
import { namesInEnvFile } from '../config/environment.ts'
import { type Act, nameTarget, nameTeam, newAct, nextAct, performAct } from '../db/acts.ts'
import { isUnavailable } from '../db/database-errors.ts'
import { systemClock } from '../lib/clock.ts'
import { Failure } from '../lib/failure.ts'
import { isId } from '../lib/ids.ts'
import type { PageRequest } from '../lib/page-request.ts'
import { StartupProblem } from '../lib/startup-problem.ts'
import type { Page } from '../lib/validation/common.schema.ts'
import { openSecretKey } from '../modules/secrets/data-keys.service.ts'
import type { Repositories } from '../repositories.ts'
import { say } from './output.ts'

/** The words that called the command that runs. */
let words: string[] = []

export function nameCommand(names: string[]): void {
  words = names
}

/** Whose changes a command makes, by its first word, or its first two. */
const TARGETS: Record<string, { type: string; table: string }> = {
  teams: { type: 'team', table: 'teams' },
  keys: { type: 'api_key', table: 'api_keys' },
  domains: { type: 'domain', table: 'domains' },
  suppressions: { type: 'suppression', table: 'suppressions' },
  webhooks: { type: 'webhook', table: 'webhooks' },
  oauth: { type: 'oauth_grant', table: 'oauth_grants' },
  people: { type: 'member', table: 'members' },
  'people invite': { type: 'invitation', table: 'invitations' },
  'people revoke': { type: 'invitation', table: 'invitations' },
}

/** What the audit log calls the command, such as `command.keys.create`. */
const actOfCommand = (): Act =>
  newAct(['command', ...words].join('.'), {
    teamId: null,
    actor: { kind: 'command_line', id: null, name: userName(), address: null, userAgent: null },
    target: { type: null, id: null, table: null, ...(TARGETS[words.slice(0, 2).join(' ')] ?? TARGETS[words[0] ?? '']) },
    clock: systemClock,
  })

function userName(): string | null {
  try {
    return userInfo().username
  } catch {
    // A user without a name, as in some containers.
    return null
  }
}

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
    import('../db/open-database.ts'),
    import('../io/log.ts'),
    import('../repositories.ts'),
  ])
  const log = createLog({ logLevel: 'warn' }, { fileDescriptor: STANDARD_ERROR })
  const opened = await openExistingDatabase(config, log, { tables, force, onFound: (where) => say(`Database: ${where}`) })
  try {
    const repositories = createRepositories(opened.database, {
      clock: systemClock,
      installation: config.installation,
      softBounces: config.softBounces,
      simulatorDomains: config.simulatorDomains,
      emailRetentionDays: config.emailRetentionDays,
      onLost: (what, count) => log.error({ count }, `${what} lost`),
      onUnreadable: (unreadable) => log.error(unreadable, 'data of a notification not readable'),
    })
    const work = () => act(repositories, config, opened.databaseUrl)
    // Former tables have no audit log.
    await (tables === 'as they are' ? work() : performAct(actOfCommand(), work, { next: nextAct(systemClock) }))
  } catch (error) {
    // The service that owns the database may stop at any time.
    throw isUnavailable(error) && !(error instanceof StartupProblem)
      ? new StartupProblem('The connection to the database was lost during the command: check what was done, and run it again.', {
          cause: error,
        })
      : error
  } finally {
    await opened.close()
  }
}

/** What is configured here, and a line for each name that resembles a variable. */
export function commandConfig(): Config {
  for (const slip of misspelledSettings(namesInEnvFile())) say(slip)
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
export async function findTeam({ teams }: Repositories, id: string | undefined): Promise<string> {
  if (id !== undefined) {
    if (!isId(id) || !(await teams.find(id))) throw new Failure('notFound', `There is no team "${id}"; \`teams list\` shows all.`)
    nameTeam(id)
    if (words[0] === 'teams') nameTarget({ id })
    return id
  }
  const { rows, hasMore } = await teams.listAcrossTeams({ limit: 1, after: null, before: null })
  const [first] = rows
  if (!first) throw new Failure('notFound', 'There is no team yet; `teams create <name>` makes one.')
  if (hasMore) throw new Failure('validation', 'There are several teams: name one with --team; `teams list` shows all.')
  nameTeam(first.id)
  return first.id
}

/** The secret that wraps the keys in the database. Only a service makes one. */
export async function existingSecretKey(config: Config, { dataKeys }: Repositories): Promise<string> {
  if ((await dataKeys.list()).length === 0)
    throw new Failure('notFound', 'There are no keys yet: the first start of the service makes them.')
  return openSecretKey(config, dataKeys)
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
