// The state of a domain, written together with those of its records; in SQL where all records are written at once.

import type { Database, Execute, RecordTransaction } from '../../db/database.ts'
import { lockDomainName, lockDomainsAcrossTeams } from '../../db/transactions.ts'
import { DAY_MS } from '../../lib/clock.ts'
import type { DomainStatus, Installation } from '../../mail/record-types.ts'
import { reservedAfter } from './claims/claim-states.ts'
import {
  appendDomainNotification,
  type CheckedRecord,
  type DomainWithRecords,
  domainColumns,
  toDomainRow,
  withRecords,
} from './domain-rows.repository.ts'
import { canSend, domainStatus, isProven } from './records/record-states.ts'
import { recordKey, selectorOfRecord } from './records/wanted-records.ts'

// Which team has a name: the one that verified it, the one that took it over and has not verified it yet, or the one that had it until lately.

/** How long a name that a team had goes to another team by a claim only: records of the former team may still be published. */
export const FORMER_DAYS = 90
const FORMER_MS = FORMER_DAYS * DAY_MS

/** `since`: when it got the name; null if that was before it was recorded, or if it has it no longer. */
export type NameHolder = {
  teamId: string
  domainId: string
  since: Date | null
  /** It never proved the name, and its time to do so has passed. */
  isUnproven: boolean
}

type Tables = Pick<RecordTransaction['tables'], 'domain' | 'domainClaim' | 'formerDomain'>

/** Null if no other team has the name. */
export async function findHolder(
  tables: Tables,
  { name, exceptTeamId, now }: { name: string; exceptTeamId: string; now: Date },
): Promise<NameHolder | null> {
  const teamId = { not: exceptTeamId }
  const owner = await tables.domain.findFirst({
    where: { name, ownsName: true, teamId },
    select: { id: true, teamId: true, ownedAt: true, receivingUnprovenUntil: true },
  })
  if (owner) {
    const { receivingUnprovenUntil: until } = owner
    return { teamId: owner.teamId, domainId: owner.id, since: owner.ownedAt, isUnproven: until !== null && until <= now }
  }
  const claim = await tables.domainClaim.findFirst({
    where: { name, teamId, status: 'completed', endedAt: { gt: reservedAfter(now) } },
    select: { teamId: true, domainId: true, endedAt: true },
  })
  if (claim) return { teamId: claim.teamId, domainId: claim.domainId, since: claim.endedAt, isUnproven: false }
  const former = await tables.formerDomain.findFirst({
    where: { name, teamId, endedAt: { gt: formerAfter(now) } },
    select: { teamId: true, domainId: true },
    orderBy: { endedAt: 'desc' },
  })
  return former && { ...former, since: null, isUnproven: false }
}

/** Names that were given up before this time are free. */
export const formerAfter = (now: Date): Date => new Date(now.getTime() - FORMER_MS)

/** Runs in the transaction that takes the name from the team. */
export async function rememberHolder(
  { formerDomain }: Pick<Tables, 'formerDomain'>,
  { teamId, domain: { id: domainId, name }, now: endedAt }: { teamId: string; domain: { id: string; name: string }; now: Date },
): Promise<void> {
  await formerDomain.upsert({
    where: { name_teamId: { name, teamId } },
    create: { name, teamId, domainId, endedAt },
    update: { domainId, endedAt },
  })
}

/** Takes the name from a team that never proved it. Its domain must be locked. */
export async function takeUnprovenName(
  { tables, execute }: RecordTransaction,
  { teamId, domainId }: NameHolder,
  { installation, now }: { installation: Installation; now: Date },
): Promise<void> {
  const data = { ownsName: false, ownedAt: null, canSend: false, status: 'failed', receivingUnprovenUntil: null }
  const row = toDomainRow(await tables.domain.update({ where: { id: domainId }, data, select: domainColumns }))
  const domain = await withRecords(tables, row, installation)
  await appendDomainNotification(execute, 'domain.updated', { teamId, domain, now })
}

/**
 * Whether bounces or links of a domain that another team has verified lead to this name. That team has published an MX record at it, or an alias,
 * which says nothing about who asks.
 */
export async function isHostOfOtherTeam(
  tables: Pick<RecordTransaction['tables'], 'domain'>,
  { name, exceptTeamId }: { name: string; exceptTeamId: string },
): Promise<boolean> {
  const [label = '', ...parent] = name.split('.')
  const used = await tables.domain.findFirst({
    where: {
      name: parent.join('.'),
      ownsName: true,
      teamId: { not: exceptTeamId },
      OR: [{ returnPath: label }, { trackingSubdomain: label }],
    },
    select: { id: true },
  })
  return used !== null
}

