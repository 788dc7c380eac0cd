// Carries out acts over many contacts, a batch at a time. It can stop at any moment; the next try continues after the last batch that is counted.
import type { PlatformContext } from '../../../http/platform.context.ts'
import type { AccountsContext } from '../../accounts/accounts.context.ts'
import { refusalByState } from '../../accounts/teams/team-states.ts'
import type { AudienceContext } from '../audience.context.ts'
import type { RunningJob } from './contact-jobs.repository.ts'

type Context = PlatformContext & AccountsContext & AudienceContext

type Dependencies = Pick<Context, 'repositories' | 'log'>

type JobKey = { teamId: string; contactJobId: string }

/** `attempt` is counted from 1. `signal`: the service is stopping. */
export type ContactJobTask = JobKey & { attempt: number; isLastTry: boolean; signal: AbortSignal }

/** A job of a team that is suspended or deleted waits, and looks again after this time. */
const STOPPED_LOOK_SECONDS = 30

const GIVEN_UP = 'The job could not be completed after several attempts. What is counted was done.'
const TARGET_GONE =
  'The segment, topic or property of the act was deleted, or the segment has a filter now. What is counted was done before.'
const SELECTION_GONE = 'The segment or broadcast that names the contacts was deleted. What is counted was done before.'

export async function runContactJob(context: Dependencies, task: ContactJobTask): Promise<void> {
  const { repositories, log } = context
  const { teamId, contactJobId } = task
  if (await isOfStoppedTeam(context, teamId)) return repositories.contactJobs.enqueue(teamId, contactJobId, STOPPED_LOOK_SECONDS)
  const found = await repositories.contactJobs.begin(teamId, contactJobId)
  if (!found) return
  const progress = { hasRenewed: false }
  const end = await runBatches(context, found, task, progress).catch((error): End => {
    if (!task.isLastTry || progress.hasRenewed) throw error
    log.error({ err: error, contactJobId }, 'contact job given up')
    return { failed: GIVEN_UP }
  })
  if (end === 'stopped') return
  if (end === 'stopping') return repositories.contactJobs.enqueue(teamId, contactJobId)
  if (end === 'team stopped') return repositories.contactJobs.enqueue(teamId, contactJobId, STOPPED_LOOK_SECONDS)
  await endJob(context, task, end)
}

/** Fails jobs whose every try ended with its process or while the database was away, so that their end could not be written. */
export async function failStuckContactJobs(context: Dependencies): Promise<void> {
  for (const stuck of await context.repositories.contactJobs.listStuckAcrossTeams()) await endJob(context, stuck, { failed: GIVEN_UP })
}

/** `stopped`: it was canceled, or another worker has it. */
type End = 'completed' | 'stopped' | 'stopping' | 'team stopped' | { failed: string }

async function runBatches(
  context: Dependencies,
  found: RunningJob,
  { teamId, attempt, signal }: ContactJobTask,
  progress: { hasRenewed: boolean },
): Promise<End> {
  const { contactJobs, selectedContacts } = context.repositories
  for (let job = found; ; ) {
    if (signal.aborted) return 'stopping'
    if (await isOfStoppedTeam(context, teamId)) return 'team stopped'
    // Contacts that are created later have later ids.
    const batch = await selectedContacts.next(teamId, job.id, job.selection, { after: job.position, upTo: job.id })
    if (batch === null) return 'completed'
    if (batch === 'gone') return { failed: SELECTION_GONE }
    const renewsJob = attempt > 1 && !progress.hasRenewed
    const result = await contactJobs.perform(teamId, job, batch, renewsJob)
    if (result === 'stopped') return 'stopped'
    if (result === 'gone') return { failed: TARGET_GONE }
    if (renewsJob) progress.hasRenewed = true
    job = { ...job, position: batch.through }
  }
}

async function endJob({ repositories, log }: Dependencies, { teamId, contactJobId }: JobKey, end: 'completed' | { failed: string }) {
  const outcome = end === 'completed' ? { status: 'completed' as const, reason: null } : { status: 'failed' as const, reason: end.failed }
  const ended = await repositories.contactJobs.end(teamId, contactJobId, outcome)
  if (ended) log.info({ contactJobId, teamId, outcome: outcome.status }, 'contact job ended')
}

const isOfStoppedTeam = async ({ repositories }: Dependencies, teamId: string): Promise<boolean> =>
  refusalByState(await repositories.teams.stateOf(teamId), { writes: true }) !== null
