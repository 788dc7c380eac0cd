// The jobs that carry a payload. The code that enqueues a job and the code that runs it must agree on its name and its payload.
import { type Static, Type } from '@sinclair/typebox'
import { Id } from '../../lib/validation/common.schema.ts'
import type { Database, Execute } from '../database.ts'

/** Fetches the attachments of an email that were given by URL. */
export const FETCH_ATTACHMENTS = 'fetch-attachments'

/** Removes the values of a deleted contact property. */
export const REMOVE_PROPERTY_VALUES = 'remove-property-values'

/** Removes the memberships of a deleted segment, or the subscriptions to a deleted topic. */
export const REMOVE_MEMBERS = 'remove-members'

/** Finds what either of the two jobs before has missed, and enqueues its removal. */
export const FIND_LEFTOVERS = 'find-leftovers'

/** Reads the CSV file of an import. */
export const IMPORT_CONTACTS = 'import-contacts'

/** Does one thing with many contacts. */
export const ACT_ON_CONTACTS = 'act-on-contacts'

/** Gives up what waits for a disabled webhook, and removes what is left of a deleted one. */
export const CLEAR_WEBHOOK = 'clear-webhook'

/** Cancels the runs of a stopped automation, and removes what is left of a deleted one. */
export const CLEAR_AUTOMATION = 'clear-automation'

/** Removes what very many events and runs knew of a deleted contact. */
export const FORGET_CONTACT = 'forget-contact'

/** Tells the owners of a team what the guard of reputations has decided. */
export const TELL_OF_REPUTATION = 'tell-of-reputation'

/** Tells the owners of a team how much of its limit of emails is used. */
export const TELL_OF_QUOTA = 'tell-of-quota'

const teamId = Id('The team that the job works for.')

/** What each job is given. */
export const JOBS = {
  [FETCH_ATTACHMENTS]: Type.Object({ teamId, emailId: Id('The email.') }),
  [REMOVE_PROPERTY_VALUES]: Type.Object({ teamId, number: Type.Integer({ description: 'The number of the property.' }) }),
  [REMOVE_MEMBERS]: Type.Union([Type.Object({ segmentId: Id('The segment.') }), Type.Object({ topicId: Id('The topic.') })]),
  [IMPORT_CONTACTS]: Type.Object({ teamId, importId: Id('The import.') }),
  [ACT_ON_CONTACTS]: Type.Object({ teamId, contactJobId: Id('The contact job.') }),
  [CLEAR_WEBHOOK]: Type.Object({ webhookId: Id('The webhook.') }),
  [CLEAR_AUTOMATION]: Type.Object({ automationId: Id('The automation.') }),
  [FORGET_CONTACT]: Type.Object({ teamId, contactId: Id('The contact.') }),
  [TELL_OF_REPUTATION]: Type.Object({
    teamId,
    notice: Type.Union([Type.Literal('warning'), Type.Literal('paused'), Type.Literal('released')]),
    reason: Type.String({ description: 'Why, for people.' }),
  }),
  [TELL_OF_QUOTA]: Type.Object({
    teamId,
    period: Type.Union([Type.Literal('day'), Type.Literal('month')]),
    limit: Type.Integer({ description: 'In addresses.' }),
    percent: Type.Union([Type.Literal(80), Type.Literal(100)]),
    resetsAt: Type.String({ description: 'When the next period begins, in the form of ISO 8601.' }),
  }),
}

export type JobName = keyof typeof JOBS
export type JobPayload<Name extends JobName> = Static<(typeof JOBS)[Name]>

export type RemoveValuesPayload = JobPayload<typeof REMOVE_PROPERTY_VALUES>
export type RemoveMembersPayload = JobPayload<typeof REMOVE_MEMBERS>

/** About two minutes in all. */
const TRIES_MAX = 5
/** The most tries that a job can have. The last ones come every six hours, so they outlast the service. */
const TRIES_WITHOUT_END = 32_767

