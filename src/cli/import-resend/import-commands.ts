import { Command, InvalidArgumentError } from 'commander'
import { isThisMachine } from '../../lib/peer-addresses.ts'
import { commandConfig, findTeam, withRepositories } from '../database.ts'
import { suppressionImport } from '../suppressions.ts'
import type { ResendClient } from './resend-client.ts'

type ResendOptions = { team?: string; plan?: boolean; url: string }

export function importCommands(clientOf: (account: { url: string; key: string }) => Promise<ResendClient>): Command {
  const imports = new Command('import').description('Import what you have elsewhere into a team.')
  imports.addCommand(suppressionImport('suppressions'))
  imports
    .command('resend')
    .description('Import an account of Resend: domains, audience, suppressions, templates and unsent broadcasts.')
    .option('--team <id>', 'id of the team; not needed when there is only one')
    .option('--plan', 'show what would be imported, and change nothing')
    .option('--url <url>', 'address of the API', parseUrl, 'https://api.resend.com')
    .addHelpText('after', RESEND_WORDS)
    .action(async ({ team, plan = false, url }: ResendOptions) => {
      const { importResend, requireApiKey } = await import('./import-resend.ts')
      const config = commandConfig()
      const client = await clientOf({ url, key: requireApiKey(config) })
      await withRepositories(
        async (repositories) => importResend(repositories, config, { client, teamId: await findTeam(repositories, team), isPlan: plan }),
        { config },
      )
    })
  return imports
}

const RESEND_WORDS = `
The API key of Resend is taken from RESEND_API_KEY, and needs full access. Run the command again whenever you like: domains, properties, segments, topics,
templates and broadcasts whose names exist here stay as they are; contacts get what is new there, and one who unsubscribed in either place
stays unsubscribed. At its end it prints the DNS records to publish, and what is not imported.`

/** The key is sent there. */
function parseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url?.protocol !== 'https:' && !(url?.protocol === 'http:' && isThisMachine(url.hostname)))
    throw new InvalidArgumentError('It must be an address that begins with https://.')
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '')
    throw new InvalidArgumentError('It must be an address without a user, a query and a fragment.')
  return text
}
