// Acts over many contacts that a worker carries out, batch by batch; in SQL where a batch and its counts are one transaction.
import { oneOf, stored } from '../../../db/columns.ts'
import type { Database, Execute } from '../../../db/database.ts'
import { ACT_ON_CONTACTS, addJob, contactJobQueueOf, removeJob } from '../../../db/jobs/jobs.ts'
import { readPage } from '../../../db/page.ts'
import { againAfterDeadlock, lockTeam } from '../../../db/transactions.ts'
import type { Prisma } from '../../../generated/prisma/client.ts'
import type { Clock } from '../../../lib/clock.ts'
import { createId, LOWEST_ID } from '../../../lib/ids.ts'
import type { PageRequest } from '../../../lib/page-request.ts'
import type { Page } from '../../../lib/validation/common.schema.ts'
import type { ForgetContacts } from '../contacts/contacts.repository.ts'
import { actOnContacts, type JobRefusal, type StoredAct } from './contact-acts.repository.ts'
import {
  CONTACT_JOB_STATUSES,
  CONTACT_JOBS_WAITING_MAX,
  type ContactJobStatus,
  JOB_REFUSAL_REASONS,
  JOB_REFUSALS_KEPT_MAX,
  type JobRefusalReason,
} from './contact-jobs.schema.ts'
import type { SelectedBatch, StoredSelection } from './selected-contacts.repository.ts'

export type ContactJobRow = {
  id: string
  status: ContactJobStatus
  selection: StoredSelection
  act: StoredAct
  expected: number | null
  changed: number
  unchanged: number
  refused: number
  reason: string | null
  createdAt: Date
  completedAt: Date | null
}

/** `contactIds`: those that were named. */
export type NewContactJob = Pick<ContactJobRow, 'selection' | 'act' | 'expected'> & { contactIds: string[] }

/** What a worker needs. `position`: everything up to this id is done. */
export type RunningJob = Pick<ContactJobRow, 'id' | 'selection' | 'act'> & { position: string }

export type JobRefusalRow = { id: string; email: string | null; reason: JobRefusalReason }

/** `stopped`: it was canceled, or another worker has it. `gone`: what the act names was deleted. */
export type BatchResult = 'done' | 'stopped' | 'gone'

const select = {
  id: true,
  status: true,
  selection: true,
  act: true,
  expected: true,
  changed: true,
  unchanged: true,
  refused: true,
  reason: true,
  createdAt: true,
  completedAt: true,
} as const

const toRow = (row: Prisma.ContactJobGetPayload<{ select: typeof select }>): ContactJobRow => ({
  ...row,
  status: oneOf(CONTACT_JOB_STATUSES, row.status),
  selection: stored<StoredSelection>(row.selection),
  act: stored<StoredAct>(row.act),
})

const NOT_ENDED = { status: { in: ['queued', 'in_progress'] satisfies ContactJobStatus[] } }

/** Refusals that one statement removes. */
const REMOVED_AT_ONCE = 10_000

const STUCK_MAX = 100

