import { Alert, Stack, Text } from '@mantine/core'
import { lazy, Suspense, useState } from 'react'
import { type RecordOf, useRecord, useRows } from '../api/queries'
import { Awaited } from '../parts/Awaited'
import { Copyable } from '../parts/Copyable'
import { DataList, Dimmed } from '../parts/DataList'
import { Facts } from '../parts/Facts'
import { type Filter, Filters } from '../parts/Filters'
import { FoldedSection } from '../parts/FoldedSection'
import { LoadingMark } from '../parts/Loading'
import { ContactAddress } from '../parts/names'
import { countOf } from '../parts/numbers'
import { Page } from '../parts/Page'
import { PageLink } from '../parts/PageLink'
import { Section } from '../parts/Section'
import { StateBadge, wordsOf } from '../parts/StateBadge'
import { Time } from '../parts/Time'
import { useIsPhone } from '../parts/use-is-phone'
import { useMay } from '../session/me'
import { useAddressPart, useFilters } from '../shell/address'
import { AUTOMATION_SETTINGS_TEXTS as SETTINGS_TEXTS, AUTOMATION_TEXTS as TEXTS } from '../texts/automations'
import { AutomationActs, type Stopped } from './AutomationActs'
import type { Connection } from './graph'
import { NeedsAttention } from './NeedsAttention'
import { StepList } from './StepList'

const GraphDrawing = lazy(() => import('./GraphDrawing'))

type Automation = RecordOf<'/automations/{automation_id}'>

export default function AutomationPage() {
  const id = useAddressPart('automationId')
  const { data: automation, error, refetch } = useRecord('/automations/{automation_id}', { path: { automation_id: id } })
  const [stopped, setStopped] = useState<Stopped | null>(null)
  const isPhone = useIsPhone()
  const { data: metrics } = useRecord('/automations/{automation_id}/metrics', { path: { automation_id: id } })
  if (!automation) return <Awaited read={{ error, refetch }} />
  const started = metrics?.steps.find(({ type }) => type === 'trigger')?.entered ?? 0
  const shareOf = (entered: number): number | null => (started === 0 ? null : Math.round((entered / started) * PERCENT))
  const counts =
    metrics &&
    new Map(
      metrics.steps.map(({ key, completed, entered, skipped, ...step }) => [
        key,
        { ...step, entered: entered + skipped, skipped, done: completed, share: shareOf(entered + skipped) },
      ]),
    )
  return (
    <Page
      title={automation.name}
      back={{ to: '/automations', name: TEXTS.title }}
      state={
        <>
          <StateBadge state={automation.status} />
          <NeedsAttention automation={automation} />
        </>
      }
      acts={<AutomationActs automation={automation} running={metrics?.runs.running} onStopped={setStopped} />}
    >
      {automation.stopped_at !== null && automation.status === 'disabled' && metrics?.runs.running === 0 && (
        <StoppedBanner automationId={id} at={automation.stopped_at} stopped={stopped?.id === id ? stopped : null} />
      )}
      {automation.disabled_reason !== null && <Alert color="orange">{automation.disabled_reason}</Alert>}
      {automation.held_at !== null && (
        <Alert color="orange">
          {TEXTS.held} <Time at={automation.held_at} />
          {automation.held_contact_id !== null && (
            <>
              ,{' '}
              <PageLink to={`/contacts/${automation.held_contact_id}`} underline="always">
                {TEXTS.heldContact}
              </PageLink>
            </>
          )}
          . {TEXTS.heldMeans}
        </Alert>
      )}
      <Section title={TEXTS.steps}>
        <Suspense fallback={<LoadingMark label={TEXTS.layout} />}>
          <GraphDrawing graph={automation} counts={counts} runsOn={metrics && ((connection) => runsOn(connection, metrics))} />
        </Suspense>
      </Section>
      {/* A phone has no room for the drawing. */}
      <FoldedSection title={TEXTS.stepList} summary={TEXTS.stepCount(automation.steps.length)} isOpenAtFirst={isPhone}>
        <StepList graph={automation} counts={counts} />
      </FoldedSection>
      <Runs automationId={automation.id} counts={metrics?.runs} />
      <Section title={TEXTS.settings}>
        <Settings automation={automation} />
      </Section>
    </Page>
  )
}

type StoppedBannerProps = { automationId: string; at: string; stopped: Stopped | null }

