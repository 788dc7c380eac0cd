// Files of contacts that are read in the background; in SQL only which of them no job runs.
import { oneOf, stored } from '../../../db/columns.ts'
import type { Database, Execute } from '../../../db/database.ts'
import { addJob, IMPORT_CONTACTS, importQueueOf, removeJob } from '../../../db/jobs/jobs.ts'
import { readPage } from '../../../db/page.ts'
import { lockTeam } from '../../../db/transactions.ts'
import type { Prisma } from '../../../generated/prisma/client.ts'
import type { Clock } from '../../../lib/clock.ts'
import { DELIMITERS, type Delimiter } from '../../../lib/csv/csv-rows.ts'
import { TEXT_ENCODINGS, type TextEncoding } from '../../../lib/csv/text-encoding.ts'
import { createId } from '../../../lib/ids.ts'
import type { PageRequest } from '../../../lib/page-request.ts'
import type { Page } from '../../../lib/validation/common.schema.ts'
import type { Subscription } from '../audience-fields.ts'
import type { PropertyType } from '../properties/properties.schema.ts'
import { checkAudienceReferences, type ReferenceProblem } from '../references.repository.ts'
import type { ColumnType, ContactColumns, NumberedColumns } from './contact-columns.ts'
import { CONFLICT_RULES, type ConflictRule, IMPORT_STATUSES, type ImportStatus } from './imports.schema.ts'

// The columns of a file that become properties, with the numbers under which contacts store their values; in SQL, because one
// statement finds and creates all of them.

export type ColumnProblem = { problem: 'too many properties' } | { problem: 'property of another type'; key: string }

/** Creates the missing properties, all or none. The team is locked, so other requests that create properties wait. */
export async function numberColumns(
  execute: Execute,
  teamId: string,
  { properties, ...rest }: ContactColumns,
  { propertiesMax, clock }: { propertiesMax: number; clock: Clock },
): Promise<NumberedColumns | ColumnProblem> {
  if (properties.length === 0) return { ...rest, properties: [] }
  const rows = await execute<{ key: string; type: string; number: number }>(FIND_OR_CREATE, [
    teamId,
    properties.map(() => createId(clock)),
    properties.map(({ key }) => key),
    properties.map(({ type }) => keptAs(type)),
    clock.now(),
    propertiesMax,
  ])
  const byKey = new Map(rows.map((row) => [row.key, row]))
  const numbered: NumberedColumns['properties'] = []
  for (const property of properties) {
    const row = byKey.get(property.key)
    if (row && row.type !== keptAs(property.type)) return { problem: 'property of another type', key: property.key }
    if (row) numbered.push({ ...property, number: row.number })
  }
  return numbered.length === properties.length ? { ...rest, properties: numbered } : { problem: 'too many properties' }
}

const keptAs = (type: ColumnType): PropertyType => (type === 'boolean' ? 'string' : type)

const FIND_OR_CREATE = `
with given as (
  select * from unnest($2::uuid[], $3::text[], $4::text[]) as g(id, key, type)
), owned as (
  select key, type, number from contact_properties where team_id = $1
), missing as (
  select * from given g where not exists (select from owned o where o.key = g.key)
), created as (
  insert into contact_properties (id, team_id, key, type, created_at)
  select id, $1, key, type, $5::timestamptz from missing
   where (select count(*) from owned) + (select count(*) from missing) <= $6
     and not exists (select from given g join owned o on o.key = g.key where o.type <> g.type)
   order by id
  returning key, type, number
)
select * from created union all select * from owned`

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
  /** Null if the file came without one. */
  fileName: string | null
}

export type FoundContactImport = ContactImportRow & { encoding: TextEncoding; columns: NumberedColumns }

export type NewContactImport = {
  id: string
  blobKey: string
  fileName: string | null
  size: number
  encoding: TextEncoding
  delimiter: Delimiter
  columns: ContactColumns
  onConflict: ConflictRule
  segmentIds: string[]
  topics: { id: string; subscription: Subscription }[]
}

/** What a worker needs to know. */
export type ImportToRun = Omit<NewContactImport, 'fileName' | 'size' | 'columns' | 'blobKey'> & {
  blobKey: string | null
  columns: NumberedColumns
  /** Rows that are committed. */
  total: number
  failed: number
}

export type ImportOutcome = { status: 'completed' | 'canceled' } | { status: 'failed'; reason: string }

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
  fileName: true,
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
        const { id, blobKey, fileName, size, encoding, delimiter, onConflict, segmentIds, topics } = given
        const file = { blobKey, fileName, size, encoding, delimiter, columns, onConflict, segmentIds, topics }
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
          status: oneOf(IMPORT_STATUSES, row.status),
          encoding: oneOf(TEXT_ENCODINGS, row.encoding),
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
        return rows.map((row) => ({ ...row, status: oneOf(IMPORT_STATUSES, row.status) }))
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

    /** Lets a worker continue it, with all tries again. */
    async enqueue(teamId: string, id: string, afterSeconds = 0): Promise<void> {
      await enqueueImport(execute, teamId, id, afterSeconds)
    },

    /** Ends the import, and returns the key of the file, which is no longer needed. Null if the import had ended already, or never existed. */
    async end(teamId: string, id: string, outcome: ImportOutcome): Promise<{ blobKey: string | null } | null> {
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
export const enqueueImport = (execute: Execute, teamId: string, importId: string, afterSeconds = 0): Promise<void> =>
  addJob(execute, IMPORT_CONTACTS, { teamId, importId }, importQueueOf(teamId), keyOf(importId), afterSeconds)

const NOT_ENDED = { status: { in: ['queued', 'in_progress'] satisfies ImportStatus[] } }

const toImportToRun = (row: Prisma.ContactImportGetPayload<{ select: typeof toRunFields }>): ImportToRun => ({
  ...row,
  encoding: oneOf(TEXT_ENCODINGS, row.encoding),
  delimiter: oneOf(DELIMITERS, row.delimiter),
  onConflict: oneOf(CONFLICT_RULES, row.onConflict),
  columns: stored<NumberedColumns>(row.columns),
  topics: stored<ImportToRun['topics']>(row.topics),
})
