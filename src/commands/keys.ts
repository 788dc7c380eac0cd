import { Argument, Command, Option } from 'commander'
import { Failure } from '../lib/failure.ts'
import { isId } from '../lib/ids.ts'
import { toTimestamp } from '../lib/timestamps.ts'
import { createApiToken, digestOf } from '../lib/tokens.ts'
import { isVisible } from '../lib/visible-text.ts'
import type { Repositories } from '../repositories/repositories.ts'
import { API_KEY_NAME_LENGTH_MAX } from '../schemas/api-keys.ts'
import { print, teamOf, withRepositories } from './database.ts'

type KeyOptions = { team?: string; name: string; permission: 'full_access' | 'sending_access' }

export function keyCommands(): Command {
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
        // Counted in characters, as the API does.
        if ([...name].length > API_KEY_NAME_LENGTH_MAX)
          throw new Failure('validation', `The name of a key must have at most ${API_KEY_NAME_LENGTH_MAX} characters.`)
        if (name !== '' && !isVisible(name)) throw new Failure('validation', 'The name of a key must have at least one visible character.')
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
          for (const { id, name, permission, createdAt, lastUsedAt } of page.rows)
            print(`${id}  ${toTimestamp(createdAt)}  ${permission.padEnd(14)}  last used: ${toTimestamp(lastUsedAt) ?? 'never'}  ${name}`)
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
