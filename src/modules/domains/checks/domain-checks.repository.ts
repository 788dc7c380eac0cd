// Verification of domains: who is asked about next, and what the DNS said; in SQL where due domains are taken and names are locked.

import type { Database, RecordTransaction } from '../../../db/database.ts'
import type { Clock } from '../../../lib/clock.ts'
import type { Installation, RecordVerdict } from '../../../mail/record-types.ts'
import { takeSeenKeys } from '../dkim/dkim-keys.repository.ts'
import {
  type CheckedRecord,
  type DomainWithRecords,
  domainColumns,
  lockDomain,
  toDomainRow,
  withRecords,
  withRecordsOfEach,
} from '../domain-rows.repository.ts'
import { findHolder, storeRecords } from '../domain-states.repository.ts'
import { askedRecordState, nextCheckAt, nextRecordState, wasJustAsked } from '../records/record-states.ts'
import { recordKey, selectorOfRecord } from '../records/wanted-records.ts'

export type DueDomain = DomainWithRecords & { teamId: string }

/** What one check says of the record that it looked for. */
export type RecordFinding = Pick<CheckedRecord, 'kind' | 'host' | 'value' | 'found'> & { verdict: RecordVerdict }

/** A domain that is being checked is due again after this time, in case its worker dies. */
const CHECK_SECONDS = 120

export function domainCheckRepository(
  { tables, execute, records }: Pick<Database, 'tables' | 'execute' | 'records'>,
  { clock, installation }: { clock: Clock; installation: Installation },
) {
  /** The record of the key that signs now is needed, and that of the old one no longer. */
  async function inNewRoles(inside: RecordTransaction, domain: DomainWithRecords, checked: CheckedRecord[]): Promise<CheckedRecord[]> {
    const states = new Map(checked.map((record) => [recordKey(record), record]))
    const { records: renewed } = await withRecords(inside.tables, domain, installation)
    return renewed.map((record) => ({ ...record, ...stateOf(states.get(recordKey(record)) ?? record) }))
  }

  return {
    /** Asks for verification. Null if the team has no such domain. `owned`: another team has the name. */
    async ask(teamId: string, id: string): Promise<'asked' | 'owned' | null> {
      return records(async (inside) => {
        const domain = await lockDomain(inside, teamId, id, installation)
        if (!domain) return null
        const now = clock.now()
        const holder = domain.ownsName ? null : await findHolder(inside.tables, { name: domain.name, exceptTeamId: teamId, now })
        if (holder && !holder.isUnproven) return 'owned'
        if (domain.status === 'pending' && wasJustAsked(domain.askedAt, now)) return 'asked'
        const asked = domain.records.map((record) => ({ ...record, ...askedRecordState(record, now) }))
        await storeRecords(inside, teamId, { installation, domain, records: asked, now, change: { askedAt: now, checkDueAt: now } })
        return 'asked'
      })
    },

    /** Takes domains that are due and not of these teams, and puts them off. For workers only: it crosses teams. */
    async takeDueAcrossTeams(limit: number, exceptTeamIds: string[]): Promise<DueDomain[]> {
      const due = await execute<{ id: string }>(TAKE_DUE, [clock.now(), limit, exceptTeamIds])
      if (due.length === 0) return []
      const rows = await tables.domain.findMany({
        where: { id: { in: due.map(({ id }) => id) } },
        select: { ...domainColumns, teamId: true },
      })
      return withRecordsOfEach(
        tables,
        rows.map((row) => ({ ...toDomainRow(row), teamId: row.teamId })),
        installation,
      )
    },

    /** Records what a check found. A domain that was deleted meanwhile, or whose name another team took over, is left alone. */
    async record(teamId: string, id: string, findings: RecordFinding[]): Promise<void> {
      await records(async (inside) => {
        const domain = await lockDomain(inside, teamId, id, installation)
        if (!domain?.askedAt) return
        const now = clock.now()
        const byKey = new Map(findings.map((finding) => [recordKey(finding), finding]))
        const checked = domain.records.map((record) => {
          const finding = byKey.get(recordKey(record))
          // The settings may have changed while the DNS was asked.
          const isOfRecord = finding?.host === record.host && finding.value === record.value
          if (!finding || !isOfRecord || finding.verdict === 'unknown') return record
          return { ...record, ...nextRecordState(record, finding.verdict, now), found: finding.found }
        })
        const seen = checked.filter(({ status }) => status === 'verified').map(selectorOfRecord)
        const areKeysReplaced = await takeSeenKeys(inside.tables, { teamId, all: domain.keys, seen, now })
        const statuses = checked.map(({ status }) => status)
        // Asked for again while the DNS was asked: what it says now is wanted, not what it said before.
        const isDueAgain = domain.checkDueAt !== null && domain.checkDueAt <= now
        const nextAt = isDueAgain ? domain.checkDueAt : nextCheckAt({ id: domain.id, statuses, askedAt: domain.askedAt }, now)
        await storeRecords(inside, teamId, {
          installation,
          domain,
          records: areKeysReplaced ? await inNewRoles(inside, domain, checked) : checked,
          now,
          change: { checkedAt: now, checkDueAt: nextAt },
        })
      })
    },
  }
}

const stateOf = ({ status, found, missingSince }: CheckedRecord) => ({ status, found, missingSince })

const TAKE_DUE = `
update domains set check_due_at = $1::timestamptz + interval '${CHECK_SECONDS} seconds'
where id = any(array(select id from domains where check_due_at <= $1 and team_id <> all($3::uuid[]) order by check_due_at limit $2 for update skip locked))
returning id`
