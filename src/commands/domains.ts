import { Argument, Command, Option } from 'commander'
import { RETIRED_KEY_DAYS } from '../lib/domains/key-roles.ts'
import { isNeeded, LOCAL_RECORDS, leadToLocalhost } from '../lib/domains/wanted-records.ts'
import { Failure } from '../lib/failure.ts'
import { canonicalDomain } from '../mail/addresses.ts'
import { zoneLines } from '../mail/deliverability/zone-file.ts'
import type { Repositories } from '../repositories/repositories.ts'
import { toDomain, toDomainSummary } from '../serializers/domains.ts'
import { allRows, teamOf, withRepositories } from './database.ts'
import { KEY_WORDS, printKeys, printRecords, publishedValue, ROTATION_WORDS, rotateKeys } from './dkim-rotation.ts'
import { type JsonOption, jsonOption, print, printJson, printTable, say } from './output.ts'
import { moment } from './tables.ts'

type TeamOption = { team?: string }

export function domainCommands(): Command {
  const domain = () => new Argument('<domain>', 'its name, such as example.com')
  const owner = () => new Option('--team <id>', 'id of the team; not needed when only one team has the domain')
  const domains = new Command('domains').description('The domains that teams send from: list, show, rotate the keys that sign their mail.')
  domains
    .command('list')
    .description('List the domains of a team.')
    .addOption(new Option('--team <id>', 'id of the team; not needed when there is only one'))
    .addOption(jsonOption())
    .action(({ team, json }: TeamOption & JsonOption) => withRepositories((repositories) => list(repositories, team, json === true)))
  domains
    .command('show')
    .description('The DNS records of a domain, with what the last check found, and the keys that sign its mail.')
    .addArgument(domain())
    .addOption(owner())
    .addOption(new Option('--zone', 'print only the records, in the form of a zone file').conflicts('json'))
    .addOption(jsonOption())
    .addHelpText('after', KEY_WORDS)
    .action((name: string, { team, zone, json }: TeamOption & JsonOption & { zone?: boolean }) =>
      withRepositories((repositories) => show(repositories, { name, team }, { isZone: zone === true, isJson: json === true })),
    )
  domains
    .command('rotate-dkim')
    .description('Make new keys that sign the mail of a domain, and print the DNS records to publish for them.')
    .addArgument(domain())
    .addOption(owner())
    .addOption(new Option('--again', `replace the keys although they replaced others less than ${RETIRED_KEY_DAYS} days ago`))
    .addHelpText('after', ROTATION_WORDS)
    .action((name: string, { team, again }: TeamOption & { again?: boolean }) =>
      withRepositories(async (repositories, config) =>
        rotateKeys(repositories, config, { ...(await domainNamed(repositories, { name, team })), isAgain: again === true }),
      ),
    )
  return domains
}

async function list(repositories: Repositories, team: string | undefined, isJson: boolean): Promise<void> {
  const teamId = await teamOf(repositories, team)
  const rows = await allRows((request) => repositories.domains.list(teamId, request))
  if (isJson) return printJson(rows.map(toDomainSummary))
  if (rows.length === 0) return say('This team has no domain yet; POST /domains registers one.')
  printTable(
    ['DOMAIN', 'STATUS', 'CREATED', 'ID'],
    rows.map(({ name, status, createdAt, id }) => [name, status, moment(createdAt), id]),
  )
}

async function show(
  repositories: Repositories,
  named: NamedDomain,
  { isZone, isJson }: { isZone: boolean; isJson: boolean },
): Promise<void> {
  const { teamId, id } = await domainNamed(repositories, named)
  const domain = await repositories.domains.find(teamId, id)
  if (!domain) throw new Failure('notFound', `The domain "${named.name}" has just been deleted.`)
  if (isJson) return printJson(toDomain(domain))
  const needed = domain.records.filter(isNeeded)
  if (leadToLocalhost(needed)) say(LOCAL_RECORDS)
  if (isZone) {
    for (const line of zoneLines(needed.map((record) => ({ ...record, value: publishedValue(record) })))) print(line)
    return
  }
  print(`${domain.name} of team ${teamId}: ${domain.status}`)
  printRecords(needed)
  printKeys(await repositories.dkimKeys.listOf(teamId, id))
}

type NamedDomain = { name: string; team: string | undefined }

/** The domain with this name, of the team or of the only team that has it. */
async function domainNamed({ domains }: Repositories, { name, team }: NamedDomain): Promise<{ id: string; teamId: string; name: string }> {
  const canonical = canonicalDomain(name)
  const all = typeof canonical === 'string' ? await domains.listNamedAcrossTeams(canonical) : []
  const [first, ...others] = team === undefined ? all : all.filter(({ teamId }) => teamId === team)
  if (!first)
    throw new Failure(
      'notFound',
      `${team === undefined ? 'No team has' : 'This team does not have'} the domain "${name}"; \`domains list\` shows all.`,
    )
  if (others.length > 0)
    throw new Failure('validation', `Several teams have the domain "${name}": name one with --team; \`teams list\` shows all.`)
  return first
}
