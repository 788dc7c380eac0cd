// Verification of domains: who is asked about next, and what the DNS said; in SQL where due domains are claimed and names are locked.
import type { Clock } from '../../lib/clock.ts'
import { nextCheckAt } from '../../lib/domains/check-times.ts'
import type { RecordVerdict } from '../../lib/domains/domain-records.ts'
import { askedRecordState, nextRecordState } from '../../lib/domains/record-states.ts'
import type { Installation } from '../../lib/domains/wanted-records.ts'
import type { Database, RecordTransaction } from '../database.ts'
import { lockRow } from '../locks.ts'
import { type CheckedRecord, type DomainWithRecords, domainColumns, toDomainRow, withRecords } from './domain-rows.ts'
import { storeRecords } from './domain-states.ts'
import { findHolder } from './name-holders.ts'

export type DueDomain = { teamId: string; id: string }

/** What one check says of the record that it looked for. */
export type RecordFinding = Pick<CheckedRecord, 'kind' | 'host' | 'value' | 'found'> & { verdict: RecordVerdict }

/** A domain that is being checked is due again after this time, in case its worker dies. */
const CLAIM_SECONDS = 120
/** Until then, asking again changes nothing: the DNS is being asked. */
const ASKED_AGAIN_AFTER_MS = 10_000

export function domainCheckRepository(
  { execute, records }: Pick<Database, 'execute' | 'records'>,
  { clock, installation }: { clock: Clock; installation: Installation },
) {
  async function lockDomain(inside: RecordTransaction, teamId: string, id: string): Promise<DomainWithRecords | null> {
    const locked = await lockRow(inside.execute, 'domains', teamId, id)
    if (!locked) return null
    return withRecords(
      inside.tables,
      toDomainRow(await inside.tables.domain.findUniqueOrThrow({ where: { id: locked.id }, select: domainColumns })),
      installation,
    )
  }

  return {
    /** Asks for verification. Null if the team has no such domain. `owned`: another team has the name. */
    async ask(teamId: string, id: string): Promise<'asked' | 'owned' | null> {
      return records(async (inside) => {
        const domain = await lockDomain(inside, teamId, id)
        if (!domain) return null
        const now = clock.now()
        if (!domain.ownsName && (await findHolder(inside.tables, { name: domain.name, exceptTeamId: teamId, now }))) return 'owned'
        if (domain.status === 'pending' && domain.askedAt && now.getTime() - domain.askedAt.getTime() < ASKED_AGAIN_AFTER_MS) return 'asked'
        const asked = domain.records.map((record) => ({ ...record, ...askedRecordState(record, now) }))
        await storeRecords(inside, teamId, { domain, records: asked, now, change: { askedAt: now, checkDueAt: now } })
        return 'asked'
      })
    },

    /** Those that are due, and not before long again. For workers only: it crosses teams. */
    async claimDueAcrossTeams(limit: number): Promise<DueDomain[]> {
      return execute<DueDomain>(CLAIM_DUE, [clock.now(), limit])
    },

    /** Records what a check found. A domain that was deleted meanwhile, or whose name another team took over, is left alone. */
    async record(teamId: string, id: string, findings: RecordFinding[]): Promise<void> {
      await records(async (inside) => {
        const domain = await lockDomain(inside, teamId, id)
        if (!domain?.askedAt) return
        const now = clock.now()
        const byKind = new Map(findings.map((finding) => [finding.kind, finding]))
        const checked = domain.records.map((record) => {
          const finding = byKind.get(record.kind)
          // The settings may have changed while the DNS was asked.
          const isOfRecord = finding?.host === record.host && finding.value === record.value
          if (!finding || !isOfRecord || finding.verdict === 'unknown') return record
          return { ...record, ...nextRecordState(record, finding.verdict, now), found: finding.found }
        })
        for (const [kind, algorithm] of KEY_RECORDS)
          if (checked.some((record) => record.kind === kind && record.status === 'verified'))
            await inside.tables.dkimKey.updateMany({
              where: { domainId: domain.id, algorithm, seenAt: null, retiredAt: null },
              data: { seenAt: now },
            })
        const statuses = checked.map(({ status }) => status)
        await storeRecords(inside, teamId, {
          domain,
          records: checked,
          now,
          change: { checkedAt: now, checkDueAt: nextCheckAt({ id: domain.id, statuses, askedAt: domain.askedAt }, now) },
        })
      })
    },
  }
}

const KEY_RECORDS = [
  ['DKIM', 'rsa-sha256'],
  ['DKIMEd25519', 'ed25519-sha256'],
] as const

const CLAIM_DUE = `
update domains set check_due_at = $1::timestamptz + interval '${CLAIM_SECONDS} seconds'
where id in (select id from domains where check_due_at <= $1 order by check_due_at limit $2 for update skip locked)
returning team_id as "teamId", id`
