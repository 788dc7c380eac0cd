import type { ContactColumns, NumberedColumns } from '../../lib/audience/contact-columns.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Delimiter } from '../../lib/csv/csv-rows.ts'
import type { TextEncoding } from '../../lib/csv/text-encoding.ts'
import type { PageRequest } from '../../lib/page-request.ts'
import type { ImportStatus } from '../../schemas/contact-imports.ts'
import { IMPORT_CONTACTS, importQueueOf } from '../../schemas/jobs.ts'
import type { Subscription } from '../../schemas/notifications.ts'
import { checkAudienceReferences, type ReferenceProblem } from '../contacts/audience-references.ts'
import type { Database, Execute } from '../database.ts'
import { addJob, removeJob } from '../jobs.ts'
import { lockTeam } from '../locks.ts'
import { type Page, readPage } from '../page.ts'
import { type ColumnProblem, numberColumns } from './numbered-columns.ts'

export type ContactImportRow = {
  id: string
  status: ImportStatus
  total: number
  created: number
  updated: number
  skipped: number
  failed: number
  reason: string | null
  createdAt: Date
  completedAt: Date | null
}

export type FoundContactImport = ContactImportRow & { columns: NumberedColumns }

export type NewContactImport = {
  id: string
  blobKey: string
  size: number
  encoding: TextEncoding
  delimiter: Delimiter
  columns: ContactColumns
  onConflict: 'upsert' | 'skip'
  segmentIds: string[]
  topics: { id: string; subscription: Subscription }[]
}

/** What a worker needs to know. */
export type ImportToRun = Omit<NewContactImport, 'size' | 'columns' | 'blobKey'> & {
  blobKey: string | null
  columns: NumberedColumns
  /** Rows that are committed. */
  total: number
  failed: number
}

export type ImportProblem = ReferenceProblem | ColumnProblem

const rowFields = {
  id: true,
  status: true,
  total: true,
  created: true,
  updated: true,
  skipped: true,
  failed: true,
  reason: true,
  createdAt: true,
  completedAt: true,
} as const

export function contactImportRepository(
  { tables, execute, transaction }: Pick<Database, 'tables' | 'execute' | 'transaction'>,
  { clock }: { clock: Clock },
) {
  return {
    /** Creates the import, the properties that it needs, and the job that runs it. After a problem nothing is stored. */
    async create(teamId: string, given: NewContactImport, propertiesMax: number): Promise<{ id: string } | ImportProblem> {
      return transaction(async (inside) => {
        // Locked for the properties, and before the segments, because a change of a segment's filter locks the team first.
        if (given.columns.properties.length > 0) await lockTeam(inside, teamId)
        const problem = await checkAudienceReferences(inside, teamId, given)
        if (problem) return problem
        const numbered = await numberColumns(inside, teamId, given.columns, { propertiesMax, clock })
        if ('problem' in numbered) return numbered
        const { id, blobKey, size, encoding, delimiter, onConflict, segmentIds, topics } = given
        await inside(
          `insert into contact_imports (id, team_id, status, blob_key, size, encoding, delimiter, columns, on_conflict, segment_ids, topics, created_at)
           values ($1, $2, 'queued', $3, $4, $5, $6, $7::jsonb, $8, $9::uuid[], $10::jsonb, $11)`,
          [
            id,
            teamId,
            blobKey,
            size,
            encoding,
            delimiter,
            JSON.stringify(numbered),
            onConflict,
            segmentIds,
            JSON.stringify(topics),
            clock.now(),
          ],
        )
        await enqueueImport(inside, teamId, id)
        return { id }
      })
    },

    async find(teamId: string, id: string): Promise<FoundContactImport | null> {
      const row = await tables.contactImport.findFirst({ where: { teamId, id }, select: { ...rowFields, columns: true } })
      // Only this file writes it, from the type that it is read as.
      return row && { ...withStatus(row), columns: row.columns as unknown as NumberedColumns }
    },

    list(teamId: string, status: ImportStatus | null, request: PageRequest): Promise<Page<ContactImportRow>> {
      return readPage(request, async ({ where, ...rest }) => {
        const rows = await tables.contactImport.findMany({
          where: { teamId, ...(status !== null && { status }), ...where },
          select: rowFields,
          ...rest,
        })
        return rows.map(withStatus)
      })
    },

    /** Marks it as in progress. Null if it has ended, or never existed. */
    async begin(teamId: string, id: string): Promise<ImportToRun | null> {
      const [row] = await execute<ImportToRun>(
        `update contact_imports set status = 'in_progress' where team_id = $1 and id = $2 and status in ('queued', 'in_progress')
         returning id, blob_key as "blobKey", encoding, delimiter, columns, on_conflict as "onConflict", segment_ids as "segmentIds", topics, total, failed`,
        [teamId, id],
      )
      return row ?? null
    },

    /** Lets a worker continue it at once, with all tries again. */
    async enqueue(teamId: string, id: string): Promise<void> {
      await enqueueImport(execute, teamId, id)
    },

    /** Ends the import, and returns the key of the file, which is no longer needed. Null if the import had ended already, or never existed. */
    async end(
      teamId: string,
      id: string,
      outcome: { status: 'completed' } | { status: 'failed'; reason: string },
    ): Promise<{ blobKey: string | null } | null> {
      return transaction(async (inside) => {
        const reason = outcome.status === 'failed' ? outcome.reason : null
        const [ended] = await inside<{ blobKey: string | null }>(
          `update contact_imports i set status = $3, reason = $4, completed_at = $5, blob_key = null
             from (select id, blob_key from contact_imports where team_id = $1 and id = $2 and status in ('queued', 'in_progress') for update) before
            where i.id = before.id returning before.blob_key as "blobKey"`,
          [teamId, id, outcome.status, reason, clock.now()],
        )
        if (ended) await removeJob(inside, keyOf(id))
        return ended ?? null
      })
    },

    /** Imports that no worker runs or will run, because their job was given up. */
    async listStuckAcrossTeams(): Promise<{ teamId: string; importId: string }[]> {
      return execute<{ teamId: string; importId: string }>(
        `select i.team_id as "teamId", i.id as "importId" from contact_imports i where i.status in ('queued', 'in_progress')
            and not exists (select from graphile_worker._private_jobs j
                             where j.payload->>'importId' = i.id::text and (j.attempts < j.max_attempts or j.locked_at is not null))
          order by i.id limit ${STUCK_MAX}`,
      )
    },
  }
}

const STUCK_MAX = 100

const keyOf = (importId: string): string => `${IMPORT_CONTACTS}/${importId}`

/** Replaces the job of the import, if it has one. */
export const enqueueImport = (execute: Execute, teamId: string, importId: string): Promise<void> =>
  addJob(execute, IMPORT_CONTACTS, { teamId, importId }, importQueueOf(teamId), keyOf(importId))

/** Only this file writes it, from the type that it is read as. */
const withStatus = (row: Omit<ContactImportRow, 'status'> & { status: string }): ContactImportRow => row as ContactImportRow
