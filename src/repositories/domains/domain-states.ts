// The state of a domain, written together with those of its records; in SQL where all records are written at once.
import type { DomainStatus } from '../../lib/domains/domain-records.ts'
import { canSend, domainStatus, isProven } from '../../lib/domains/domain-status.ts'
import { type Installation, recordKey, selectorOfRecord } from '../../lib/domains/wanted-records.ts'
import type { Execute, RecordTransaction } from '../database.ts'
import { lockDomainName, lockDomainsAcrossTeams } from '../locks.ts'
import { appendDomainNotification, type CheckedRecord, type DomainWithRecords } from './domain-rows.ts'
import { findHolder, isHostOfOtherTeam, type NameHolder, rememberHolder, takeUnprovenName } from './name-holders.ts'

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