const REMOVALS: ReadonlySet<JobName> = new Set([REMOVE_PROPERTY_VALUES, REMOVE_MEMBERS, CLEAR_AUTOMATION, FORGET_CONTACT])

/** A job that removes personal data is never given up, however often its rows are in use, the database is away or the service stops. */
export const triesMaxOf = (task: JobName): number => (REMOVALS.has(task) ? TRIES_WITHOUT_END : TRIES_MAX)

/** Runs one import of a team at a time. */
export const importQueueOf = (teamId: string): string => `${IMPORT_CONTACTS}/${teamId}`

/** Runs one act over many contacts of a team at a time. */
export const contactJobQueueOf = (teamId: string): string => `${ACT_ON_CONTACTS}/${teamId}`

/** Fetches of one team that run at the same time. Slow servers of one team must not delay other teams. */
const FETCH_QUEUES_PER_TEAM = 2

/** The queue in which an email's attachments are fetched. Its last digit is random, so the emails of a team spread evenly. */
export const fetchQueueOf = (teamId: string, emailId: string): string =>
  `${FETCH_ATTACHMENTS}/${teamId}/${Number.parseInt(emailId.slice(-1), 16) % FETCH_QUEUES_PER_TEAM}`

// Background work other than deliveries, enqueued in the transaction that stores its data; in SQL, because it is a function of graphile-worker.

/**
 * Adds a job. It becomes visible with the commit of the transaction that `execute` belongs to.
 *
 * @param queueName jobs with the same name run one at a time. Names are kept, so there must not be many.
 * @param key replaces the job that has it and starts with all tries, even if that one is running, which is then not retried.
 * @param afterSeconds by the clock of the database, as all times of the queue.
 */
export async function addJob<Name extends JobName>(
  execute: Execute,
  task: Name,
  payload: JobPayload<Name>,
  queueName: string | null = null,
  key: string | null = null,
  afterSeconds = 0,
): Promise<void> {
  await execute(
    `select id from graphile_worker.add_job($1, $2::json, max_attempts => $3, queue_name => $4, job_key => $5, run_at => now() + make_interval(secs => $6))`,
    [task, JSON.stringify(payload), triesMaxOf(task), queueName, key, afterSeconds],
  )
}

/** Removes the job that has this key, unless it is running. */
export async function removeJob(execute: Execute, key: string): Promise<void> {
  await execute('select graphile_worker.remove_job($1)', [key])
}

// Enqueues jobs at their times; in SQL, because it goes by the clock of the database, as the queue does.

/** Due `minute` minutes after midnight (UTC), and every `everyMinutes` minutes before and after that. */
export type JobTime = { task: string; everyMinutes: number; minute: number }

export function scheduledJobRepository({ execute }: Pick<Database, 'execute'>) {
  return {
    /**
     * Enqueues each job whose due time is another than at the last check, whether it came or the clock was set. A job that was due while no worker ran is
     * enqueued once, and so is one that several workers find at once. A job seen for the first time waits for its next due time.
     */
    async enqueueDueAcrossTeams(times: JobTime[]): Promise<void> {
      await execute(ENQUEUE_DUE, [
        times.map(({ task }) => task),
        times.map(({ everyMinutes }) => everyMinutes),
        times.map(({ minute }) => minute),
      ])
    },
  }
}

// The last part reads the table as it was before, so jobs that were not in it are not enqueued.
const ENQUEUE_DUE = `
with times as (
  select task, date_bin(make_interval(mins => every), now(), timestamptz '2000-01-01 00:00:00Z' + make_interval(mins => minute)) as due_at
  from unnest($1::text[], $2::int[], $3::int[]) as times (task, every, minute)
), due as (
  insert into scheduled_jobs as earlier (task, due_at) select task, due_at from times order by task
  on conflict (task) do update set due_at = excluded.due_at where earlier.due_at <> excluded.due_at
  returning task
)
select job.id from due join scheduled_jobs using (task), graphile_worker.add_job(due.task, job_key => due.task) as job`
