import type { Static } from '@sinclair/typebox'
import { isNeeded, relativeName, SHOWN_AS } from '../lib/domains/wanted-records.ts'
import { toTimestamp } from '../lib/timestamps.ts'
import type { CheckedRecord, DomainRow, DomainWithRecords } from '../repositories/domains/domain-rows.ts'
import type { DnsRecord, Domain, DomainSummary } from '../schemas/domains.ts'

export const toDomainSummary = (row: DomainRow): Static<typeof DomainSummary> => ({
  id: row.id,
  name: row.name,
  status: row.status,
  created_at: toTimestamp(row.createdAt),
  region: row.region,
  open_tracking: row.openTracking,
  click_tracking: row.clickTracking,
  capabilities: { sending: toSwitch(row.sending), receiving: toSwitch(row.receiving) },
})

export const toDomain = (row: DomainWithRecords): Static<typeof Domain> => {
  const needed = row.records.filter(isNeeded)
  return {
    object: 'domain',
    ...toDomainSummary(row),
    tracking_subdomain: row.trackingSubdomain,
    tls: row.tls,
    ...(row.receivingUnprovenUntil !== null && { receiving_unproven_until: toTimestamp(row.receivingUnprovenUntil) }),
    records: needed.filter(({ isRecommended }) => !isRecommended).map((record) => toDnsRecord(record, row.root)),
    recommended_records: needed.filter(({ isRecommended }) => isRecommended).map((record) => toDnsRecord(record, row.root)),
  }
}

const toSwitch = (isEnabled: boolean): 'enabled' | 'disabled' => (isEnabled ? 'enabled' : 'disabled')

const toDnsRecord = ({ kind, type, host, value, priority, status, found }: CheckedRecord, root: string): Static<typeof DnsRecord> => ({
  record: SHOWN_AS[kind],
  name: relativeName(host, root),
  type,
  value,
  ttl: 'Auto',
  status,
  ...(priority !== null && { priority }),
  found,
})
