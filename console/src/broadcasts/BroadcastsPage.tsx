import { Stack, Text } from '@mantine/core'
import { useQueries } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { answer, api } from '../api/client'
import { keyOf, type ParametersOf, type RowOf, useAllRows, useRows } from '../api/queries'
import { isUntracked, type TrackedDomain, useTracked } from '../domains/tracked'
import { DataList, Dimmed } from '../parts/DataList'
import { type Filter, Filters } from '../parts/Filters'
import { LinkButton } from '../parts/LinkButton'
import { countOf, shareOf } from '../parts/numbers'
import { Page } from '../parts/Page'
import { StateBadge } from '../parts/StateBadge'
import { dateOf, Time } from '../parts/Time'
import { ZonedTime } from '../parts/ZonedTime'
import { useMay } from '../session/me'
import { useFilters } from '../shell/address'
import { BROADCAST_TEXTS as TEXTS } from '../texts/broadcasts'
import { CHART_TEXTS } from '../texts/metrics'

type Broadcast = RowOf<'/broadcasts'>

const STATUSES = ['draft', 'scheduled', 'queued', 'paused', 'sent', 'canceled']

export default function BroadcastsPage() {
  const may = useMay()
  const [filters, setFilters] = useFilters(['status', 'segment_id', 'topic_id', 'start_date', 'end_date'])
  const segments = useAllRows('/segments', { isEnabled: may('segments:read') }).rows
  const topics = useAllRows('/topics', { isEnabled: may('topics:read') }).rows
  const list = useRows('/broadcasts', { query: filters as never })
  const numbers = useNumbers(list.rows)
  const trackedOf = useTracked()
  const names = new Map(segments.map(({ id, name }) => [id, name]))
  const shown: readonly Filter[] = [
    { name: 'status', label: TEXTS.filters.status, kind: 'choice', choices: STATUSES },
    {
      name: 'segment_id',
      label: TEXTS.filters.segment_id,
      kind: 'choice',
      choices: segments.map(({ id, name }) => ({ value: id, label: name })),
    },
    {
      name: 'topic_id',
      label: TEXTS.filters.topic_id,
      kind: 'choice',
      choices: topics.map(({ id, name }) => ({ value: id, label: name })),
    },
    { name: 'start_date', label: TEXTS.filters.start_date, kind: 'date' },
    { name: 'end_date', label: TEXTS.filters.end_date, kind: 'date' },
  ]
  return (
    <Page
      title={TEXTS.title}
      acts={
        may('broadcasts:write') && (
          <LinkButton to="/broadcasts/new" leftSection={<Plus size={16} />}>
            {TEXTS.create}
          </LinkButton>
        )
      }
    >
      <Filters page="broadcasts" filters={shown} values={filters} onChange={setFilters} />
      <DataList
        label={TEXTS.title}
        list={list}
        to={({ id }) => `/broadcasts/${id}`}
        isFiltered={Object.keys(filters).length > 0}
        empty={TEXTS.empty}
        columns={[
          { name: TEXTS.name, cell: ({ name }) => <bdi>{name}</bdi> },
          { name: TEXTS.state, cell: (broadcast) => <State broadcast={broadcast} /> },
          { name: TEXTS.segment, cell: ({ segment_id }) => <Dimmed>{names.get(segment_id) ?? ''}</Dimmed>, isExtra: true },
          { name: TEXTS.recipients, cell: ({ id }) => countText(numbers.get(id)?.received), isNumber: true },
          {
            name: TEXTS.opened,
            cell: ({ id }) => <Share of={numbers.get(id)} part="unique_opened" trackedOf={trackedOf} />,
            isNumber: true,
            isWide: true,
          },
          {
            name: TEXTS.clicked,
            cell: ({ id }) => <Share of={numbers.get(id)} part="unique_clicked" trackedOf={trackedOf} />,
            isNumber: true,
            isExtra: true,
          },
          {
            name: TEXTS.time,
            cell: ({ sent_at }) => sent_at !== null && <Time at={sent_at} />,
          },
        ]}
      />
    </Page>
  )
}

const State = ({ broadcast: { status, scheduled_at, timezone } }: { broadcast: Broadcast }) => (
  <Stack gap={2} align="flex-start">
    <StateBadge state={status} />
    {status === 'scheduled' && scheduled_at !== null && (
      <Text size="sm" c="dimmed">
        <ZonedTime at={scheduled_at} zone={timezone} />
      </Text>
    )}
  </Stack>
)

type Part = 'unique_opened' | 'unique_clicked'
/** `domain_name` is that of the sender. */
type Numbers = { broadcast_id?: string; domain_name?: string; received?: number; delivered?: number } & { [Name in Part]?: number }

const countText = (count: number | undefined): string => (count === undefined || count === 0 ? '–' : countOf(count))

type ShareProps = { of: Numbers | undefined; part: Part; trackedOf: (domain: string) => TrackedDomain }

function Share({ of: numbers, part, trackedOf }: ShareProps) {
  const { domain_name: domain, delivered = 0, [part]: count = 0 } = numbers ?? {}
  if (domain !== undefined && delivered > 0 && isUntracked(part, count, trackedOf(domain).tracked))
    return <Dimmed>{CHART_TEXTS.notTracked}</Dimmed>
  return shareOf(count, delivered)
}

const METRICS: NonNullable<NonNullable<ParametersOf<'/emails/metrics'>['query']>['metrics']> = [
  'received',
  'delivered',
  'unique_opened',
  'unique_clicked',
]

/** The number of rows on a page. */
const ASKED_MAX = 20

/** What became of the broadcasts that are shown, by their ids. */
function useNumbers(broadcasts: readonly Broadcast[]): ReadonlyMap<string, Numbers> {
  const begun = broadcasts.filter(({ status }) => status !== 'draft' && status !== 'scheduled')
  const parts = Array.from({ length: Math.ceil(begun.length / ASKED_MAX) }, (_, index) =>
    begun.slice(index * ASKED_MAX, (index + 1) * ASKED_MAX),
  )
  const results = useQueries({ queries: parts.map(numbersOf) })
  const numbers = new Map<string, Numbers>()
  // One whose sender was changed while it was paused has several domains.
  for (const row of results.flatMap(({ data }) => data ?? []))
    numbers.set(row.broadcast_id ?? '', sumOfBoth(row, numbers.get(row.broadcast_id ?? '')))
  return numbers
}

function sumOfBoth(row: Numbers, { received = 0, delivered = 0, unique_opened = 0, unique_clicked = 0 }: Numbers = {}): Numbers {
  return {
    ...row,
    received: (row.received ?? 0) + received,
    delivered: (row.delivered ?? 0) + delivered,
    unique_opened: (row.unique_opened ?? 0) + unique_opened,
    unique_clicked: (row.unique_clicked ?? 0) + unique_clicked,
  }
}

function numbersOf(broadcasts: readonly Broadcast[]) {
  const ids = broadcasts.map(({ id }) => id)
  const query = {
    dimensions: ['broadcast' as const, 'domain' as const],
    metrics: METRICS,
    broadcast_id: ids,
    // The list is the newest first.
    start_date: dateOf(broadcasts.at(-1)?.created_at ?? '').toISOString(),
  }
  return {
    queryKey: keyOf('/emails/metrics', { query }, 'broadcasts'),
    queryFn: async (): Promise<Numbers[]> => (await answer(api.GET('/emails/metrics', { params: { query } }))).data ?? [],
  }
}
