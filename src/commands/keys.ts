import { Argument, Command, Option } from 'commander'
import { Failure } from '../lib/failure.ts'
import { isId } from '../lib/ids.ts'
import { createApiToken, digestOf } from '../lib/tokens.ts'
import { isVisible } from '../lib/visible-text.ts'
import type { Repositories } from '../repositories/repositories.ts'
import type { ApiKeyRow } from '../repositories/team/api-keys.ts'
import { API_KEY_NAME_LENGTH_MAX } from '../schemas/api-keys.ts'
import { toApiKey } from '../serializers/api-keys.ts'
import { teamOf, withRepositories } from './database.ts'
import { type JsonOption, jsonOption, print, printJson, printTable, say } from './output.ts'
import { moment } from './tables.ts'

const KEYS_PER_QUERY = 100

type KeyOptions = { team?: string; name: string; permission: 'full_access' | 'sending_access' }

export function keyCommands(): Command {
  const team = new Option('--team <id>', 'id of the team; not needed when there is only one')
  const keys = new Command('keys').description('API keys of a team: create, list, revoke.')
  keys
    .command('create')
    .description('Create a key and print it, alone on standard output. It is not shown again.')
    .addOption(team)
    .addOption(new Option('--name <name>', 'what the key is for').default('Command line'))
    .addOption(new Option('--permission <permission>', 'what it may do').choices(['full_access', 'sending_access']).default('full_access'))
    .action(({ team, name, permission }: KeyOptions) =>
      withRepositories(async (repositories) => {
        // Counted in characters, as the API does.
        if ([...name].length > API_KEY_NAME_LENGTH_MAX)
          throw new Failure('validation', `The name of a key must have at most ${API_KEY_NAME_LENGTH_MAX} characters.`)
        if (name !== '' && !isVisible(name)) throw new Failure('validation', 'The name of a key must have at least one visible character.')
        const teamId = await teamOf(repositories, team)
        const token = createApiToken()
        const { id } = await repositories.apiKeys.create(teamId, { name, permission, digest: digestOf(token) })
        say(`Key ${id} of team ${teamId}, with ${permission}. It is shown this once:`)
        print(token)
      }),
    )
  keys
    .command('list')
    .description('List the keys of a team. The keys themselves are not kept and cannot be shown.')
    .addOption(team)
    .addOption(jsonOption())
    .action(({ team, json }: KeyOptions & JsonOption) =>
      withRepositories(async (repositories) => {
        const teamId = await teamOf(repositories, team)
        const rows = await listKeys(repositories, teamId)
        if (json) return printJson(rows.map((row) => ({ ...toApiKey(row), permission: row.permission })))
        if (rows.length === 0) return say('This team has no key yet; `keys create` makes one.')
        printTable(
          ['KEY', 'CREATED', 'PERMISSION', 'LAST USED', 'NAME'],
          rows.map(({ id, createdAt, permission, lastUsedAt, name }) => [
            id,
            moment(createdAt),
            permission,
            lastUsedAt === null ? 'never' : moment(lastUsedAt),
            name,
          ]),
        )
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

/** Newest first. */
export async function listKeys({ apiKeys }: Repositories, teamId: string): Promise<ApiKeyRow[]> {
  const all: ApiKeyRow[] = []
  for (let hasMore = true; hasMore; ) {
    const page = await apiKeys.list(teamId, { limit: KEYS_PER_QUERY, after: all.at(-1)?.id ?? null, before: null })
    all.push(...page.rows)
    hasMore = page.hasMore
  }
  return all
}
