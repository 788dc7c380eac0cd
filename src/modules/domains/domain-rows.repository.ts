// A domain as it is read, with the DNS records that it needs and what was found of them.
import { oneOf } from '../../db/columns.ts'
import type { Execute, RecordTransaction } from '../../db/database.ts'
import { append } from '../../db/outbox.ts'
import { lockRow } from '../../db/transactions.ts'
import type { Prisma } from '../../generated/prisma/client.ts'
import { createCachedLookups } from '../../lib/cached-lookups.ts'
import { createId } from '../../lib/ids.ts'
import { DOMAIN_STATUSES, type DomainStatus, type Installation, RECORD_STATUSES, type WantedRecord } from '../../mail/record-types.ts'
import { type DkimKeyRow, listDkimKeys } from './dkim/dkim-keys.repository.ts'
import { type DomainNotificationType, REGIONS, type Region, TLS_MODES, type TlsMode } from './domains.schema.ts'
import type { RecordState } from './records/record-states.ts'
import { isNeeded, NOTIFIED_AS, recordKey, relativeName, wantedRecords, withRoles } from './records/wanted-records.ts'

// What every email asks about domains, remembered for a moment: only what was found, so that a domain that was just verified may send at once.

/** A deletion in another process is noticed within this time. */
const REMEMBERED_MS = 1_000
const ANSWERS_MAX = 20_000

/** Remembers a value for each name or id of a team; `absent` is the answer for those that have none. */
export function createDomainMemory<Value extends boolean | string>(absent: Value) {
  const lookups = createCachedLookups<Value>({ entriesMax: ANSWERS_MAX, lifetimeMs: REMEMBERED_MS })

  return {
    /** `lookUp` finds the values that are not remembered. */
    async find(teamId: string, asked: readonly string[], lookUp: (unknown: string[]) => Promise<Map<string, Value>>) {
      const values = new Map(asked.map((one) => [one, lookups.known(keyOf(teamId, one))]))
      const unknown = asked.filter((one) => values.get(one) === undefined)
      const remember = lookups.begin()
      const found = unknown.length > 0 ? await lookUp(unknown) : new Map<string, Value>()
      for (const [one, value] of found) remember(keyOf(teamId, one), value)
      return (one: string): Value => values.get(one) ?? found.get(one) ?? absent
    },

    /** After the commit of a deletion. */
    forget: (teamId: string, one: string): void => lookups.forget(keyOf(teamId, one)),
  }
}

const keyOf = (teamId: string, one: string): string => `${teamId} ${one}`

export type DomainRow = {
  id: string
  name: string
  root: string
  region: Region
  tls: TlsMode
  returnPath: string
  trackingSubdomain: string | null
  /** The host to which its links lead: the last one whose record was verified. */
  trackingHost: string | null
  openTracking: boolean
  clickTracking: boolean
  sending: boolean
  receiving: boolean
  status: DomainStatus
  ownsName: boolean
  /** It receives by its MX record alone; after this time, until a team proves the name. */
  receivingUnprovenUntil: Date | null
  createdAt: Date
  askedAt: Date | null
  checkedAt: Date | null
  checkDueAt: Date | null
}

/** A record with what the last check found. */
export type CheckedRecord = WantedRecord & RecordState & { found: string[] }
export type DomainWithRecords = DomainRow & {
  records: CheckedRecord[]
  /** Newest first. */
  keys: DkimKeyRow[]
}

export const domainColumns = {
  id: true,
  name: true,
  root: true,
  region: true,
  tls: true,
  returnPath: true,
  trackingSubdomain: true,
  trackingHost: true,
  openTracking: true,
  clickTracking: true,
  sending: true,
  receiving: true,
  status: true,
  ownsName: true,
  receivingUnprovenUntil: true,
  createdAt: true,
  askedAt: true,
  checkedAt: true,
  checkDueAt: true,
} as const

export const regionOf = (text: string): Region => oneOf(REGIONS, text)

export const toDomainRow = (row: Prisma.DomainGetPayload<{ select: typeof domainColumns }>): DomainRow => ({
  ...row,
  region: regionOf(row.region),
  tls: oneOf(TLS_MODES, row.tls),
  status: oneOf(DOMAIN_STATUSES, row.status),
})

/** Until the end of the transaction no other changes it. Null if the team has no such domain. */
export async function lockDomain(
  { tables, execute }: RecordTransaction,
  teamId: string,
  id: string,
  installation: Installation,
): Promise<DomainWithRecords | null> {
  const locked = await lockRow(execute, 'domains', teamId, id)
  if (!locked) return null
  const row = toDomainRow(await tables.domain.findUniqueOrThrow({ where: { id: locked.id }, select: domainColumns }))
  return withRecords(tables, row, installation)
}

/** Reads what the last check found. */
export async function withRecords(tables: RecordTables, row: DomainRow, installation: Installation): Promise<DomainWithRecords> {
  const [domain] = await withRecordsOfEach(tables, [row], installation)
  if (!domain) throw new Error('Each domain must be returned')
  return domain
}

/** Adds the records to several domains. */
export async function withRecordsOfEach<Row extends DomainRow>(
  tables: RecordTables,
  rows: readonly Row[],
  installation: Installation,
): Promise<(Row & DomainWithRecords)[]> {
  const ids = rows.map(({ id }) => id)
  const checked = await tables.domainRecord.findMany({
    where: { domainId: { in: ids } },
    select: { domainId: true, kind: true, selector: true, status: true, found: true, missingSince: true },
  })
  const states = new Map(checked.map((each) => [`${each.domainId} ${each.kind} ${each.selector}`, each]))
  const keysOfAll = await listDkimKeys(tables, { domainIds: ids })
  return rows.map((row) => {
    const keys = keysOfAll.filter(({ domainId }) => domainId === row.id)
    const records = wantedRecords(row, withRoles(keys), installation).map((record) => {
      const { status, found, missingSince } = states.get(`${row.id} ${recordKey(record)}`) ?? NEVER_CHECKED
      return { ...record, status: oneOf(RECORD_STATUSES, status), found, missingSince }
    })
    return { ...row, records, keys }
  })
}

type RecordTables = Pick<RecordTransaction['tables'], 'domainRecord' | 'dkimKey'>

export const NEVER_CHECKED = { status: 'not_started', found: [], missingSince: null } satisfies RecordState & { found: string[] }

/** Records the state of a domain after a change, or before it was deleted. */
export async function appendDomainNotification(
  execute: Execute,
  type: DomainNotificationType,
  { teamId, domain, now }: { teamId: string; domain: DomainWithRecords; now: Date },
): Promise<void> {
  const data = {
    id: domain.id,
    name: domain.name,
    status: domain.status,
    created_at: domain.createdAt.toISOString(),
    region: domain.region,
    capabilities: { sending: switchOf(domain.sending), receiving: switchOf(domain.receiving) },
    records: domain.records
      .filter((record) => isNeeded(record) && !record.isRecommended)
      .map(({ kind, type: recordType, host, value, priority, status }) => ({
        record: NOTIFIED_AS[kind],
        name: relativeName(host, domain.root),
        type: recordType,
        value,
        ttl: 'Auto',
        status,
        ...(priority !== null && { priority }),
      })),
  }
  await append(execute, [{ id: createId(), teamId, type, subjectId: domain.id, data }], now)
}

const switchOf = (isOn: boolean): 'enabled' | 'disabled' => (isOn ? 'enabled' : 'disabled')
