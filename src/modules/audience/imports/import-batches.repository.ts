// The rows of an import, some thousands at a time: contacts, refusals and counts in one transaction, so that after a crash the next try continues
// after the last row that is counted; in SQL, because each statement writes thousands of rows.
import type { Database, Execute } from '../../../db/database.ts'
import type { Clock } from '../../../lib/clock.ts'
import { requireRoomForContacts } from '../contacts/contacts.repository.ts'
import { type ContactToMerge, type MergeOptions, mergeContacts, optOutAnyway } from '../contacts/merge-contacts.repository.ts'
import { lockOptOuts, rememberOptOuts } from '../contacts/opt-outs.repository.ts'
import { lockPropertiesShared, lockSegmentsShared } from '../references.repository.ts'
import { lockChosenTopics } from '../topics/contact-topics.repository.ts'
import { enqueueImport, type ImportToRun } from './imports.repository.ts'
import { CELL_KEPT_LENGTH_MAX, CELLS_KEPT_MAX, REFUSALS_WITH_CELLS_MAX } from './imports.schema.ts'

// The segments, topics and properties of an import that still exist. Those that were deleted while the file is read are left out, and do not
// prevent an opt-out.

type References = Pick<ImportToRun, 'segmentIds' | 'topics'> & {
  /** Numbers of the properties. */
  properties: Set<number>
}

/** They stay until the transaction ends. */
export async function lockReferences(
  execute: Execute,
  teamId: string,
  { segmentIds, topics, columns }: Pick<ImportToRun, 'segmentIds' | 'topics' | 'columns'>,
): Promise<References> {
  const numbers = columns.properties.map(({ number }) => number)
  const segments = await lockSegmentsShared(execute, teamId, segmentIds)
  return {
    // A segment that got a filter is left out too, because it finds its contacts by itself.
    segmentIds: segmentIds.filter((id) => segments.get(id.toLowerCase())?.hasFilter === false),
    topics: await lockChosenTopics(execute, teamId, topics),
    properties: await lockPropertiesShared(execute, teamId, numbers),
  }
}

// Applies opt-outs from refused rows; in SQL, because there can be thousands. They create no contact, but the address is remembered, and a contact that has it is unsubscribed.

export type RefusedOptOut = {
  addressHash: string
  /** True if the person is unsubscribed from all bulk email. False: only from the topics of the import that are `opt_out`. */
  unsubscribed: boolean
}

/** The caller has locked the opt-outs of the team, because an address without a contact must not become one meanwhile. */
export async function takeRefusedOptOuts(
  execute: Execute,
  optOuts: RefusedOptOut[],
  options: Pick<MergeOptions, 'teamId' | 'topics' | 'now'>,
): Promise<void> {
  if (optOuts.length === 0) return
  const { teamId, now } = options
  const leaving = optOuts.filter(({ unsubscribed }) => unsubscribed).map(({ addressHash }) => addressHash)
  // The lock keeps them from being deleted meanwhile, which would leave their choices.
  await execute(LOCK, [teamId, optOuts.map(({ addressHash }) => addressHash)])
  if (leaving.length > 0) await execute(UNSUBSCRIBE, [teamId, leaving, now])
  await rememberOptOuts(execute, teamId, leaving, now)
  await optOutAnyway(execute, optOuts, options)
}

const LOCK = 'select from contacts where team_id = $1 and address_hash = any($2::text[]) order by email for update'

const UNSUBSCRIBE =
  'update contacts set unsubscribed = true, updated_at = $3 where team_id = $1 and address_hash = any($2::text[]) and not unsubscribed'

/** `cells`: what the row said; null if it cannot be told. */
export type Refusal = { line: number; reason: string; cells: string[] | null }

export type ImportBatch = {
  /** All rows, whatever became of them. */
  total: number
  /** No two with the same address. */
  contacts: ContactToMerge[]
  /** Rows that were merged into another row of this batch, or dropped in favor of one. */
  repeated: number
  refusals: Refusal[]
  /** Opt-outs of refused rows. */
  optOuts: RefusedOptOut[]
}

export type CommitOptions = {
  /** Rows that were counted before this batch. A worker whose count differs has lost the import to another worker. */
  totalBefore: number
  /** Gives the job all its tries again, because it has made progress. */
  renewsJob: boolean
  /** The limit of the whole import. Further refusals are counted and not kept. */
  refusalsKeptMax: number
}

/** Refusals that one statement removes. */
const REMOVED_AT_ONCE = 10_000

