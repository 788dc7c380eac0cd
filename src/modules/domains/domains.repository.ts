import type { Database } from '../../db/database.ts'
import { readPage } from '../../db/page.ts'
import type { RecordUses } from '../../db/record-uses.ts'
import { lockRow } from '../../db/transactions.ts'
import type { Clock } from '../../lib/clock.ts'
import type { PageRequest } from '../../lib/page-request.ts'
import { type Removal, usesIn } from '../../lib/uses.ts'
import type { Page } from '../../lib/validation/common.schema.ts'
import type { Installation } from '../../mail/record-types.ts'
import { cancelClaims } from './claims/domain-claims.repository.ts'
import type { NewDkimKey } from './dkim/dkim-keys.repository.ts'
import {
  appendDomainNotification,
  createDomainMemory,
  type DomainRow,
  type DomainWithRecords,
  lockDomain,
  NEVER_CHECKED,
  domainColumns as select,
  toDomainRow,
  withRecords,
} from './domain-rows.repository.ts'
import { rememberHolder, storeRecords } from './domain-states.repository.ts'
import { createDomain, type DomainCreation, type NewDomain, usesSameHost } from './new-domains.repository.ts'
import { askedRecordState } from './records/record-states.ts'

/** Absent fields stay as they are. */
export type DomainChange = Partial<
  Pick<DomainRow, 'tls' | 'trackingSubdomain' | 'openTracking' | 'clickTracking' | 'sending' | 'receiving'>
>

