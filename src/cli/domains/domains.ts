import { Argument, Command, Option } from 'commander'
import type { Config } from '../../config/config.ts'
import { systemClock } from '../../lib/clock.ts'
import { createRsaKeyPair, DKIM_ALGORITHMS } from '../../lib/crypto/keys.ts'
import { Failure } from '../../lib/failure.ts'
import { canonicalDomain } from '../../mail/addresses.ts'
import type { DkimKeyRow } from '../../modules/domains/dkim/dkim-keys.repository.ts'
import { createDkimKeyMaker } from '../../modules/domains/dkim/dkim-keys.service.ts'
import type { CheckedRecord } from '../../modules/domains/domain-rows.repository.ts'
import { toDomain, toDomainSummary } from '../../modules/domains/domains.routes.ts'
import { MISSING_HOURS_MAX } from '../../modules/domains/records/record-states.ts'
import {
  isNeeded,
  LOCAL_RECORDS,
  leadToLocalhost,
  neededUntil,
  RETIRED_KEY_DAYS,
  selectorOfRecord,
  withRoles,
} from '../../modules/domains/records/wanted-records.ts'
import { domainZoneLines, publishedValue } from '../../modules/domains/records/zone-lines.ts'
import { openDataKeys } from '../../modules/secrets/data-keys.service.ts'
import type { Repositories } from '../../repositories.ts'
import { allRows, existingSecretKey, findTeam, withRepositories } from '../database.ts'
import { formatTime, type JsonOption, jsonOption, print, printJson, printTable, say } from '../output.ts'

// Rotation of the keys that sign the mail of a domain, and how it stands.

export const ROTATION_WORDS = `
The old keys sign until the records of the new ones are seen in the DNS, and the new keys from then on, each algorithm by itself. The DNS is asked at
once, after 10 seconds, 1, 5 and 15 minutes, then every hour for ${MISSING_HOURS_MAX} hours, and then once a day. Leave the old records where they are until
${RETIRED_KEY_DAYS} days after their keys stopped signing, because mail that they signed is still on its way; \`domains show\` says until when.
If you run it again, the command shows the records that are waited for, and looks for them again. Once the new
keys sign, it makes no others for ${RETIRED_KEY_DAYS} days, except with --again.`

export async function rotateKeys(
  repositories: Repositories,
  config: Config,
  { teamId, id, name, isAgain }: { teamId: string; id: string; name: string; isAgain: boolean },
): Promise<void> {
  const secretKey = await existingSecretKey(config, repositories)
  // Only a start wraps the keys again, under a new secret.
  const dataKeys = await openDataKeys(repositories.dataKeys, { secretKey, secretKeyPrevious: null })
  const makeKey = createDkimKeyMaker({ takeRsaKeyPair: createRsaKeyPair, versionsOf: () => dataKeys.of('dkim'), clock: systemClock })
  const made = await Promise.all(DKIM_ALGORITHMS.map((algorithm) => makeKey(algorithm, teamId)))
  const rotation = await repositories.keyRotation.start(teamId, id, { made, isAgain })
  if (rotation === null) throw new Failure('notFound', `The domain "${name}" has just been deleted.`)
  if (rotation === 'unused')
    throw new Failure(
      'validation',
      `No key of "${name}" signs mail, so there is none to rotate: publish the records that \`domains show\` lists, and verify the domain first.`,
    )
  if (rotation === 'replaced')
    throw new Failure(
      'validation',
      `The new keys of "${name}" sign already, as \`domains show\` says, so none were made. To replace them too, add --again.`,
    )
  const unseen = rotation.keys.filter(({ seenAt, retiredAt }) => seenAt === null && retiredAt === null).map(({ selector }) => selector)
  print(
    rotation.outcome === 'started'
      ? `New keys of ${name} are made. Publish these records; until each is seen, mail is signed as before:`
      : `New keys of ${name} were made before, and wait for these records, which are looked for again:`,
  )
  const awaited = rotation.domain.records.filter((record) => unseen.includes(selectorOfRecord(record)))
  printTable(
    ['STATUS', 'TYPE', 'NAME', 'VALUE'],
    awaited.map(({ status, type, host, value }) => [status, type, host, value]),
  )
  printFound(awaited)
  print(`Leave the old records where they are; \`domains show ${name}\` says when they are no longer needed, and prints all with --zone.`)
}

export function printRecords(records: CheckedRecord[]): void {
  printTable(
    ['STATUS', 'NEEDED', 'TYPE', 'NAME', 'VALUE'],
    records.map((record) => [record.status, record.isRecommended ? 'no' : 'yes', record.type, record.host, publishedValue(record)]),
  )
  printFound(records)
}

function printFound(records: CheckedRecord[]): void {
  for (const { type, host, found } of records) for (const value of found) print(`Found for ${type} ${host} instead: ${value}`)
}

export const KEY_WORDS = `
States of keys:
  signing   mail is signed with it
  not seen  the first key: it signs once its record is seen
  next      it replaces the one that signs once its record is seen
  retired   it signs no longer, and its private key is gone; its record is still needed`

/** Without the private keys, which are never shown. */
export function printKeys(keys: DkimKeyRow[]): void {
  printTable(
    ['KEY', 'ALGORITHM', 'STATE', 'SINCE', 'RECORD NEEDED UNTIL'],
    withRoles(keys).map(({ selector, algorithm, role, createdAt, seenAt, retiredAt }) => [
      selector,
      algorithm,
      role === 'signing' && seenAt === null ? 'not seen' : role,
      formatTime(retiredAt ?? seenAt ?? createdAt),
      retiredAt === null ? '' : formatTime(neededUntil(retiredAt)),
    ]),
  )
}

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
  const teamId = await findTeam(repositories, team)
  const rows = await allRows((request) => repositories.domains.list(teamId, request))
  if (isJson) return printJson(rows.map(toDomainSummary))
  if (rows.length === 0) return say('This team has no domain yet; POST /domains registers one.')
  printTable(
    ['DOMAIN', 'STATUS', 'CREATED', 'ID'],
    rows.map(({ name, status, createdAt, id }) => [name, status, formatTime(createdAt), id]),
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
    for (const line of domainZoneLines(domain.records)) print(line)
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
