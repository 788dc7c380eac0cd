import { Command, Option } from 'commander'
import type { Config } from '../config.ts'
import { systemClock } from '../lib/clock.ts'
import { Failure } from '../lib/failure.ts'
import { publicUrlOf } from '../lib/public-url.ts'
import { StartupProblem } from '../lib/startup-problem.ts'
import type { Repositories } from '../repositories/repositories.ts'
import type { ApiKeyRow } from '../repositories/team/api-keys.ts'
import { createOperatorLink, createSignInLink } from '../services/create-sign-in-link.ts'
import { teamOf, withRepositories } from './database.ts'
import { print, say } from './output.ts'

/** Time to hand it to a colleague, and not much more. */
const LINK_MINUTES = 60

export function consoleCommands(): Command {
  // It was called so when the console had only the mail of a team.
  const commands = new Command('console').alias('inbox').description('The console in the browser: a link that signs in.')
  commands
    .command('link')
    .description(`Print a link that signs in to the console once, within ${LINK_MINUTES} minutes. Anyone who has it can use it.`)
    .addOption(new Option('--team <id>', 'id of the team; not needed when there is only one'))
    .addOption(new Option('--operator', 'to the pages of operators, which show the whole installation and no mail').conflicts('team'))
    .action(({ team, operator }: { team?: string; operator?: boolean }) =>
      withRepositories((repositories, config) =>
        operator ? printOperatorLink(repositories, config) : printLink(repositories, config, team),
      ),
    )
  return commands
}

async function printLink(repositories: Repositories, config: Config, team: string | undefined): Promise<void> {
  const publicUrl = addressOf(config)
  const teamId = await teamOf(repositories, team)
  const key = await keyWithFullAccess(repositories, teamId)
  const link = await createSignInLink(
    { repositories, clock: systemClock, publicUrl },
    { teamId, apiKeyId: key.id, forMs: LINK_MINUTES * 60_000 },
  )
  say(
    `It signs in once, within ${LINK_MINUTES} minutes, on behalf of the key "${key.name}" (${key.id}): the session ends when that key is revoked.`,
  )
  print(link)
}

async function printOperatorLink(repositories: Repositories, config: Config): Promise<void> {
  const context = { repositories, clock: systemClock, publicUrl: addressOf(config) }
  const link = await createOperatorLink(context, { forMs: LINK_MINUTES * 60_000 })
  say(`It signs in an operator once, within ${LINK_MINUTES} minutes.`)
  print(link)
}

/** The service at that address is another process. */
function addressOf(config: Config): string {
  if (config.publicUrl === null && config.port === 0)
    throw new StartupProblem('PORT is 0, so the port of the service is not known here: set PUBLIC_URL to the address that it printed.')
  return publicUrlOf(config)
}

async function keyWithFullAccess(repositories: Repositories, teamId: string): Promise<ApiKeyRow> {
  const key = await repositories.apiKeys.newestWithFullAccess(teamId)
  if (!key) throw new Failure('notFound', 'This team has no key with full access, which a session needs; `keys create` makes one.')
  return key
}