/** Writes the records, and the state of the domain that follows from them. A change of state is a notification. */
export async function storeRecords(
  inside: RecordTransaction,
  teamId: string,
  { installation, domain: stored, records, now, change }: Stored,
): Promise<void> {
  const { tables, execute } = inside
  const domain = { ...stored, receivingUnprovenUntil: promisedUntil(stored, now) }
  const before = new Map(domain.records.map((record) => [recordKey(record), record]))
  const changed = records.filter((record) => !isSameState(record, before.get(recordKey(record))))
  await replaceRecords(execute, domain.id, changed)
  const { status, ownsName, isOfOther = false } = await ownedStatus(inside, { teamId, installation, domain, records, now })
  const owner = { ownsName, canSend: ownsName && canSend(records), ...(ownsName !== domain.ownsName && { ownedAt: ownsName ? now : null }) }
  const mayReceiveUnproven = domain.receiving && !isOfOther && !isProven(records)
  const receivingUnprovenUntil = mayReceiveUnproven ? promisedUntil({ ...domain, ownsName }, now) : null
  if (domain.ownsName && !ownsName && domain.receivingUnprovenUntil === null) await rememberHolder(tables, { teamId, domain, now })
  const trackingHost = trackingHostOf(domain, records)
  await tables.domain.update({ where: { id: domain.id }, data: { ...change, status, ...owner, receivingUnprovenUntil, trackingHost } })
  if (trackingHost !== null && trackingHost !== domain.trackingHost)
    await tables.trackingHost.createMany({ data: [{ host: trackingHost, verifiedAt: now }], skipDuplicates: true })
  if (status === domain.status) return
  await appendDomainNotification(execute, 'domain.updated', { teamId, domain: { ...domain, status, records }, now })
}

/** A domain whose MX record was missing receives as before once that is back, but after the time that was promised only if it never lost the name. */
function promisedUntil(
  { ownsName, receivingUnprovenUntil: until }: Pick<DomainWithRecords, 'ownsName' | 'receivingUnprovenUntil'>,
  now: Date,
): Date | null {
  return until !== null && (ownsName || until > now) ? until : null
}

/** All at once, because a check may change every record. The caller has locked the domain. */
async function replaceRecords(execute: Execute, domainId: string, records: CheckedRecord[]): Promise<void> {
  if (records.length === 0) return
  const rows = records.map((record) => {
    const { kind, status, found, missingSince } = record
    return { kind, selector: selectorOfRecord(record), status, found, missingSince }
  })
  await execute(REPLACE_RECORDS, [domainId, JSON.stringify(rows)])
}

const REPLACE_RECORDS = `
insert into domain_records (domain_id, kind, selector, status, found, missing_since)
select $1::uuid, kind, selector, status, found, "missingSince"
from jsonb_to_recordset($2::jsonb) as r(kind text, selector text, status text, found text[], "missingSince" timestamptz)
on conflict (domain_id, kind, selector) do update set status = excluded.status, found = excluded.found, missing_since = excluded.missing_since`

/** A host whose record was verified is used until its record has failed, or the record of another host was verified. */
function trackingHostOf({ trackingHost }: Pick<DomainWithRecords, 'trackingHost'>, records: CheckedRecord[]): string | null {
  const record = records.find(({ kind }) => kind === 'Tracking')
  if (record?.status === 'verified') return record.host
  return record?.status === 'failed' && record.host === trackingHost ? null : trackingHost
}

/** Most checks find what the one before found. */
const isSameState = (record: CheckedRecord, before: CheckedRecord | undefined): boolean =>
  before !== undefined &&
  record.status === before.status &&
  record.missingSince?.getTime() === before.missingSince?.getTime() &&
  record.found.join('\n') === before.found.join('\n')

/** The first team that verifies a name has it until the domain fails or is deleted. For others the name stays unverified. `isOfOther`: another team has it. */
async function ownedStatus(
  inside: RecordTransaction,
  { teamId, installation, domain, records, now }: Omit<Stored, 'change'> & { teamId: string },
): Promise<{ status: DomainStatus; ownsName: boolean; isOfOther?: boolean }> {
  const { name, sending, ownsName } = domain
  const status = domainStatus(records, domain)
  const isVerified = status === 'verified' || status === 'partially_verified' || status === 'partially_failed'
  if (!isVerified) return { status, ownsName: false }
  // An MX record alone may be there for someone else.
  if (!isProven(records) && (await isHostOfOtherTeam(inside.tables, { name, exceptTeamId: teamId })))
    return { status: sending ? domainStatus(records, { ...domain, receiving: false }) : 'failed', ownsName: false, isOfOther: true }
  if (ownsName) return { status, ownsName }
  const find = () => findHolder(inside.tables, { name, exceptTeamId: teamId, now })
  const mayLose = (holder: NameHolder | null) => holder?.isUnproven === true && isProven(records)
  // The domain of the other team before the name, as everywhere.
  const before = await find()
  if (before && mayLose(before)) await lockDomainsAcrossTeams(inside.execute, [before.domainId])
  await lockDomainName(inside.execute, name)
  const holder = await find()
  const isFree = holder === null || (mayLose(holder) && holder.domainId === before?.domainId)
  if (isFree && holder) await takeUnprovenName(inside, holder, { installation, now })
  return isFree ? { status, ownsName: true } : { status: 'failed', ownsName: false, isOfOther: true }
}

type Stored = {
  installation: Installation
  domain: DomainWithRecords
  records: CheckedRecord[]
  now: Date
  change: { askedAt?: Date; checkedAt?: Date; checkDueAt: Date | null }
}

export function trackingHostRepository({ tables }: Pick<Database, 'tables'>) {
  return {
    /** Returns the hosts among these, lower-case A-labels, that were ever verified. Crosses teams: a handshake names none. */
    async verifiedAmongAcrossTeams(hosts: string[]): Promise<Set<string>> {
      const found = await tables.trackingHost.findMany({ where: { host: { in: hosts } }, select: { host: true } })
      return new Set(found.map(({ host }) => host))
    },
  }
}
