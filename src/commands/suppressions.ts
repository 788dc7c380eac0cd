import { Command, InvalidArgumentError, Option } from 'commander'
import type { Config } from '../config.ts'
import { Failure, invalid } from '../lib/failure.ts'
import { quotedValue } from '../lib/quotation.ts'
import { contactReference } from '../mail/audience/contact-addresses.ts'
import { suppressibleAddress } from '../mail/audience/suppressible-addresses.ts'
import type { Repositories } from '../repositories/repositories.ts'
import { SUPPRESSION_ORIGINS, type SuppressionOrigin } from '../schemas/suppressions.ts'
import { toSuppressionSummary } from '../serializers/suppressions.ts'
import { addSuppressions } from '../services/add-suppressions.ts'
import { teamOf, withRepositories } from './database.ts'
import { type JsonOption, jsonOption, print, printJson, printTable, say } from './output.ts'
import { exportSuppressions, importSuppressionFile, type SuppressionFileOptions } from './suppression-files.ts'
import { grouped, moment } from './tables.ts'

type TeamOption = { team?: string }
type ListOptions = TeamOption & JsonOption & { origin?: SuppressionOrigin; limit: number }

/** Shown at once, by default and at most: more is for a file. */
const LINES = 100
const LINES_MAX = 1_000

const TEAM_WORDS = 'id of the team; not needed when there is only one'

export function suppressionCommands(): Command {
  const team = () => new Option('--team <id>', TEAM_WORDS)
  const suppressions = new Command('suppressions').description('Addresses that get no mail from a team: list, add, remove, import, export.')
  suppressions
    .command('list')
    .description('List the addresses that were suppressed last.')
    .addOption(team())
    .addOption(new Option('--origin <origin>', 'only those of this origin').choices(SUPPRESSION_ORIGINS))
    .addOption(new Option('--limit <number>', 'how many').default(LINES).argParser(limitOf))
    .addOption(jsonOption())
    .action((options: ListOptions) => withRepositories((repositories) => list(repositories, options)))
  suppressions
    .command('add')
    .description('Suppress addresses.')
    .argument('<address...>', 'email addresses')
    .addOption(team())
    .action((addresses: string[], { team }: TeamOption) =>
      withRepositories(async (repositories, config) => {
        refuseWrongAddress(addresses, config)
        const named = addresses.map((text) => ({ field: 'address', text }))
        await addSuppressions({ repositories, config }, await teamOf(repositories, team), named)
        for (const address of addresses) print(`${address} is suppressed.`)
      }),
    )
  suppressions
    .command('remove')
    .description('Let addresses get mail again, until the next bounce or complaint.')
    .argument('<address...>', 'email addresses, or ids of suppressions')
    .addOption(team())
    .action((addresses: string[], { team }: TeamOption) => withRepositories((repositories) => remove(repositories, addresses, team)))
  suppressions.addCommand(suppressionImport('import'))
  suppressions
    .command('export')
    .description('Print all suppressions as CSV, newest first.')
    .addOption(team())
    .addOption(new Option('--origin <origin>', 'only those of this origin').choices(SUPPRESSION_ORIGINS))
    .action(({ team, origin }: TeamOption & { origin?: SuppressionOrigin }) =>
      withRepositories(async (repositories) => exportSuppressions(repositories, await teamOf(repositories, team), origin ?? null)),
    )
  return suppressions
}

/** @param name `suppressions import`, as what a team has, and `import suppressions`, as what it brings. */
export const suppressionImport = (name: string): Command =>
  new Command(name)
    .description('Suppress the addresses in a CSV file. It may be interrupted and repeated: what is on the list stays as it is.')
    .argument('<file>', 'path of the file; - reads standard input')
    .option('--team <id>', TEAM_WORDS)
    .option('--column <name>', 'column with the addresses, or its place from 1; not needed for files that are recognized')
    .addOption(new Option('--origin <origin>', 'why rows are on the list that do not say it').choices(SUPPRESSION_ORIGINS))
    .addHelpText('after', FILE_WORDS)
    .action((path: string, { team, ...options }: TeamOption & SuppressionFileOptions) =>
      withRepositories(async (repositories, config) =>
        importSuppressionFile(repositories, config, { teamId: await teamOf(repositories, team), path, ...options }),
      ),
    )

const FILE_WORDS = `
The lists of Amazon SES, SendGrid, Mailgun and Postmark are recognized by their first line, which names the columns, and their reasons become \`bounce\`,
\`complaint\` or \`manual\`, which is also what unsubscribing becomes. In other files the first line names a column \`email\`, and \`origin\` if there is
one. Other columns are not read. A file without such a line has one address on each line. \`suppressions export\` writes such a file.`

/** Before anything is added; in words for arguments, which are no fields. */
function refuseWrongAddress(addresses: string[], { simulatorDomains }: Config): void {
  for (const text of addresses) {
    const email = suppressibleAddress(text, simulatorDomains)
    if (typeof email !== 'string') throw invalid(`The address ${email.problem}.${quotedValue(text)}`)
  }
}

async function list(repositories: Repositories, { team, origin, limit, json }: ListOptions): Promise<void> {
  const teamId = await teamOf(repositories, team)
  const { rows, hasMore } = await repositories.suppressions.list(teamId, origin ?? null, { limit, after: null, before: null })
  if (json) return printJson(rows.map(toSuppressionSummary))
  if (rows.length === 0)
    return say(`This team has ${origin === undefined ? 'no suppression' : `no suppression with the origin ${origin}`}.`)
  printTable(
    ['ADDRESS', 'ORIGIN', 'SINCE', 'EMAIL'],
    rows.map(({ email, origin, createdAt, sourceId, softBounces }) => [
      ...[email, softBounces === null ? origin : `${origin} (soft)`, moment(createdAt)],
      sourceId ?? '',
    ]),
  )
  if (hasMore) say(`These are the newest ${grouped(limit)}; \`suppressions export\` prints all.`)
}

async function remove(repositories: Repositories, texts: string[], team: string | undefined): Promise<void> {
  const teamId = await teamOf(repositories, team)
  const missing: string[] = []
  for (const text of texts) {
    const reference = contactReference(text)
    const removed = reference && (await repositories.suppressions.remove(teamId, reference))
    if (removed) print(`${removed.email} is no longer suppressed.`)
    else missing.push(text)
  }
  if (missing.length > 0) throw new Failure('notFound', `Not on the suppression list of this team: ${missing.join(', ')}.`)
}

function limitOf(text: string): number {
  const limit = Number(text)
  if (!/^\d+$/.test(text) || limit < 1 || limit > LINES_MAX)
    throw new InvalidArgumentError(`It must be a whole number from 1 to ${LINES_MAX}.`)
  return limit
}
