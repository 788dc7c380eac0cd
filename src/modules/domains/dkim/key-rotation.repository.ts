// Rotation of the keys that sign the mail of a domain: new ones are made and wait until their DNS records are seen, then the old ones retire.

import type { Database, RecordTransaction } from '../../../db/database.ts'
import type { Clock } from '../../../lib/clock.ts'
import type { Installation } from '../../../mail/record-types.ts'
import { type DomainWithRecords, lockDomain, withRecords } from '../domain-rows.repository.ts'
import { storeRecords } from '../domain-states.repository.ts'
import { askedRecordState } from '../records/record-states.ts'
import { isKeyRecord, neededUntil, selectorOfRecord, withRoles } from '../records/wanted-records.ts'
import { createDkimKeys, type DkimKeyRow, type NewDkimKey } from './dkim-keys.repository.ts'

/** `running`: the keys of an earlier rotation wait for their records, so none were made. */
export type Rotation = { outcome: 'started' | 'running'; domain: DomainWithRecords; keys: DkimKeyRow[] }

/** `unused`: none of the keys signs. `replaced`: those that sign have replaced others, whose records are still needed. */
export type RefusedRotation = 'unused' | 'replaced'

/** Keys that one sweep removes at once. */
const BATCH_MAX = 500

export function keyRotationRepository(
  { tables, records }: Pick<Database, 'tables' | 'records'>,
  { clock, installation }: { clock: Clock; installation: Installation },
) {
  return {
    /**
     * Adds keys that sign once their records are seen, and has those looked for. They replace keys that never signed, unless such keys wait from
     * an earlier rotation and were not given up. Null if the team has no such domain. Keys that were replaced just now are replaced only if
     * `isAgain`: the command is also run to see whether a rotation is done.
     */
    async start(
      teamId: string,
      domainId: string,
      { made, isAgain }: { made: NewDkimKey[]; isAgain: boolean },
    ): Promise<Rotation | RefusedRotation | null> {
      return records(async (inside) => {
        const before = await lockDomain(inside, teamId, domainId, installation)
        if (!before) return null
        const keys = withRoles(before.keys)
        if (!before.sending || !keys.some(({ role, seenAt }) => role === 'signing' && seenAt !== null)) return 'unused'
        const isRunning = keys.some(({ role }) => role !== 'signing') && neverSigned(keys).some((key) => statusOf(before, key) !== 'failed')
        if (!isRunning && !isAgain && wereJustReplaced(keys, clock.now())) return 'replaced'
        if (!isRunning) await replaceUnused(inside, teamId, domainId, { keys, made })
        const domain = await withRecords(inside.tables, before, installation)
        const now = clock.now()
        const asked = domain.records.map((record) => (isKeyRecord(record) ? { ...record, ...askedRecordState(record, now) } : record))
        await storeRecords(inside, teamId, { installation, domain, records: asked, now, change: { askedAt: now, checkDueAt: now } })
        return {
          outcome: isRunning ? 'running' : 'started',
          domain: { ...domain, records: asked },
          keys: domain.keys,
        }
      })
    },

    /** Removes keys that stopped signing before this time. Returns how many. For sweeps: it crosses teams. */
    async removeRetiredAcrossTeams(before: Date): Promise<number> {
      const keys = await tables.dkimKey.findMany({
        where: { retiredAt: { lt: before } },
        select: { id: true, domainId: true, selector: true },
        take: BATCH_MAX,
      })
      if (keys.length === 0) return 0
      await records(async (inside) => {
        await inside.tables.dkimKey.deleteMany({ where: { id: { in: keys.map(({ id }) => id) } } })
        await inside.tables.domainRecord.deleteMany({ where: { OR: keys.map(({ domainId, selector }) => ({ domainId, selector })) } })
      })
      return keys.length
    },
  }

  async function replaceUnused(
    { tables: inside }: RecordTransaction,
    teamId: string,
    domainId: string,
    { keys, made }: { keys: DkimKeyRow[]; made: NewDkimKey[] },
  ): Promise<void> {
    const unused = neverSigned(keys)
    await inside.dkimKey.deleteMany({ where: { teamId, domainId, id: { in: unused.map(({ id }) => id) } } })
    await inside.domainRecord.deleteMany({ where: { domainId, selector: { in: unused.map(({ selector }) => selector) } } })
    const taken = keys.map(({ selector }) => selector)
    await createDkimKeys({ tables: inside }, teamId, { domainId, made, taken, first: installation.dkimSelector, createdAt: clock.now() })
  }
}

/** Not if one of the new keys was given up. */
const wereJustReplaced = (keys: ReturnType<typeof withRoles<DkimKeyRow>>, now: Date): boolean =>
  keys.every(({ role }) => role !== 'next') && keys.some(({ retiredAt }) => retiredAt !== null && neededUntil(retiredAt) > now)

const neverSigned = (keys: DkimKeyRow[]): DkimKeyRow[] => keys.filter(({ seenAt, retiredAt }) => seenAt === null && retiredAt === null)

const statusOf = ({ records }: DomainWithRecords, { selector }: DkimKeyRow) =>
  records.find((record) => selectorOfRecord(record) === selector)?.status
