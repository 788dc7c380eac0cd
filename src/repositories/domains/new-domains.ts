import type { Clock } from '../../lib/clock.ts'
import type { Installation } from '../../lib/domains/wanted-records.ts'
import { createId } from '../../lib/ids.ts'
import type { RecordTransaction } from '../database.ts'
import { lockTeam } from '../locks.ts'
import { createDkimKeys, type NewDkimKey } from './dkim-keys.ts'
import {
  appendDomainNotification,
  type DomainRow,
  type DomainWithRecords,
  domainColumns as select,
  toDomainRow,
  withRecords,
} from './domain-rows.ts'

export type NewDomain = Pick<
  DomainRow,
  'name' | 'root' | 'region' | 'tls' | 'returnPath' | 'trackingSubdomain' | 'openTracking' | 'clickTracking' | 'sending' | 'receiving'
>

/** `full`: the team has `domainsMax` of them. `taken`: it has one of this name. `hostInUse`: see `usesHostOf`. */
export type DomainCreation = DomainWithRecords | 'full' | 'taken' | 'hostInUse'

export async function createDomain(
  { tables, execute }: RecordTransaction,
  teamId: string,
  { domain, keys, domainsMax }: { domain: NewDomain; keys: NewDkimKey[]; domainsMax: number },
  { clock, installation }: { clock: Clock; installation: Installation },
): Promise<DomainCreation> {
  await lockTeam(execute, teamId)
  if ((await tables.domain.count({ where: { teamId } })) >= domainsMax) return 'full'
  if (await tables.domain.findFirst({ where: { teamId, name: domain.name }, select: { id: true } })) return 'taken'
  if (await usesHostOf(tables, teamId, domain)) return 'hostInUse'
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
export async function usesHostOf(
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
