import type { RecordTransaction } from '../../db/database.ts'
import { lockTeamWithin } from '../../db/transactions.ts'
import type { Clock } from '../../lib/clock.ts'
import { createId } from '../../lib/ids.ts'
import type { Installation } from '../../mail/record-types.ts'
import { requireRoom } from '../limits/limits.repository.ts'
import { createDkimKeys, type NewDkimKey } from './dkim/dkim-keys.repository.ts'
import {
  appendDomainNotification,
  type DomainRow,
  type DomainWithRecords,
  domainColumns as select,
  toDomainRow,
  withRecords,
} from './domain-rows.repository.ts'
import { DOMAIN_LIMIT } from './domains.schema.ts'

export type NewDomain = Pick<
  DomainRow,
  'name' | 'root' | 'region' | 'tls' | 'returnPath' | 'trackingSubdomain' | 'openTracking' | 'clickTracking' | 'sending' | 'receiving'
>

/** `taken`: the team has one of this name. `hostInUse`: see `usesSameHost`. */
export type DomainCreation = DomainWithRecords | 'taken' | 'hostInUse'

/** @throws Failure if the team has as many as it may have */
export async function createDomain(
  { tables, execute }: RecordTransaction,
  teamId: string,
  { domain, keys }: { domain: NewDomain; keys: NewDkimKey[] },
  { clock, installation }: { clock: Clock; installation: Installation },
): Promise<DomainCreation> {
  await lockTeamWithin(execute, teamId, { limit: DOMAIN_LIMIT, count: () => tables.domain.count({ where: { teamId } }) })
  await requireRoom(execute, teamId, { name: 'domains', more: 1, count: () => tables.domain.count({ where: { teamId } }) })
  if (await tables.domain.findFirst({ where: { teamId, name: domain.name }, select: { id: true } })) return 'taken'
  if (await usesSameHost(tables, teamId, domain)) return 'hostInUse'
  const { name, root, region, tls, returnPath, trackingSubdomain, openTracking, clickTracking, sending, receiving } = domain
  const settings = { region, tls, returnPath, trackingSubdomain, openTracking, clickTracking, sending, receiving }
  const data = { id: createId(clock), teamId, name, root, ...settings, createdAt: clock.now() }
  const row = await tables.domain.create({ data, select })
  const first = installation.dkimSelector
  await createDkimKeys({ tables }, teamId, { domainId: row.id, made: keys, taken: [], first, createdAt: clock.now() })
  const created = await withRecords(tables, toDomainRow(row), installation)
  await appendDomainNotification(execute, 'domain.created', { teamId, domain: created, now: clock.now() })
  return created
}

/**
 * Whether a host of the domain, for bounces or for links, is another domain of the team, or the domain is such a host of another one. Both would need
 * records at one name, where a CNAME excludes all others (RFC 1034, section 3.6.2).
 */
export async function usesSameHost(
  tables: Pick<RecordTransaction['tables'], 'domain'>,
  teamId: string,
  { name, returnPath, trackingSubdomain }: Pick<DomainRow, 'name' | 'returnPath' | 'trackingSubdomain'>,
): Promise<boolean> {
  const hosts = [returnPath, trackingSubdomain].flatMap((label) => (label === null ? [] : `${label}.${name}`))
  const [label = '', ...parent] = name.split('.')
  const used = await tables.domain.findFirst({
    where: {
      teamId,
      OR: [{ name: { in: hosts } }, { name: parent.join('.'), OR: [{ returnPath: label }, { trackingSubdomain: label }] }],
    },
    select: { id: true },
  })
  return used !== null
}

// Takes a domain back to its beginning, with keys that no one has seen: when its name goes to another team, and when it comes from one.

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
export async function listSelectors({ dkimKey }: Pick<RecordTransaction['tables'], 'dkimKey'>, domainIds: string[]): Promise<string[]> {
  const keys = await dkimKey.findMany({ where: { domainId: { in: domainIds } }, select: { selector: true } })
  return keys.map(({ selector }) => selector)
}
