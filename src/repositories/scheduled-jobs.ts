// Enqueues jobs at their times; in SQL, because it goes by the clock of the database, as the queue does.
import type { Database } from './database.ts'

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
