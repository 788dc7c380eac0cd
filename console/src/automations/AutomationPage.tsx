import { Alert, Box, Grid, Loader, Text } from '@mantine/core'
import { lazy, Suspense, useState } from 'react'
import { type RecordOf, useRecord, useRows } from '../api/queries'
import { Copyable } from '../parts/Copyable'
import { DataList, Dimmed } from '../parts/DataList'
import { Facts } from '../parts/Facts'
import { type Filter, Filters } from '../parts/Filters'
import { Loading } from '../parts/Loading'
import { ContactAddress } from '../parts/names'
import { countOf } from '../parts/numbers'
import { Page } from '../parts/Page'
import { PageLink } from '../parts/PageLink'
import { Section } from '../parts/Section'
import { StateBadge, wordsOf } from '../parts/StateBadge'
import { Time } from '../parts/Time'
import { useMay } from '../session/me'
import { useAddressPart, useFilters } from '../shell/address'
import { Problem } from '../shell/problems'
import { AUTOMATION_TEXTS as TEXTS } from '../texts/automations'
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
  const { data: metrics } = useRecord('/automations/{automation_id}/metrics', { path: { automation_id: id } })
  if (error && !automation) return <Problem error={error} onRetry={() => void refetch()} />
  if (!automation) return <Loading />
  const started = metrics?.steps.find(({ type }) => type === 'trigger')?.entered ?? 0
  const shareOf = (entered: number): number | null => (started === 0 ? null : Math.round((entered / started) * PERCENT))
  const counts =
    metrics &&
    new Map(metrics.steps.map(({ key, completed, ...step }) => [key, { ...step, done: completed, share: shareOf(step.entered) }]))
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
        <Alert color="blue" title={TEXTS.stoppedTitle}>
          {TEXTS.stoppedAt} <Time at={automation.stopped_at} />.{' '}
          {stopped?.id === id ? TEXTS.stoppedRuns(countOf(Math.min(stopped.cancelled_runs, STOPPED_MAX)), stopped.cancelled_runs) : ''}
          {TEXTS.stoppedMail}
        </Alert>
      )}
      {automation.disabled_reason !== null && <Alert color="orange">{automation.disabled_reason}</Alert>}
      {automation.held_at !== null && (
        <Alert color="orange">
          {TEXTS.held} <Time at={automation.held_at} />
          {automation.held_contact_id !== null && (
            <>
              , <PageLink to={`/contacts/${automation.held_contact_id}`}>{TEXTS.heldContact}</PageLink>
            </>
          )}
          . {TEXTS.heldMeans}
        </Alert>
      )}
      <Section title={TEXTS.steps}>
        <Grid>
          <Grid.Col span={{ base: 12, lg: 8 }}>
            <Suspense fallback={<Loader aria-label={TEXTS.layout} />}>
              <GraphDrawing graph={automation} counts={counts} runsOn={metrics && ((connection) => runsOn(connection, metrics))} />
            </Suspense>
          </Grid.Col>
          <Grid.Col span={{ base: 12, lg: 4 }}>
            <Box
              mah={{ base: 'none', lg: STEPS_HEIGHT_MAX }}
              style={{ overflowY: 'auto' }}
              tabIndex={0}
              role="region"
              aria-label={TEXTS.stepList}
            >
              <StepList graph={automation} counts={counts} />
            </Box>
          </Grid.Col>
        </Grid>
      </Section>
      <Runs automationId={automation.id} counts={metrics?.runs} />
      <Section title={TEXTS.settings}>
        <Settings automation={automation} />
      </Section>
    </Page>
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
          { name: TEXTS.state, cell: ({ status }) => <StateBadge state={status} /> },
          { name: TEXTS.reason, cell: ({ reason }) => <Dimmed>{reason}</Dimmed>, isWide: true },
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
/** That of the drawing. */
const STEPS_HEIGHT_MAX = 680
const RUNS_A_PAGE = 20

function Settings({ automation }: { automation: Automation }) {
  const trigger = automation.steps.find((step) => step.type === 'trigger')
  return (
    <Facts
      facts={[
        [TEXTS.event, trigger?.type === 'trigger' && <Event key="event" name={trigger.config.event_name} />],
        [TEXTS.class, wordsOf(automation.class)],
        [TEXTS.reentry, TEXTS.reentries[automation.reentry]],
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