export function domainRepository(
  { tables, records }: Pick<Database, 'tables' | 'records'>,
  { clock, installation, recordUses }: { clock: Clock; installation: Installation; recordUses: RecordUses },
) {
  const senders = createDomainMemory<boolean>(false)
  const namesOfIds = createDomainMemory<string>('')

  return {
    async find(teamId: string, id: string): Promise<DomainWithRecords | null> {
      const row = await tables.domain.findFirst({ where: { teamId, id }, select })
      return row && withRecords(tables, toDomainRow(row), installation)
    },

    findByName(teamId: string, name: string): Promise<{ id: string } | null> {
      return tables.domain.findFirst({ where: { teamId, name }, select: { id: true } })
    },

    /** Lists the domain in all teams that have it, verified or not. For operators. */
    listNamedAcrossTeams(name: string): Promise<{ id: string; teamId: string; name: string }[]> {
      return tables.domain.findMany({ where: { name }, select: { id: true, teamId: true, name: true }, orderBy: { id: 'asc' } })
    },

    /** Which of these names the team may send from: at once after it may, up to a second after another process took it away. */
    async sendersAmong(teamId: string, names: readonly string[]): Promise<Set<string>> {
      const isSender = await senders.find(teamId, names, async (unknown) => {
        const rows = await tables.domain.findMany({ where: { teamId, name: { in: unknown }, canSend: true }, select: { name: true } })
        return new Map(rows.map(({ name }) => [name, true]))
      })
      return new Set(names.filter(isSender))
    },

    /** Null if the team has no such domain. One that another process deleted has its name for up to a second. */
    async nameOf(teamId: string, id: string): Promise<string | null> {
      const nameOfId = await namesOfIds.find(teamId, [id], async (unknown) => {
        const rows = await tables.domain.findMany({ where: { teamId, id: { in: unknown } }, select: { id: true, name: true } })
        return new Map(rows.map((row) => [row.id, row.name]))
      })
      return nameOfId(id) || null
    },

    /** After the team has lost the name. */
    forgetSender: senders.forget,

    list(teamId: string, request: PageRequest): Promise<Page<DomainRow>> {
      return readPage(request, async ({ where, ...rest }) =>
        (await tables.domain.findMany({ where: { teamId, ...where }, select, ...rest })).map(toDomainRow),
      )
    },

    /** Domains whose mail comes to the team (see `receivingDomains.teamOfAcrossTeams`), in the order of their names. */
    async receivingNames(teamId: string): Promise<string[]> {
      const where = { teamId, ownsName: true, receiving: true }
      const receiving = await tables.domain.findMany({ where, select: { id: true, name: true }, orderBy: { name: 'asc' } })
      const seen = await tables.domainRecord.findMany({
        where: { domainId: { in: receiving.map(({ id }) => id) }, kind: 'Receiving', status: { in: ['verified', 'temporary_failure'] } },
        select: { domainId: true },
      })
      const there = new Set(seen.map(({ domainId }) => domainId))
      return receiving.flatMap(({ id, name }) => (there.has(id) ? [name] : []))
    },

    create(teamId: string, domain: NewDomain, keys: NewDkimKey[]): Promise<DomainCreation> {
      return records((inside) => createDomain(inside, teamId, { domain, keys }, { clock, installation }))
    },

    /** Null if the team has no such domain. `none`: no capability would be left. `sameHost`: bounces and links would lead to the same host. `hostInUse`: see `usesSameHost`. */
    async updateDomain(teamId: string, id: string, change: DomainChange): Promise<'updated' | 'none' | 'sameHost' | 'hostInUse' | null> {
      return records(async ({ tables: inside, execute }) => {
        const locked = await lockRow(execute, 'domains', teamId, id)
        if (!locked) return null
        const before = toDomainRow(await inside.domain.findUniqueOrThrow({ where: { id: locked.id }, select }))
        const { tls, trackingSubdomain, openTracking, clickTracking, sending = before.sending, receiving = before.receiving } = change
        if (!sending && !receiving) return 'none'
        if (trackingSubdomain === before.returnPath) return 'sameHost'
        if (trackingSubdomain !== undefined && (await usesSameHost(inside, teamId, { ...before, trackingSubdomain }))) return 'hostInUse'
        // Named one by one, because a value from a request may have more fields than its type says.
        const data = {
          sending,
          receiving,
          ...(tls !== undefined && { tls }),
          ...(trackingSubdomain !== undefined && { trackingSubdomain }),
          ...(openTracking !== undefined && { openTracking }),
          ...(clickTracking !== undefined && { clickTracking }),
        }
        const after = toDomainRow(await inside.domain.update({ where: { id: before.id }, data, select }))
        const domain = await withRecords(inside, after, installation)
        // What is needed again later is looked for anew.
        const kinds = domain.records.map(({ kind }) => kind)
        await inside.domainRecord.deleteMany({ where: { domainId: domain.id, kind: { notIn: kinds } } })
        const isMoved = after.trackingSubdomain !== before.trackingSubdomain
        const now = clock.now()
        const settled = domain.records.map((record) => {
          const state = isMoved && record.kind === 'Tracking' ? { ...record, ...NEVER_CHECKED } : record
          return before.askedAt && state.status === 'not_started' ? { ...state, ...askedRecordState(state, now) } : state
        })
        const isLookedFor = settled.some((record, index) => record.status !== domain.records[index]?.status)
        const asked = isLookedFor ? { askedAt: now, checkDueAt: now } : { checkDueAt: before.checkDueAt }
        await storeRecords({ tables: inside, execute }, teamId, { installation, domain, records: settled, now, change: asked })
        return 'updated'
      })
    },

    /** `endsMail`: mail from it cannot be sent without it. Null if the team has no such domain. */
    async deleteDomain(teamId: string, id: string, { unlessUsed = false, endsMail = false } = {}): Promise<Removal | null> {
      const removed = await records(async (transaction) => {
        const { tables: inside, execute } = transaction
        // Its keys are removed with it, so its records are read first.
        const domain = await lockDomain(transaction, teamId, id, installation)
        if (!domain) return null
        const uses = unlessUsed || endsMail ? await recordUses.ofDomain(execute, teamId, domain.name) : []
        if (unlessUsed && uses.length > 0) return { usedBy: usesIn(uses) }
        await inside.domain.delete({ where: { id: domain.id }, select: { id: true } })
        await inside.domainRecord.deleteMany({ where: { domainId: domain.id } })
        await cancelClaims(inside, domain.id, clock.now())
        // One that never proved the name must not keep it from the team that can.
        if (domain.ownsName && domain.receivingUnprovenUntil === null) await rememberHolder(inside, { teamId, domain, now: clock.now() })
        await appendDomainNotification(execute, 'domain.deleted', { teamId, domain, now: clock.now() })
        const broadcast = `Its domain ${domain.name} was deleted before the scheduled time, so it is a draft again. Choose another sender, and schedule it again.`
        await recordUses.end(execute, teamId, { uses, reasons: { broadcast }, now: clock.now() })
        return { id: domain.id, name: domain.name, ended: usesIn(uses) }
      })
      if (removed === null || 'usedBy' in removed) return removed
      senders.forget(teamId, removed.name)
      namesOfIds.forget(teamId, removed.id)
      return removed
    },
  }
}
