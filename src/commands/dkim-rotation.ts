// Rotation of the keys that sign the mail of a domain, and how it stands.
import type { Config } from '../config.ts'
import { systemClock } from '../lib/clock.ts'
import { neededUntil, RETIRED_KEY_DAYS, withRoles } from '../lib/domains/key-roles.ts'
import { MISSING_HOURS_MAX } from '../lib/domains/record-states.ts'
import { selectorOfRecord } from '../lib/domains/wanted-records.ts'
import { Failure } from '../lib/failure.ts'
import { createRsaKeyPair, DKIM_ALGORITHMS } from '../lib/signing/key-pairs.ts'
import type { DkimKeyRow } from '../repositories/domains/dkim-keys.ts'
import type { CheckedRecord } from '../repositories/domains/domain-rows.ts'
import type { Repositories } from '../repositories/repositories.ts'
import { createDkimKeyMaker } from '../services/make-dkim-key.ts'
import { openDataKeys } from '../services/open-data-keys.ts'
import { existingSecretKey } from './database.ts'
import { print, printTable } from './output.ts'
import { moment } from './tables.ts'

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

export const publishedValue = ({ priority, value }: CheckedRecord): string => (priority === null ? value : `${priority} ${value}`)

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
      moment(retiredAt ?? seenAt ?? createdAt),
      retiredAt === null ? '' : moment(neededUntil(retiredAt)),
    ]),
  )
}
