import { Alert, Button, Group, Table, Text, VisuallyHidden } from '@mantine/core'
import { lazy, Suspense } from 'react'
import { useAct } from '../api/acts'
import { answer, api } from '../api/client'
import { type RecordOf, useRecord } from '../api/queries'
import { Awaited } from '../parts/Awaited'
import { ConfirmButton } from '../parts/ConfirmButton'
import { Facts } from '../parts/Facts'
import { LoadingMark } from '../parts/Loading'
import { countOf } from '../parts/numbers'
import { Page } from '../parts/Page'
import { Section } from '../parts/Section'
import { StateBadge } from '../parts/StateBadge'
import { Time } from '../parts/Time'
import { QUEUE_TEXTS as TEXTS } from '../texts/queue'
import { Paces } from './Paces'

const QueueCharts = lazy(() => import('./QueueCharts'))

type Queue = RecordOf<'/operation/queue'>
type Part = { class?: Queue['lanes'][number]['class']; team_id?: string; destination?: string; all?: boolean }

const EVERY_MS = 5_000

/** The queue of all teams, as the workers see it, with buttons that pause and resume parts of it. It shows no mail. */
export default function QueuePage() {
  const { data: queue, error, refetch, dataUpdatedAt } = useRecord('/operation/queue', {}, { everyMs: EVERY_MS })
  const pause = useAct({
    run: (body: Part) => answer(api.POST('/operation/queue/pause', { body })),
    done: TEXTS.paused,
    changes: ['operation'],
  })
  const resume = useAct({
    run: (body: Part) => answer(api.POST('/operation/queue/resume', { body })),
    done: TEXTS.resumed,
    changes: ['operation'],
  })
  if (!queue) return <Awaited read={{ error, refetch }} />
  return (
    <Page
      title={TEXTS.title}
      acts={
        <ConfirmButton
          name={TEXTS.pauseAll}
          act={TEXTS.pause}
          question={TEXTS.pauseQuestion}
          onConfirm={() => pause.mutate({ all: true })}
        />
      }
    >
      {queue.workers === 0 && <Alert color="red">{TEXTS.noWorker}</Alert>}
      <Facts
        facts={[
          [TEXTS.ready, countOf(queue.total.ready)],
          [TEXTS.leased, countOf(queue.total.leased)],
          [TEXTS.waiting, countOf(queue.total.waiting)],
          [TEXTS.parked, countOf(queue.total.parked)],
          [TEXTS.oldest, TEXTS.seconds(queue.oldest_due_seconds)],
          [TEXTS.workers, String(queue.workers)],
        ]}
      />
      {queue.is_bounded && <Text c="dimmed">{TEXTS.bounded}</Text>}
      <Section title={TEXTS.pauses}>
        {queue.pauses.length === 0 && <Text c="dimmed">{TEXTS.noPauses}</Text>}
        {queue.pauses.map((one) => (
          <Group key={one.id} justify="space-between">
            <Text>
              {partWords(one)} · {TEXTS.since} <Time at={one.created_at} />
            </Text>
            <Button size="xs" variant="default" onClick={() => resume.mutate(partOf(one))} loading={resume.isPending}>
              {TEXTS.resume}
            </Button>
          </Group>
        ))}
      </Section>
      <Section title={TEXTS.lanes}>
        <Lanes lanes={queue.lanes} onPause={pause.mutate} onResume={resume.mutate} />
      </Section>
      <Suspense fallback={<LoadingMark />}>
        <QueueCharts queue={queue} readAt={dataUpdatedAt} />
      </Suspense>
      <Paces />
    </Page>
  )
}

function Lanes({ lanes, onPause, onResume }: { lanes: Queue['lanes']; onPause: (part: Part) => void; onResume: (part: Part) => void }) {
  if (lanes.length === 0) return <Text c="dimmed">{TEXTS.empty}</Text>
  return (
    <Table.ScrollContainer minWidth={0} type="native">
      <Table aria-label={TEXTS.lanes}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{TEXTS.destination}</Table.Th>
            <Table.Th visibleFrom="sm">{TEXTS.team}</Table.Th>
            <Table.Th visibleFrom="lg">{TEXTS.class}</Table.Th>
            <Table.Th ta="right">{TEXTS.ready}</Table.Th>
            <Table.Th ta="right" visibleFrom="sm">
              {TEXTS.waiting}
            </Table.Th>
            <Table.Th ta="right" visibleFrom="lg">
              {TEXTS.parked}
            </Table.Th>
            <Table.Th visibleFrom="lg">{TEXTS.next}</Table.Th>
            <Table.Th>
              <VisuallyHidden>{TEXTS.acts}</VisuallyHidden>
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {lanes.map((lane) => (
            <Table.Tr key={`${lane.class} ${lane.team.id} ${lane.destination}`}>
              <Table.Td>
                <Group gap="xs">
                  {destinationWords(lane.destination)} {lane.is_paused && <StateBadge state="paused" />}
                </Group>
                <Text size="sm" c="dimmed" hiddenFrom="lg">
                  {TEXTS.classes[lane.class]}
                </Text>
              </Table.Td>
              <Table.Td visibleFrom="sm">
                <bdi>{lane.team.name}</bdi>
              </Table.Td>
              <Table.Td visibleFrom="lg">{TEXTS.classes[lane.class]}</Table.Td>
              <Table.Td ta="right">{countOf(lane.ready)}</Table.Td>
              <Table.Td ta="right" visibleFrom="sm">
                {countOf(lane.waiting)}
              </Table.Td>
              <Table.Td ta="right" visibleFrom="lg">
                {countOf(lane.parked)}
              </Table.Td>
              <Table.Td visibleFrom="lg">
                <Time at={lane.next_due_at} />
              </Table.Td>
              <Table.Td ta="right">
                <Button size="xs" variant="default" onClick={() => (lane.is_paused ? onResume : onPause)(partOf(lane))}>
                  {lane.is_paused ? TEXTS.resume : TEXTS.pause}
                </Button>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  )
}

/** What takes mail for all domains is no domain. */
const destinationWords = (destination: string): string => (destination === RELAY ? TEXTS.relay : destination)
const RELAY = 'relay'

/** `Bulk mail of Acme to gmail.com`. */
const partWords = ({ class: kind, team, destination }: Queue['pauses'][number]): string =>
  [
    kind === null ? TEXTS.every.class : TEXTS.mailOf(TEXTS.classes[kind]),
    team === null ? TEXTS.every.team : TEXTS.of(team.name ?? TEXTS.formerTeam),
    destination === null ? TEXTS.every.destination : TEXTS.toDomain(destination === RELAY ? TEXTS.theRelay : destination),
  ].join(' ')

/** What names nothing means everything, which has to be said. */
function partOf({ class: kind, team, destination }: Pick<Queue['pauses'][number], 'class' | 'team' | 'destination'>): Part {
  const part: Part = { ...(kind && { class: kind }), ...(team && { team_id: team.id }), ...(destination !== null && { destination }) }
  return Object.keys(part).length === 0 ? { all: true } : part
}
