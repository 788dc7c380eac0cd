import { Alert, Progress, SimpleGrid, Stack, Text } from '@mantine/core'
import { useEffect } from 'react'
import { useAct } from '../api/acts'
import { answer, api } from '../api/client'
import { queryClient, useRecord } from '../api/queries'
import { ConfirmButton } from '../parts/ConfirmButton'
import { countOf } from '../parts/numbers'
import { CONTACT_JOB_TEXTS as TEXTS } from '../texts/contact-jobs'
import { type ContactJob, isOver } from './jobs'

const LOOKED_AT_EVERY_MS = 1_000
const PERCENT = 100

/** A job while it runs. What it changes is read again once it is over. */
export function useContactJob(id: string) {
  const job = useRecord(
    '/contacts/jobs/{contact_job_id}',
    { path: { contact_job_id: id } },
    { everyMs: (data) => (isOver(data) ? null : LOOKED_AT_EVERY_MS) },
  )
  const isDone = job.data !== undefined && isOver(job.data)
  useEffect(() => {
    if (isDone) for (const section of ['contacts', 'segments', 'suppressions']) void queryClient.invalidateQueries({ queryKey: [section] })
  }, [isDone])
  return job
}

/** How far a job is, and what became of the contacts. */
export function JobProgress({ job }: { job: ContactJob }) {
  const { counts, reason } = job
  return (
    <Stack>
      <Bar job={job} />
      {reason !== null && (
        <Alert color="red" title={TEXTS.reason}>
          {reason}
        </Alert>
      )}
      <SimpleGrid cols={{ base: 2, sm: 4 }}>
        {(['total', 'changed', 'unchanged', 'refused'] as const).map((name) => (
          <div key={name}>
            <Text size="sm" c="dimmed">
              {TEXTS.counts[name]}
            </Text>
            <Text fz="xl" fw={600} {...(name === 'refused' && counts.refused > 0 && { c: 'red' })}>
              {countOf(counts[name])}
            </Text>
          </div>
        ))}
      </SimpleGrid>
    </Stack>
  )
}

function Bar({ job }: { job: ContactJob }) {
  const { status, expected, counts } = job
  const isKnown = expected !== null && expected > 0
  const value = isOver(job) || !isKnown ? PERCENT : Math.min(PERCENT, (counts.total / expected) * PERCENT)
  const color = status === 'failed' ? 'red' : status === 'canceled' ? 'orange' : isOver(job) ? 'green' : 'indigo'
  const words = wordsOf(job)
  return (
    <Stack gap={4}>
      <Progress value={value} color={color} size="lg" animated={!isOver(job) && !isKnown} aria-label={words} />
      <Text role="status">{words}</Text>
    </Stack>
  )
}

function wordsOf({ status, expected, counts }: ContactJob): string {
  if (status === 'queued') return TEXTS.waiting
  if (status !== 'in_progress') return TEXTS.ended[status]
  return expected === null ? TEXTS.runningUncounted(countOf(counts.total)) : TEXTS.running(countOf(counts.total), countOf(expected))
}

export function StopJob({ job }: { job: ContactJob }) {
  const stop = useAct({
    run: () => answer(api.POST('/contacts/jobs/{contact_job_id}/cancel', { params: { path: { contact_job_id: job.id } } })),
    done: TEXTS.stopped,
    changes: ['contacts'],
  })
  return <ConfirmButton name={TEXTS.stop} question={TEXTS.stopQuestion} onConfirm={() => stop.mutate()} isBusy={stop.isPending} />
}