export function contactJobRepository(
  { tables, execute, records, transaction }: Pick<Database, 'tables' | 'execute' | 'records' | 'transaction'>,
  { clock, forgetContacts }: { clock: Clock; forgetContacts: ForgetContacts },
) {
  return {
    /** `full`: as many as a team may have wait already. */
    create(teamId: string, { selection, act, expected, contactIds }: NewContactJob): Promise<ContactJobRow | 'full'> {
      return records(async ({ tables: inside, execute: executeInside }) => {
        await lockTeam(executeInside, teamId)
        if ((await inside.contactJob.count({ where: { teamId, ...NOT_ENDED } })) >= CONTACT_JOBS_WAITING_MAX) return 'full'
        const data = { id: createId(clock), teamId, status: 'queued', selection, act, expected, contactIds, createdAt: clock.now() }
        const row = await inside.contactJob.create({ data, select })
        await enqueue(executeInside, teamId, row.id)
        return toRow(row)
      })
    },

    async find(teamId: string, id: string): Promise<ContactJobRow | null> {
      const row = await tables.contactJob.findFirst({ where: { teamId, id }, select })
      return row && toRow(row)
    },

    list(teamId: string, status: ContactJobStatus | null, request: PageRequest): Promise<Page<ContactJobRow>> {
      return readPage(request, async ({ where, ...rest }) => {
        const rows = await tables.contactJob.findMany({ where: { teamId, ...(status !== null && { status }), ...where }, select, ...rest })
        return rows.map(toRow)
      })
    },

    /** The refused contacts that are kept, the newest contact first. */
    listRefusals(teamId: string, jobId: string, request: PageRequest): Promise<Page<JobRefusalRow>> {
      return readPage(request, async ({ where: { id }, orderBy, take }) => {
        const rows = await tables.contactJobRefusal.findMany({
          where: { jobId, ...(id && { contactId: id }) },
          select: { contactId: true, reason: true },
          orderBy: { contactId: orderBy.id },
          take,
        })
        const contacts = await tables.contact.findMany({
          where: { teamId, id: { in: rows.map(({ contactId }) => contactId) } },
          select: { id: true, email: true },
        })
        const emails = new Map(contacts.map((contact) => [contact.id, contact.email]))
        return rows.map(({ contactId, reason }) => ({
          id: contactId,
          email: emails.get(contactId) ?? null,
          reason: oneOf(JOB_REFUSAL_REASONS, reason),
        }))
      })
    },

    /** Marks it as in progress. Null if it has ended, or never existed. */
    async begin(teamId: string, id: string): Promise<RunningJob | null> {
      const [row] = await tables.contactJob.updateManyAndReturn({
        where: { teamId, id, ...NOT_ENDED },
        data: { status: 'in_progress' },
        select: { id: true, selection: true, act: true, position: true },
      })
      if (!row) return null
      const { selection, act, position } = row
      return { id: row.id, selection: stored<StoredSelection>(selection), act: stored<StoredAct>(act), position: position ?? LOWEST_ID }
    },

    /** Lets a worker continue it, with all tries again. */
    async enqueue(teamId: string, id: string, afterSeconds = 0): Promise<void> {
      await enqueue(execute, teamId, id, afterSeconds)
    },

    /**
     * Does a batch, and counts it, in one transaction: after a crash the next try continues after it.
     * @param renewsJob gives the job all its tries again, because it has made progress
     */
    perform(teamId: string, { id, selection, act, position }: RunningJob, batch: SelectedBatch, renewsJob: boolean): Promise<BatchResult> {
      const isNamed = selection.kind === 'ids'
      const attempt = () =>
        transaction(async (inside): Promise<BatchResult> => {
          const [running] = await inside<{ refused: number; position: string }>(LOCK, [teamId, id, LOWEST_ID])
          if (running?.position !== position) return 'stopped'
          const now = clock.now()
          const outcome =
            batch.ids.length === 0
              ? { found: [], changed: 0, refused: [] }
              : await actOnContacts(inside, { teamId, ids: batch.ids, act, isNamed, now }, { forgetContacts })
          if (outcome === 'gone') return 'gone'
          const found = new Set(outcome.found)
          const unknown = isNamed ? batch.ids.filter((one) => !found.has(one)) : []
          const refused = [...outcome.refused, ...unknown.map((one): JobRefusal => ({ id: one, reason: 'not_found' }))]
          await keepRefusals(inside, id, refused.slice(0, Math.max(0, JOB_REFUSALS_KEPT_MAX - running.refused)))
          const unchanged = found.size - outcome.changed - outcome.refused.length
          await inside(COUNT, [teamId, id, outcome.changed, unchanged, refused.length, batch.through])
          if (renewsJob) await enqueue(inside, teamId, id)
          return 'done'
        })
      return againAfterDeadlock(attempt)
    },

    /** Ends it. Null if it had ended already, or never existed. */
    async end(
      teamId: string,
      id: string,
      { status, reason }: { status: 'completed' | 'failed' | 'canceled'; reason: string | null },
    ): Promise<{ id: string } | null> {
      return records(async ({ tables: inside, execute: executeInside }) => {
        const { count } = await inside.contactJob.updateMany({
          where: { teamId, id, ...NOT_ENDED },
          data: { status, reason, completedAt: clock.now(), contactIds: [] },
        })
        if (count === 0) return null
        await removeJob(executeInside, keyOf(id))
        return { id: id.toLowerCase() }
      })
    },

    /** Jobs that no worker runs or will run, because their tries are over. */
    async listStuckAcrossTeams(): Promise<{ teamId: string; contactJobId: string }[]> {
      return execute<{ teamId: string; contactJobId: string }>(STUCK)
    },

    /** Removes some of the refusals of jobs that ended before `before`. Returns how many: 0 at the end. */
    async removeRefusalsAcrossTeams(before: Date): Promise<number> {
      return (await execute(REMOVE_REFUSALS, [before])).length
    },
  }
}

const keyOf = (id: string): string => `${ACT_ON_CONTACTS}/${id}`

const enqueue = (execute: Execute, teamId: string, id: string, afterSeconds = 0): Promise<void> =>
  addJob(execute, ACT_ON_CONTACTS, { teamId, contactJobId: id }, contactJobQueueOf(teamId), keyOf(id), afterSeconds)

async function keepRefusals(inside: Execute, jobId: string, refused: JobRefusal[]): Promise<void> {
  if (refused.length === 0) return
  await inside(
    'insert into contact_job_refusals (job_id, contact_id, reason) select $1, c, r from unnest($2::uuid[], $3::text[]) as refused(c, r) on conflict do nothing',
    [jobId, refused.map(({ id }) => id), refused.map(({ reason }) => reason)],
  )
}

const LOCK = `
select refused, coalesce(position, $3::uuid)::text as position from contact_jobs where team_id = $1 and id = $2 and status = 'in_progress' for update`

const COUNT = `
update contact_jobs set changed = changed + $3, unchanged = unchanged + $4, refused = refused + $5, position = $6 where team_id = $1 and id = $2`

const STUCK = `
select j.team_id as "teamId", j.id as "contactJobId" from contact_jobs j where j.status in ('queued', 'in_progress')
  and not exists (select from graphile_worker._private_jobs g
                   where g.payload->>'contactJobId' = j.id::text and (g.attempts < g.max_attempts or g.locked_at is not null))
order by j.id limit ${STUCK_MAX}`

const REMOVE_REFUSALS = `
delete from contact_job_refusals where ctid = any(array(
  select r.ctid from contact_jobs j join contact_job_refusals r on r.job_id = j.id where j.completed_at < $1 limit ${REMOVED_AT_ONCE})) returning 1 as one`
