import { Alert, Code } from '@mantine/core'
import { lazy, Suspense } from 'react'
import { type RecordOf, useRecord } from '../api/queries'
import { Awaited } from '../parts/Awaited'
import { Copyable } from '../parts/Copyable'
import { Dimmed } from '../parts/DataList'
import { DataTable } from '../parts/DataTable'
import { Facts } from '../parts/Facts'
import { LoadingMark } from '../parts/Loading'
import { ContactAddress, SegmentName } from '../parts/names'
import { Page } from '../parts/Page'
import { PageLink } from '../parts/PageLink'
import { Section } from '../parts/Section'
import { StateBadge } from '../parts/StateBadge'
import { Time } from '../parts/Time'
import { useAddressPart } from '../shell/address'
import { STEP_NAMES, AUTOMATION_TEXTS as TEXTS } from '../texts/automations'
import type { Connection, Graph } from './graph'
import { wayOf } from './ways'

const GraphDrawing = lazy(() => import('./GraphDrawing'))

type Run = RecordOf<'/automations/{automation_id}/runs/{run_id}'>
type RunStep = Run['steps'][number]

/** A run that is under way changes while it is shown. */
const RUNNING_MS = 5_000

export default function RunPage() {
  const automationId = useAddressPart('automationId')
  const runId = useAddressPart('runId')
  const ofAutomation = useRecord('/automations/{automation_id}', { path: { automation_id: automationId } })
  const ofRun = useRecord(
    '/automations/{automation_id}/runs/{run_id}',
    { path: { automation_id: automationId, run_id: runId } },
    { everyMs: ({ status }) => (status === 'running' ? RUNNING_MS : null) },
  )
  const [run, automation] = [ofRun.data, ofAutomation.data]
  if (!run) return <Awaited read={ofRun} />
  if (!automation) return <Awaited read={ofAutomation} />
  return (
    <Page title={TEXTS.run} back={{ to: `/automations/${automationId}`, name: automation.name }} state={<StateBadge state={run.status} />}>
      {run.reason !== null && <Alert color={run.status === 'failed' ? 'red' : 'orange'}>{run.reason}</Alert>}
      <Section title={TEXTS.details}>
        <Facts
          facts={[
            [
              TEXTS.contact,
              <PageLink key="contact" to={`/contacts/${run.contact_id}`}>
                <ContactAddress id={run.contact_id} />
              </PageLink>,
            ],
            [TEXTS.event, run.event],
            [TEXTS.started, <Time key="started" at={run.started_at} />],
            [TEXTS.ended, run.completed_at && <Time key="ended" at={run.completed_at} />],
            ['Id', <Copyable key="id" text={run.id} />],
          ]}
        />
      </Section>
      <Section title={TEXTS.path}>
        {hasItsSteps(run, automation) ? (
          <Suspense fallback={<LoadingMark label={TEXTS.layout} />}>
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
        <DataTable
          label={TEXTS.steps}
          rows={run.steps.map((step) => ({ ...step, id: step.key }))}
          columns={[
            { name: TEXTS.step, cell: (step) => <StepName step={step} /> },
            { name: TEXTS.state, cell: ({ status }) => <StateBadge state={status} /> },
            { name: TEXTS.started, cell: ({ started_at }) => <Time at={started_at} />, isWide: true },
            { name: TEXTS.ended, cell: ({ completed_at }) => <Time at={completed_at} />, isWide: true },
            { name: TEXTS.result, cell: (step) => <Result step={step} /> },
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
  const { email_id: emailId, segment_id: segmentId, event, late_event: late } = (output ?? {}) as Record<string, unknown>
  const isInWords = [emailId, segmentId, event].some((value) => typeof value === 'string')
  const way = wayOf(output)
  if (way !== null)
    return (
      <>
        {way} {late !== undefined && <Late at={(late as { at: string }).at} />}
      </>
    )
  return (
    <>
      {until !== null && (
        <Dimmed>
          {TEXTS.until} <Time at={until} />
        </Dimmed>
      )}
      {error !== null && <Code block>{textOf(error)}</Code>}
      {typeof emailId === 'string' && (
        <PageLink onlyLeads to={`/emails/${emailId}`}>
          {TEXTS.theEmail}
        </PageLink>
      )}
      {typeof segmentId === 'string' && (
        <PageLink to={`/segments/${segmentId}`}>
          <SegmentName id={segmentId} />
        </PageLink>
      )}
      {typeof event === 'string' && <bdi>{event}</bdi>}
      {output !== null && !isInWords && Object.keys(output).length > 0 && <Code>{JSON.stringify(output)}</Code>}
    </>
  )
}

/** When the event came that was waited for in vain. */
const Late = ({ at }: { at: string }) => (
  <Dimmed>
    {TEXTS.cameLate} <Time at={at} />
  </Dimmed>
)

const textOf = (error: object): string => {
  const { message } = error as { message?: unknown }
  return typeof message === 'string' ? message : JSON.stringify(error)
}

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
