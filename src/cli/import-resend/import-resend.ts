// Brings an account of Resend to a team: what is there already is passed over, so that it can be run again.
import type { Config } from '../../config/config.ts'
import { systemClock } from '../../lib/clock.ts'
import { createRsaKeyPair } from '../../lib/crypto/keys.ts'
import { Failure } from '../../lib/failure.ts'
import { createBodyReader } from '../../lib/validation/body-validator.ts'
import { createAddressHash } from '../../modules/audience/address-hashes.ts'
import { createDkimKeyMaker } from '../../modules/domains/dkim/dkim-keys.service.ts'
import type { DomainWithRecords } from '../../modules/domains/domain-rows.repository.ts'
import { DomainCreate, REGIONS } from '../../modules/domains/domains.schema.ts'
import { registerDomain } from '../../modules/domains/domains.service.ts'
import { publishedValue } from '../../modules/domains/records/zone-lines.ts'
import { openDataKeys } from '../../modules/secrets/data-keys.service.ts'
import type { Repositories } from '../../repositories.ts'
import { existingSecretKey } from '../database.ts'
import { print, printTable } from '../output.ts'
import { importAudience } from './import-audience.ts'
import {
  importBroadcasts,
  importRecord,
  importTemplates,
  type Move,
  oldestFirst,
  pickFields,
  printTally,
  readId,
  textIn,
} from './import-run.ts'
import type { ResendClient, TheirRecord } from './resend-client.ts'

const readDomain = createBodyReader(DomainCreate)

export async function importResend(
  repositories: Repositories,
  config: Config,
  { client, teamId, isPlan }: { client: ResendClient; teamId: string; isPlan: boolean },
): Promise<void> {
  const secretKey = await existingSecretKey(config, repositories)
  // Only a start wraps the keys again, under a new secret.
  const dataKeys = await openDataKeys(repositories.dataKeys, { secretKey, secretKeyPrevious: null })
  const move: Move = {
    client,
    repositories,
    config,
    clock: systemClock,
    teamId,
    isPlan,
    hashAddress: createAddressHash(dataKeys.of('opt-out').keys),
    makeDkimKey: createDkimKeyMaker({ takeRsaKeyPair: createRsaKeyPair, versionsOf: () => dataKeys.of('dkim'), clock: systemClock }),
    tally: new Map(),
    segments: new Map(),
    topics: new Map(),
    notes: [],
  }
  const domains = await importDomains(move)
  await importAudience(move)
  await importTemplates(move)
  await importBroadcasts(move)
  printTally(move)
  printRest(move, domains)
  // The others are done, but not all that was asked for.
  if ([...move.tally.values()].some(({ refused }) => refused > 0)) process.exitCode = 1
}

/** Returns the domains whose records are still to be published. */
async function importDomains(move: Move): Promise<DomainWithRecords[]> {
  const { client, repositories, teamId, isPlan } = move
  const waiting: DomainWithRecords[] = []
  for (const summary of await oldestFirst(client.list('/domains'))) {
    const name = textIn(summary, 'name')
    const found = await repositories.domains.findByName(teamId, name.toLowerCase())
    const domain = await importRecord(move, { kind: 'domains', name, isExisting: found !== null }, async () => {
      if (found) return repositories.domains.find(teamId, found.id)
      const record = (await client.find(`/domains/${readId(summary)}`)) ?? summary
      const input = readDomain(domainInput(record))
      return isPlan ? null : registerDomain(move, teamId, input)
    })
    if (domain && domain.status !== 'verified') waiting.push(domain)
  }
  return waiting
}

/** Bounces return to the host that has their MX record for SPF, which is a label under the domain. */
function domainInput(record: TheirRecord): TheirRecord {
  const records: unknown[] = Array.isArray(record.records) ? record.records : []
  const bounces = records.map((one): TheirRecord => Object(one)).find(({ record: kind, type }) => kind === 'SPF' && type === 'MX')
  const label = bounces && textIn(bounces, 'name').split('.')[0]
  return {
    ...pickFields(record, ['name', 'open_tracking', 'click_tracking', 'tracking_subdomain', 'tls', 'capabilities']),
    ...(REGIONS.some((region) => region === record.region) && { region: record.region }),
    ...(label && { custom_return_path: label }),
  }
}

/** What is left to do by hand. */
function printRest({ isPlan, notes }: Move, domains: DomainWithRecords[]): void {
  print('')
  if (isPlan)
    print('Nothing was changed, because this was a plan. Properties, topics and segments of contacts are read only by the import itself.')
  for (const domain of domains) {
    print(`${domain.name} has new keys here. Publish these records beside those that are there, and then verify it:`)
    printTable(
      ['TYPE', 'NAME', 'VALUE'],
      domain.records.map((record) => [record.type, record.host, publishedValue(record)]),
    )
  }
  print('Not imported:')
  for (const line of [...notes, ...LEFT_THERE]) print(`- ${line}`)
}

const LEFT_THERE = [
  'Private DKIM keys: Resend shows them to no one. A domain has new ones here.',
  'API keys: make new ones with `keys create`.',
  'Webhooks and their secrets: create them here, and give the new secrets to your programs.',
  'Automations and events: create them here.',
  'Emails that were sent or received, metrics and logs.',
  'Versions of templates, except the newest.',
]

/** @throws Failure if there is none. */
export function requireApiKey({ resendApiKey }: Config): string {
  if (resendApiKey === null)
    throw new Failure('validation', 'Set RESEND_API_KEY to an API key of Resend with full access. It is taken from the environment only.')
  return resendApiKey
}
