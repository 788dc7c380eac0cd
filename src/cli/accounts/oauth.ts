import { Command, Option } from 'commander'
import { toTimestamp } from '../../lib/clock.ts'
import { Failure } from '../../lib/failure.ts'
import { isId } from '../../lib/ids.ts'
import { toOAuthGrant } from '../../modules/oauth/grants.routes.ts'
import type { Repositories } from '../../repositories.ts'
import { allRows, findTeam, withRepositories } from '../database.ts'
import { formatTime, type JsonOption, jsonOption, print, printJson, printTable, say } from '../output.ts'

type TeamOption = { team?: string }

/** The newest. An installation has few. */
const CLIENTS_LISTED_MAX = 1_000

export function oauthCommands(): Command {
  const team = () => new Option('--team <id>', 'id of the team; not needed when there is only one')
  const oauth = new Command('oauth').description('Programs with access: list the clients, list and end the grants of a team.')
  oauth
    .command('clients')
    .description('List the programs that may ask for access, newest first.')
    .addOption(jsonOption())
    .action((options: JsonOption) => withRepositories((repositories) => listClients(repositories, options)))
  oauth
    .command('grants')
    .description('List the access that a team has given, newest first, and what has ended.')
    .addOption(team())
    .addOption(jsonOption())
    .action((options: TeamOption & JsonOption) => withRepositories((repositories) => listGrants(repositories, options)))
  oauth
    .command('revoke')
    .description('End a grant: it stops working within a second.')
    .argument('<id>', 'id of the grant, as `oauth grants` shows it')
    .addOption(team())
    .action((id: string, { team }: TeamOption) =>
      withRepositories(async (repositories) => {
        const teamId = await findTeam(repositories, team)
        const revokedAt = isId(id) ? await repositories.oauthGrants.revoke(teamId, id.toLowerCase(), 'revoked_by_operator') : null
        if (revokedAt === null) throw new Failure('notFound', `The team has no active grant "${id}"; \`oauth grants\` shows all.`)
        print(`The access of grant ${id.toLowerCase()} has ended.`)
      }),
    )
  return oauth
}

async function listClients({ oauthClients }: Repositories, { json }: JsonOption): Promise<void> {
  const rows = await oauthClients.listAll(CLIENTS_LISTED_MAX)
  if (json) {
    return printJson(
      rows.map(({ id, clientId, origin, name, grants, createdAt }) => ({
        id,
        client_id: clientId,
        origin,
        name,
        active_grants: grants,
        created_at: toTimestamp(createdAt),
      })),
    )
  }
  printTable(
    ['CLIENT', 'ORIGIN', 'SINCE', 'GRANTS', 'NAME'],
    rows.map(({ clientId, origin, createdAt, grants, name }) => [clientId, origin.replace('_', ' '), formatTime(createdAt), grants, name]),
  )
}

async function listGrants(repositories: Repositories, { team, json }: TeamOption & JsonOption): Promise<void> {
  const teamId = await findTeam(repositories, team)
  const rows = await allRows((request) => repositories.oauthGrants.list(teamId, request))
  if (json) return printJson(rows.map(toOAuthGrant))
  if (rows.length === 0) return say('This team has given no program access.')
  printTable(
    ['GRANT', 'SINCE', 'LAST USED', 'STATE', 'CLIENT', 'ALLOWED BY', 'SCOPES'],
    rows.map(({ id, createdAt, lastUsedAt, revokedReason, client, allowedBy, scopes }) => [
      id,
      formatTime(createdAt),
      lastUsedAt === null ? 'never' : formatTime(lastUsedAt),
      revokedReason === null ? 'active' : revokedReason.replaceAll('_', ' '),
      client.name,
      allowedBy?.email ?? 'before people',
      scopes.join(' '),
    ]),
  )
}
