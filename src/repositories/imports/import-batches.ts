// The rows of an import, some thousands at a time: contacts, refusals and counts in one transaction, so that after a crash the next try continues
// after the last row that is counted; in SQL, because each statement writes thousands of rows.
import type { Clock } from '../../lib/clock.ts'
import { type ContactToMerge, mergeContacts } from '../contacts/merge-contacts.ts'
import { lockOptOuts } from '../contacts/opt-outs.ts'
import type { Database, Execute } from '../database.ts'
import { enqueueImport, type ImportToRun } from './contact-imports.ts'
import { lockReferences } from './import-references.ts'
import { type RefusedOptOut, takeRefusedOptOuts } from './refused-opt-outs.ts'

export type ImportBatch = {
  /** All rows, whatever became of them. */
  total: number
  /** No two with the same address. */
  contacts: ContactToMerge[]
  /** Rows that were merged into another row of this batch, or dropped in favor of one. */
  repeated: number
  refusals: { line: number; reason: string }[]
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
        const contacts = isWhole ? batch.contacts : batch.contacts.map((contact) => withValuesOf(properties, contact))
        const merged = await mergeContacts(inside, contacts, { teamId, onConflict, segmentIds, topics, now })
        await takeRefusedOptOuts(inside, batch.optOuts, { teamId, topics, now })
        const created = merged.filter(({ isCreated }) => isCreated).length
        const room = Math.max(0, refusalsKeptMax - running.failed)
        await storeRefusals(inside, id, batch.refusals.slice(0, room))
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
    async refusals(teamId: string, importId: string, afterLine: number, limit: number): Promise<{ line: number; reason: string }[]> {
      return execute<{ line: number; reason: string }>(
        `select r.line, r.reason from contact_import_refusals r join contact_imports i on i.id = r.import_id
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

async function storeRefusals(execute: Execute, importId: string, refusals: ImportBatch['refusals']): Promise<void> {
  if (refusals.length === 0) return
  await execute(
    'insert into contact_import_refusals (import_id, line, reason) select $1, l, r from unnest($2::int[], $3::text[]) as refused(l, r)',
    [importId, refusals.map(({ line }) => line), refusals.map(({ reason }) => reason)],
  )
}

const withValuesOf = (properties: Set<number>, contact: ContactToMerge): ContactToMerge => ({
  ...contact,
  properties: Object.fromEntries(Object.entries(contact.properties).filter(([number]) => properties.has(Number(number)))),
})
