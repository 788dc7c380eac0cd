// The command line. Every command ends with a status that can be trusted: 0 done, 1 not done, 2 not understood.
import { Argument, Command, CommanderError, Option } from 'commander'
import { createLog, openMigratedDatabase } from './compose.ts'
import { readConfig } from './config.ts'
import { systemClock } from './lib/clock.ts'
import { isUnavailable } from './lib/database-errors.ts'
import { Failure } from './lib/failure.ts'
import { isId } from './lib/ids.ts'
import { StartupProblem } from './lib/startup-problem.ts'
import { toTimestamp } from './lib/timestamps.ts'
import { createApiToken, digestOf } from './lib/tokens.ts'
import { checkOpenapi, writeOpenapi } from './openapi-files.ts'
import { createRepositories, type Repositories } from './repositories/repositories.ts'
import { API_KEY_NAME_LENGTH_MAX } from './schemas/api-keys.ts'
import { start } from './start.ts'

const TEAM_NAME_LENGTH_MAX = 100

export async function main(argv: string[]): Promise<void> {
  const program = new Command('posthaste').description('A self-hosted HTTP API for email, with the mail engine under it.').exitOverride()
  program.command('start').description('Run the service: database, API and workers, as ROLES says.').action(start)
  program
    .command('migrate')
    .description('Bring the tables of the database up to date, and end.')
    .action(() => withRepositories(async () => print('The database is up to date.')))
  program
    .command('openapi')
    .description('Write the OpenAPI document to openapi/.')
    .option('--check', 'write nothing; fail when the files differ from the document')
    .action(({ check }: { check?: boolean }) => (check ? checkOpenapi() : writeOpenapi()))
  program.addCommand(teamCommands())
  program.addCommand(keyCommands())
  for (const command of [program, ...program.commands, ...program.commands.flatMap(({ commands }) => commands)]) command.exitOverride()

  try {
    await program.parseAsync(argv)
  } catch (error) {
    process.exitCode = statusOf(error)
  }
}

/** Says what went wrong in one line, unless the command line library has said it. */
function statusOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
  const isExpected = error instanceof StartupProblem || error instanceof Failure
  process.stderr.write(isExpected ? `${error.message}\n` : `Unexpected: ${error instanceof Error ? error.stack : String(error)}\n`)
  return 1
}

function teamCommands(): Command {
  const teams = new Command('teams').description('The owners of everything: create, list, rename.')
  teams
    .command('create')
    .description('Create a team.')
    .argument('<name>', 'what to call it')
    .action((name: string) =>
      withRepositories(async ({ teams }) => {
        const team = await teams.create(teamName(name))
        print(`${team.id}  ${team.name}`)
      }),
    )
  teams
    .command('list')
    .description('List all teams.')
    .action(() =>
      withRepositories(async ({ teams }) => {
        for (const { id, name, createdAt } of await teams.listAll()) print(`${id}  ${toTimestamp(createdAt)}  ${name}`)
      }),
    )
  teams
    .command('rename')
    .description('Rename a team.')
    .argument('<id>', 'id of the team')
    .argument('<name>', 'its new name')
    .action((id: string, name: string) =>
      withRepositories(async ({ teams }) => {
        if (!isId(id) || !(await teams.rename(id, teamName(name))))
          throw new Failure('notFound', `There is no team ${id}; \`teams list\` shows all.`)
        print(`${id}  ${name}`)
      }),
    )
  return teams
}

type KeyOptions = { team?: string; name: string; permission: 'full_access' | 'sending_access' }

function keyCommands(): Command {
  const team = new Option('--team <id>', 'id of the team; not needed when there is only one')
  const keys = new Command('keys').description('API keys of a team: create, list, revoke.')
  keys
    .command('create')
    .description('Create a key and print it. It is not shown again.')
    .addOption(team)
    .addOption(new Option('--name <name>', 'what the key is for').default('Command line'))
    .addOption(new Option('--permission <permission>', 'what it may do').choices(['full_access', 'sending_access']).default('full_access'))
    .action(({ team, name, permission }: KeyOptions) =>
      withRepositories(async (repositories) => {
        if (name.length > API_KEY_NAME_LENGTH_MAX)
          throw new Failure('validation', `The name of a key must have at most ${API_KEY_NAME_LENGTH_MAX} characters.`)
        const teamId = await teamOf(repositories, team)
        const token = createApiToken()
        await repositories.apiKeys.create(teamId, { name, permission, digest: digestOf(token) })
        print(token)
      }),
    )
  keys
    .command('list')
    .description('List the keys of a team. The keys themselves are not kept and cannot be shown.')
    .addOption(team)
    .action(({ team }: KeyOptions) =>
      withRepositories(async (repositories) => {
        const teamId = await teamOf(repositories, team)
        for (let after: string | null = null, hasMore = true; hasMore; ) {
          const page: Awaited<ReturnType<Repositories['apiKeys']['list']>> = await repositories.apiKeys.list(teamId, {
            limit: 100,
            after,
            before: null,
          })
          for (const { id, name, lastUsedAt } of page.rows) print(`${id}  last used: ${toTimestamp(lastUsedAt) ?? 'never'}  ${name}`)
          after = page.rows.at(-1)?.id ?? null
          hasMore = page.hasMore
        }
      }),
    )
  keys
    .command('revoke')
    .description('Delete a key: it stops working at once, in other processes within a second.')
    .addArgument(new Argument('<id>', 'id of the key, as `keys list` shows it'))
    .addOption(team)
    .action((id: string, { team }: KeyOptions) =>
      withRepositories(async (repositories) => {
        const teamId = await teamOf(repositories, team)
        if (!isId(id) || !(await repositories.apiKeys.remove(teamId, id)))
          throw new Failure('notFound', `This team has no key ${id}; \`keys list\` shows all.`)
        print(`${id} is revoked.`)
      }),
    )
  return keys
}

function teamName(name: string): string {
  if (name.trim() === '' || name.length > TEAM_NAME_LENGTH_MAX)
    throw new Failure('validation', `The name of a team must have 1 to ${TEAM_NAME_LENGTH_MAX} characters.`)
  return name
}

/** The team that was named, or the only one. */
async function teamOf({ teams }: Repositories, id: string | undefined): Promise<string> {
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

/** Runs against the database of the configuration, beside a service that uses it or alone. */
async function withRepositories(act: (repositories: Repositories) => Promise<void>): Promise<void> {
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

/** Names are other people's words: what a terminal would obey is left out. */
const print = (line: string): void => {
  process.stdout.write(`${line.replaceAll(/\p{Cc}/gu, ' ')}\n`)
}
