import { Alert, Code, Loader } from '@mantine/core'
import { lazy, Suspense } from 'react'
import { type RecordOf, type Rows, useRecord } from '../api/queries'
import { Copyable } from '../parts/Copyable'
import { DataList, Dimmed } from '../parts/DataList'
import { Facts } from '../parts/Facts'
import { Page } from '../parts/Page'
import { PageLink } from '../parts/PageLink'
import { Section } from '../parts/Section'
import { StateBadge } from '../parts/StateBadge'
import { Time } from '../parts/Time'
import { useAddressPart } from '../shell/address'
import { Problem } from '../shell/problems'
import { CONNECTION_NAMES, STEP_NAMES, AUTOMATION_TEXTS as TEXTS } from '../texts/automations'
import type { Connection, Graph } from './graph'

const GraphDrawing = lazy(() => import('./GraphDrawing'))

type Run = RecordOf<'/automations/{automation_id}/runs/{run_id}'>
type RunStep = Run['steps'][number]

/** A run that is under way goes on while one looks at it. */
const RUNNING_MS = 5_000

export default function RunPage() {
  const automationId = useAddressPart('automationId')
  const runId = useAddressPart('runId')
  const { data: automation } = useRecord('/automations/{automation_id}', { path: { automation_id: automationId } })
  const {
    data: run,
    error,
    refetch,
  } = useRecord(
    '/automations/{automation_id}/runs/{run_id}',
    { path: { automation_id: automationId, run_id: runId } },
    { everyMs: ({ status }) => (status === 'running' ? RUNNING_MS : null) },
  )
  if (error && !run) return <Problem error={error} onRetry={() => void refetch()} />
  if (!run || !automation) return null
  return (
    <Page title={TEXTS.run} back={{ to: `/automations/${automationId}`, name: automation.name }} state={<StateBadge state={run.status} />}>
      {run.reason !== null && <Alert color={run.status === 'failed' ? 'red' : 'orange'}>{run.reason}</Alert>}
      <Section title={TEXTS.path}>
        {hasItsSteps(run, automation) ? (
          <Suspense fallback={<Loader aria-label={TEXTS.layout} />}>
            <GraphDrawing
              graph={automation}
              stateOf={(key) => run.steps.find((step) => step.key === key)?.status}
              isFollowed={(connection) => isFollowed(connection, run)}
            />
          </Suspense>
        ) : (
          <Alert color="gray">{TEXTS.changedSince}</Alert>
        )}
      </Section>
      <Section title={TEXTS.steps}>
        <DataList
          label={TEXTS.steps}
          list={listOf(run.steps)}
          columns={[
            { name: TEXTS.step, cell: (step) => <StepName step={step} /> },
            { name: TEXTS.state, cell: ({ status }) => <StateBadge state={status} /> },
            { name: TEXTS.started, cell: ({ started_at }) => <Time at={started_at} />, isWide: true },
            { name: TEXTS.ended, cell: ({ completed_at }) => <Time at={completed_at} />, isWide: true },
            { name: TEXTS.result, cell: (step) => <Result step={step} /> },
          ]}
        />
      </Section>
      <Section title={TEXTS.details}>
        <Facts
          facts={[
            [
              TEXTS.contact,
              <PageLink key="contact" to={`/contacts/${run.contact_id}`}>
                {run.contact_id}
              </PageLink>,
            ],
            [TEXTS.event, run.event],
            [TEXTS.started, <Time key="started" at={run.started_at} />],
            [TEXTS.ended, run.completed_at && <Time key="ended" at={run.completed_at} />],
            ['Id', <Copyable key="id" text={run.id} />],
          ]}
        />
      </Section>
    </Page>
  )
}

const StepName = ({ step: { key, type } }: { step: RunStep }) => (
  <>
    {key} <Dimmed>{STEP_NAMES[type] ?? type}</Dimmed>
  </>
)

function Result({ step: { output, error, waits_until: until } }: { step: RunStep }) {
  const emailId = (output as { email_id?: unknown } | null)?.email_id
  const way = wayOf(output)
  if (way !== null) return <>{way}</>
  return (
    <>
      {until !== null && (
        <Dimmed>
          {TEXTS.until} <Time at={until} />
        </Dimmed>
      )}
      {error !== null && <Code block>{textOf(error)}</Code>}
      {typeof emailId === 'string' && <PageLink to={`/emails/${emailId}`}>{TEXTS.theEmail}</PageLink>}
      {output !== null && emailId === undefined && Object.keys(output).length > 0 && <Code>{JSON.stringify(output)}</Code>}
    </>
  )
}

/** The way by which a step was left, if its output says only that. */
function wayOf(output: RunStep['output']): string | null {
  if (output === null || Object.keys(output).length !== 1) return null
  const { met, timed_out: timedOut } = output as { met?: unknown; timed_out?: unknown }
  if (typeof met === 'boolean') return CONNECTION_NAMES[met ? 'condition_met' : 'condition_not_met']
  return typeof timedOut === 'boolean' ? CONNECTION_NAMES[timedOut ? 'timeout' : 'event_received'] : null
}

const textOf = (error: object): string => {
  const { message } = error as { message?: unknown }
  return typeof message === 'string' ? message : JSON.stringify(error)
}

/** Steps are few, and all there. */
const listOf = (steps: readonly RunStep[]): Rows<RunStep & { id: string }> => ({
  rows: steps.map((step) => ({ ...step, id: step.key })),
  isLoading: false,
  error: null,
  hasMore: false,
  isLoadingMore: false,
  searchedTo: null,
  loadMore: () => undefined,
  retry: () => undefined,
})

/** A run keeps the steps with which it started; the automation may have others now. */
const hasItsSteps = (run: Run, { steps }: Graph): boolean =>
  steps.length === run.steps.length && steps.every(({ key, type }) => run.steps.some((step) => step.key === key && step.type === type))

/** Whether the run went this way: how a step was left says where to. */
function isFollowed({ from, to, type }: Connection, { steps }: Run): boolean {
  const left = steps.find(({ key }) => key === from)
  const next = steps.find(({ key }) => key === to)
  if (left?.status !== 'completed' && !(left?.status === 'skipped' && left.output !== null)) return false
  const { met, timed_out: timedOut } = (left.output ?? {}) as { met?: boolean; timed_out?: boolean }
  if (left.type === 'condition') return type === (met ? 'condition_met' : 'condition_not_met')
  if (left.type === 'wait_for_event') return type === (timedOut ? 'timeout' : 'event_received')
  return next?.started_at !== null
}