/** What its stop canceled: as the API answered, or counted again for someone who opens the page later. */
function StoppedBanner({ automationId, at, stopped }: StoppedBannerProps) {
  const { rows, isLoading, error, hasMore } = useRows(
    '/automations/{automation_id}/runs',
    { path: { automation_id: automationId }, query: { limit: STOPPED_SHOWN_MAX, status: ['cancelled'] } },
    { isEnabled: stopped === null },
  )
  const counted = rows.filter(({ completed_at }) => completed_at !== null && completed_at >= at).length
  const words = stopped
    ? TEXTS.stoppedRuns(countOf(Math.min(stopped.cancelled_runs, STOPPED_MAX)), stopped.cancelled_runs)
    : isLoading || error
      ? ''
      : hasMore && counted === rows.length
        ? TEXTS.stoppedRunsAtLeast(counted)
        : TEXTS.stoppedRuns(countOf(counted), counted)
  return (
    <Alert color="blue" title={TEXTS.stoppedTitle}>
      {TEXTS.stoppedAt} <Time at={at} />. {words}
      {TEXTS.stoppedMail}
    </Alert>
  )
}

const PERCENT = 100

/** How many of the runs that are counted left a step by this one of its ways. */
function runsOn({ from, type }: Connection, { steps }: RecordOf<'/automations/{automation_id}/metrics'>): number | undefined {
  const step = steps.find(({ key }) => key === from)
  if (!step) return undefined
  if (type === 'condition_met') return step.met
  if (type === 'condition_not_met') return step.not_met
  if (type === 'timeout') return step.timed_out
  if (type === 'event_received') return step.completed - step.timed_out
  // Where all go, the next step says it.
  return undefined
}

const RUN_FILTERS: readonly Filter[] = [
  { name: 'status', label: TEXTS.state, kind: 'choice', choices: ['running', 'completed', 'failed', 'cancelled'] },
]

type RunCounts = RecordOf<'/automations/{automation_id}/metrics'>['runs']

function Runs({ automationId, counts }: { automationId: string; counts: RunCounts | undefined }) {
  const [filters, setFilters] = useFilters(['status'])
  const list = useRows('/automations/{automation_id}/runs', {
    path: { automation_id: automationId },
    query: { limit: RUNS_A_PAGE, ...filters } as never,
  })
  return (
    <Section title={TEXTS.runs}>
      {counts && (
        <Text size="sm" c="dimmed">
          {TEXTS.counted(
            Object.entries(counts)
              .map(([status, count]) => `${countOf(count)} ${wordsOf(status).toLowerCase()}`)
              .join(', '),
          )}
        </Text>
      )}
      <Filters filters={RUN_FILTERS} values={filters} onChange={setFilters} />
      <DataList
        label={TEXTS.runs}
        list={list}
        to={({ id }) => `/automations/${automationId}/runs/${id}`}
        empty={TEXTS.noRuns}
        isFiltered={filters.status !== undefined}
        columns={[
          { name: TEXTS.started, cell: ({ started_at, created_at }) => <Time at={started_at ?? created_at} /> },
          {
            name: TEXTS.state,
            cell: ({ status, reason }) => (
              <Stack gap={2}>
                <StateBadge state={status} />
                {reason && <Dimmed>{reason}</Dimmed>}
              </Stack>
            ),
          },
          {
            name: TEXTS.contact,
            cell: ({ contact_id }) => (
              <PageLink to={`/contacts/${contact_id}`}>
                <ContactAddress id={contact_id} />
              </PageLink>
            ),
          },
          { name: TEXTS.ended, cell: ({ completed_at }) => <Time at={completed_at} />, isWide: true },
        ]}
      />
    </Section>
  )
}
/** More are not counted when it is stopped. */
const STOPPED_MAX = 10_000
/** A page of a list. */
const STOPPED_SHOWN_MAX = 100
const RUNS_A_PAGE = 20

function Settings({ automation }: { automation: Automation }) {
  const trigger = automation.steps.find((step) => step.type === 'trigger')
  return (
    <Facts
      facts={[
        [TEXTS.event, trigger?.type === 'trigger' && <Event key="event" name={trigger.config.event_name} />],
        [SETTINGS_TEXTS.class, SETTINGS_TEXTS.classes[automation.class]],
        [SETTINGS_TEXTS.reentry, SETTINGS_TEXTS.reentries[automation.reentry]],
        [TEXTS.runsMax, automation.max_runs_per_contact !== null && TEXTS.runsMaxOf(countOf(automation.max_runs_per_contact))],
        [TEXTS.created, <Time key="created" at={automation.created_at} />],
        [TEXTS.changed, <Time key="changed" at={automation.updated_at} />],
        ['Id', <Copyable key="id" text={automation.id} />],
      ]}
    />
  )
}

/** One that no one has defined has no page. */
function Event({ name }: { name: string }) {
  const may = useMay()
  const { data: event } = useRecord('/events/{event_id}', { path: { event_id: name } }, { isEnabled: may('events:read') })
  if (!event) return <bdi>{name}</bdi>
  return (
    <PageLink to={`/events/${event.id}`}>
      <bdi>{name}</bdi>
    </PageLink>
  )
}
