// Files of contacts that are read in the background; in SQL only which of them no job runs.
import type { Prisma } from '../../generated/prisma/client.ts'
import type { ContactColumns, NumberedColumns } from '../../lib/audience/contact-columns.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Delimiter } from '../../lib/csv/csv-rows.ts'
import type { TextEncoding } from '../../lib/csv/text-encoding.ts'
import type { PageRequest } from '../../lib/page-request.ts'
import type { ImportStatus } from '../../schemas/contact-imports.ts'
import { IMPORT_CONTACTS, importQueueOf } from '../../schemas/jobs.ts'
import type { Subscription } from '../../schemas/notifications.ts'
import { oneOf, stored } from '../columns.ts'
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

export type FoundContactImport = ContactImportRow & { encoding: TextEncoding; columns: NumberedColumns }

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

const toRunFields = {
  id: true,
  blobKey: true,
  encoding: true,
  delimiter: true,
  columns: true,
  onConflict: true,
  segmentIds: true,
  topics: true,
  total: true,
  failed: true,
} as const

export function contactImportRepository(
  { tables, execute, records }: Pick<Database, 'tables' | 'execute' | 'records'>,
  { clock }: { clock: Clock },
) {
  return {
    /** Creates the import, the properties that it needs, and the job that runs it. After a problem nothing is stored. */
    async create(teamId: string, given: NewContactImport, propertiesMax: number): Promise<{ id: string } | ImportProblem> {
      return records(async ({ tables: inside, execute: executeInside }) => {
        // Locked for the properties, and before the segments, because a change of a segment's filter locks the team first.
        if (given.columns.properties.length > 0) await lockTeam(executeInside, teamId)
        const problem = await checkAudienceReferences(executeInside, teamId, given)
        if (problem) return problem
        const columns = await numberColumns(executeInside, teamId, given.columns, { propertiesMax, clock })
        if ('problem' in columns) return columns
        const { id, blobKey, size, encoding, delimiter, onConflict, segmentIds, topics } = given
        const file = { blobKey, size, encoding, delimiter, columns, onConflict, segmentIds, topics }
        await inside.contactImport.create({
          data: { id, teamId, status: 'queued', ...file, createdAt: clock.now() },
          select: { id: true },
        })
        await enqueueImport(executeInside, teamId, id)
        return { id }
      })
    },

    async find(teamId: string, id: string): Promise<FoundContactImport | null> {
      const row = await tables.contactImport.findFirst({ where: { teamId, id }, select: { ...rowFields, encoding: true, columns: true } })
      return (
        row && {
          ...row,
          status: oneOf(STATUSES, row.status),
          encoding: oneOf(ENCODINGS, row.encoding),
          columns: stored<NumberedColumns>(row.columns),
        }
      )
    },

    list(teamId: string, status: ImportStatus | null, request: PageRequest): Promise<Page<ContactImportRow>> {
      return readPage(request, async ({ where, ...rest }) => {
        const rows = await tables.contactImport.findMany({
          where: { teamId, ...(status !== null && { status }), ...where },
          select: rowFields,
          ...rest,
        })
        return rows.map((row) => ({ ...row, status: oneOf(STATUSES, row.status) }))
      })
    },

    /** Marks it as in progress. Null if it has ended, or never existed. */
    async begin(teamId: string, id: string): Promise<ImportToRun | null> {
      const [row] = await tables.contactImport.updateManyAndReturn({
        where: { teamId, id, ...NOT_ENDED },
        data: { status: 'in_progress' },
        select: toRunFields,
      })
      return row ? toImportToRun(row) : null
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
      return records(async ({ tables: inside, execute: executeInside }) => {
        const found = await inside.contactImport.findFirst({ where: { teamId, id, ...NOT_ENDED }, select: { blobKey: true } })
        const { count } = await inside.contactImport.updateMany({
          where: { teamId, id, ...NOT_ENDED },
          data: {
            status: outcome.status,
            reason: outcome.status === 'failed' ? outcome.reason : null,
            completedAt: clock.now(),
            blobKey: null,
          },
        })
        // If two requests end it at once, the second changes nothing.
        if (!found || count === 0) return null
        await removeJob(executeInside, keyOf(id))
        return found
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

const STATUSES: Record<ImportStatus, true> = { queued: true, in_progress: true, completed: true, failed: true }
const NOT_ENDED = { status: { in: ['queued', 'in_progress'] satisfies ImportStatus[] } }
const ENCODINGS: Record<TextEncoding, true> = { 'utf-8': true, 'windows-1252': true, 'utf-16le': true, 'utf-16be': true }
const DELIMITERS: Record<Delimiter, true> = { ',': true, ';': true, '\t': true, '|': true }
const ON_CONFLICT: Record<NewContactImport['onConflict'], true> = { upsert: true, skip: true }

const toImportToRun = (row: Prisma.ContactImportGetPayload<{ select: typeof toRunFields }>): ImportToRun => ({
  ...row,
  encoding: oneOf(ENCODINGS, row.encoding),
  delimiter: oneOf(DELIMITERS, row.delimiter),
  onConflict: oneOf(ON_CONFLICT, row.onConflict),
  columns: stored<NumberedColumns>(row.columns),
  topics: stored<ImportToRun['topics']>(row.topics),
})
