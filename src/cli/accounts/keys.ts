import { Argument, Command, Option } from 'commander'
import type { Permission } from '../../http/operation.ts'
import { Failure } from '../../lib/failure.ts'
import { createApiToken, digestToken, isId } from '../../lib/ids.ts'
import { isVisible } from '../../lib/text.ts'
import { canonicalDomain } from '../../mail/addresses.ts'
import type { ApiKeyRow } from '../../modules/accounts/api-keys.repository.ts'
import { apiKeyFor } from '../../modules/accounts/api-keys.routes.ts'
import { API_KEY_NAME_LENGTH_MAX } from '../../modules/accounts/api-keys.schema.ts'
import type { Repositories } from '../../repositories.ts'
import { allRows, findTeam, withRepositories } from '../database.ts'
import { formatTime, type JsonOption, jsonOption, print, printJson, printTable, say } from '../output.ts'

type KeyOptions = { team?: string; name: string; permission?: Permission; domain?: string }

export function keyCommands(): Command {
  const team = new Option('--team <id>', 'id of the team; not needed when there is only one')
  const keys = new Command('keys').description('API keys of a team: create, list, revoke.')
  keys
    .command('create')
    .description('Create a key and print it, alone on standard output. It is not shown again.')
    .addOption(team)
    .addOption(new Option('--name <name>', 'what the key is for').default('Command line'))
    .addOption(
      new Option('--permission <permission>', 'what it may do (default: full_access; with --domain, sending_access)').choices([
        'full_access',
        'sending_access',
      ]),
    )
    .addOption(new Option('--domain <name>', 'the only domain that it may send from'))
    .action(({ team, name, domain, permission = domain === undefined ? 'full_access' : 'sending_access' }: KeyOptions) =>
      withRepositories(async (repositories) => {
        // Counted in characters, as the API does.
        if ([...name].length > API_KEY_NAME_LENGTH_MAX)
          throw new Failure('validation', `The name of a key must have at most ${API_KEY_NAME_LENGTH_MAX} characters.`)
        if (name !== '' && !isVisible(name)) throw new Failure('validation', 'The name of a key must have at least one visible character.')
        if (domain !== undefined && permission !== 'sending_access')
          throw new Failure('validation', 'A key with full access cannot be restricted to a domain: leave out --permission or --domain.')
        const teamId = await findTeam(repositories, team)
        const domainId = domain === undefined ? null : await findDomain(repositories, teamId, domain)
        const token = createApiToken()
        const { id } = await repositories.apiKeys.create(teamId, { name, permission, domainId, digest: digestToken(token) })
        say(`Key ${id} of team ${teamId}, with ${permission}${domain === undefined ? '' : ` from ${domain}`}. It is shown only once:`)
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
        const teamId = await findTeam(repositories, team)
        const rows = await listKeys(repositories, teamId)
        if (json) {
          const people = rows.flatMap(({ personId }) => personId ?? [])
          return printJson(rows.map(apiKeyFor({}, await repositories.persons.addressesAcrossTeams(people))))
        }
        if (rows.length === 0) return say('This team has no key yet; `keys create` makes one.')
        const domains = await domainNames(repositories, teamId, rows)
        printTable(
          ['KEY', 'CREATED', 'PERMISSION', 'DOMAIN', 'LAST USED', 'NAME'],
          rows.map(({ id, createdAt, permission, domainId, lastUsedAt, name }) => [
            id,
            formatTime(createdAt),
            permission,
            domainId === null ? 'any' : (domains.get(domainId) ?? 'deleted'),
            lastUsedAt === null ? 'never' : formatTime(lastUsedAt),
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
        const teamId = await findTeam(repositories, team)
        if (!isId(id) || !(await repositories.apiKeys.deleteApiKey(teamId, id)))
          throw new Failure('notFound', `This team has no key ${id}; \`keys list\` shows all.`)
        print(`${id} is revoked.`)
      }),
    )
  return keys
}

/** The id of the team's domain with this name. */
async function findDomain({ domains }: Repositories, teamId: string, name: string): Promise<string> {
  const canonical = canonicalDomain(name)
  const domain = typeof canonical === 'string' ? await domains.findByName(teamId, canonical) : null
  if (!domain) throw new Failure('notFound', `This team has no domain "${name}"; \`domains list\` shows all.`)
  return domain.id
}

/** The names of the keys' domains, by their ids. Deleted domains are left out. */
async function domainNames({ domains }: Repositories, teamId: string, keys: ApiKeyRow[]): Promise<Map<string, string>> {
  const ids = [...new Set(keys.flatMap(({ domainId }) => domainId ?? []))]
  const names = await Promise.all(ids.map(async (id) => [id, await domains.nameOf(teamId, id)] as const))
  return new Map(names.flatMap(([id, name]) => (name === null ? [] : [[id, name]])))
}

/** Newest first. */
export const listKeys = ({ apiKeys }: Repositories, teamId: string): Promise<ApiKeyRow[]> =>
  allRows((request) => apiKeys.list(teamId, request))