export function importBatchRepository(
  { tables, execute, transaction }: Pick<Database, 'tables' | 'execute' | 'transaction'>,
  { clock }: { clock: Clock },
) {
  return {
    /** Null if it is committed. `taken over`: another worker has the import, and nothing of this batch is committed. */
    async commit(
      teamId: string,
      found: ImportToRun,
      batch: ImportBatch,
      { totalBefore, renewsJob, refusalsKeptMax }: CommitOptions,
    ): Promise<'taken over' | null> {
      const { id, onConflict } = found
      return transaction(async (inside) => {
        const [running] = await inside<{ total: number; failed: number }>(
          `select total, failed from contact_imports where team_id = $1 and id = $2 and status = 'in_progress' for update`,
          [teamId, id],
        )
        if (running?.total !== totalBefore) return 'taken over'
        const { segmentIds, topics, properties } = await lockReferences(inside, teamId, found)
        const now = clock.now()
        // Before the merge holds them, because two batches that both held them first would wait for each other.
        if (batch.optOuts.length > 0) await lockOptOuts(inside, teamId)
        const isWhole = properties.size === found.columns.properties.length
        const contacts = isWhole ? batch.contacts : batch.contacts.map((contact) => pickProperties(properties, contact))
        const merged = await mergeContacts(inside, contacts, { teamId, onConflict, segmentIds, topics, now })
        await takeRefusedOptOuts(inside, batch.optOuts, { teamId, topics, now })
        const created = merged.filter(({ isCreated }) => isCreated).length
        if (created > 0) await requireRoomForContacts(inside, teamId)
        const room = Math.max(0, refusalsKeptMax - running.failed)
        await storeRefusals(inside, id, withCells(batch.refusals.slice(0, room), running.failed))
        const isSkipping = onConflict === 'skip'
        const skipped = batch.contacts.length - merged.length + (isSkipping ? batch.repeated : 0)
        await inside(
          `update contact_imports set total = total + $3, created = created + $4, updated = updated + $5, skipped = skipped + $6, failed = failed + $7
            where team_id = $1 and id = $2`,
          [teamId, id, batch.total, created, merged.length - created + (isSkipping ? 0 : batch.repeated), skipped, batch.refusals.length],
        )
        if (renewsJob) await enqueueImport(inside, teamId, id)
        return null
      })
    },

    /** In the order of their lines, after `afterLine`. */
    async refusals(teamId: string, importId: string, afterLine: number, limit: number): Promise<Refusal[]> {
      return execute<Refusal>(
        `select r.line, r.reason, r.cells from contact_import_refusals r join contact_imports i on i.id = r.import_id
          where i.team_id = $1 and r.import_id = $2 and r.line > $3 order by r.line limit $4`,
        [teamId, importId, afterLine, limit],
      )
    },

    /** How many rows were refused beyond those that are kept. */
    async countRefusalsNotKept(teamId: string, importId: string, refusalsKeptMax: number): Promise<number> {
      const row = await tables.contactImport.findFirst({ where: { teamId, id: importId }, select: { failed: true } })
      return Math.max(0, (row?.failed ?? 0) - refusalsKeptMax)
    },

    /** Removes some of the refusals of imports that ended before `before`. Returns how many: 0 at the end. */
    async removeRefusalsAcrossTeams(before: Date): Promise<number> {
      const removed = await execute(
        `delete from contact_import_refusals where ctid = any(array(
           select r.ctid from contact_imports i join contact_import_refusals r on r.import_id = i.id
            where i.completed_at < $1 limit ${REMOVED_AT_ONCE})) returning line`,
        [before],
      )
      return removed.length
    },
  }
}

/** A report in which people correct rows is short. Of longer ones, the later rows have their lines and reasons. */
const withCells = (refusals: Refusal[], before: number): Refusal[] =>
  refusals.map((refusal, index) => ({ ...refusal, cells: before + index < REFUSALS_WITH_CELLS_MAX ? keptOf(refusal.cells) : null }))

/** No text in the database has NUL, and none in JSON half a character. */
const keptOf = (cells: string[] | null): string[] | null =>
  cells === null
    ? null
    : cells.slice(0, CELLS_KEPT_MAX).map((cell) => cell.replaceAll('\0', '').slice(0, CELL_KEPT_LENGTH_MAX).toWellFormed())

async function storeRefusals(execute: Execute, importId: string, refusals: Refusal[]): Promise<void> {
  if (refusals.length === 0) return
  await execute(
    `insert into contact_import_refusals (import_id, line, reason, cells)
     select $1, l, r, c::jsonb from unnest($2::int[], $3::text[], $4::text[]) as refused(l, r, c)`,
    [
      importId,
      refusals.map(({ line }) => line),
      refusals.map(({ reason }) => reason),
      refusals.map(({ cells }) => cells && JSON.stringify(cells)),
    ],
  )
}

const pickProperties = (properties: Set<number>, contact: ContactToMerge): ContactToMerge => ({
  ...contact,
  properties: Object.fromEntries(Object.entries(contact.properties).filter(([number]) => properties.has(Number(number)))),
})
