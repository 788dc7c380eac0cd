// Takes a domain back to its beginning, with keys that no one has seen: when its name goes to another team, and when it comes from one.
import type { Installation } from '../../lib/domains/wanted-records.ts'
import type { RecordTransaction } from '../database.ts'
import { createDkimKeys, type NewDkimKey } from './dkim-keys.ts'
import { appendDomainNotification, domainColumns as select, toDomainRow, withRecords } from './domain-rows.ts'

export type ResetDomain = { teamId: string; domainId: string; keys: NewDkimKey[] }

/** It can neither send nor receive until it is verified again, and its old private keys are gone. Its settings stay. */
export async function resetDomain(
  { tables, execute }: RecordTransaction,
  { teamId, domainId, keys }: ResetDomain,
  { taken, installation, now }: { taken: string[]; installation: Installation; now: Date },
): Promise<void> {
  await tables.domainRecord.deleteMany({ where: { domainId } })
  await tables.dkimKey.deleteMany({ where: { teamId, domainId } })
  await createDkimKeys({ tables }, teamId, { domainId, made: keys, taken, first: installation.dkimSelector, createdAt: now })
  const data = { ...UNVERIFIED, askedAt: null, checkDueAt: null }
  const domain = await withRecords(tables, toDomainRow(await tables.domain.update({ where: { id: domainId }, data, select })), installation)
  await appendDomainNotification(execute, 'domain.updated', { teamId, domain, now })
}

const UNVERIFIED = {
  status: 'not_started',
  ownsName: false,
  ownedAt: null,
  canSend: false,
  receivingUnprovenUntil: null,
  trackingHost: null,
}

/** The selectors of these domains: records of their keys may still be published. */
export async function selectorsOf({ dkimKey }: Pick<RecordTransaction['tables'], 'dkimKey'>, domainIds: string[]): Promise<string[]> {
  const keys = await dkimKey.findMany({ where: { domainId: { in: domainIds } }, select: { selector: true } })
  return keys.map(({ selector }) => selector)
}
