import { Stack, Text } from '@mantine/core'
import { useQueries } from '@tanstack/react-query'
import { answer, api, chosenTeam } from '../api/client'
import { type ParametersOf, type RowOf, useRecord, useRows } from '../api/queries'
import { DataList, Dimmed } from '../parts/DataList'
import { type Filter, Filters } from '../parts/Filters'
import { LinkButton } from '../parts/LinkButton'
import { countOf, shareOf } from '../parts/numbers'
import { Page } from '../parts/Page'
import { StateBadge } from '../parts/StateBadge'
import { dateOf, Time } from '../parts/Time'
import { useMay } from '../session/me'
import { useFilters } from '../shell/address'
import { BROADCAST_TEXTS as TEXTS } from '../texts/broadcasts'

type Broadcast = RowOf<'/broadcasts'>

const STATUSES = ['draft', 'scheduled', 'queued', 'paused', 'sent', 'canceled']

export default function BroadcastsPage() {
  const may = useMay()
  const [filters, setFilters] = useFilters(['status', 'segment_id', 'topic_id', 'start_date', 'end_date'])
  const { data: segments } = useRecord('/segments', undefined, { isEnabled: may('segments:read') })
  const { data: topics } = useRecord('/topics', undefined, { isEnabled: may('topics:read') })
  const list = useRows('/broadcasts', { query: filters as never })
  const numbers = useNumbers(list.rows)
  const names = new Map(segments?.data.map(({ id, name }) => [id, name]))
  const shown: readonly Filter[] = [
    { name: 'status', label: TEXTS.filters.status, kind: 'choice', choices: STATUSES },
    {
      name: 'segment_id',
      label: TEXTS.filters.segment_id,
      kind: 'choice',
      choices: segments?.data.map(({ id, name }) => ({ value: id, label: name })) ?? [],
    },
    {
      name: 'topic_id',
      label: TEXTS.filters.topic_id,
      kind: 'choice',
      choices: topics?.data.map(({ id, name }) => ({ value: id, label: name })) ?? [],
    },
    { name: 'start_date', label: TEXTS.filters.start_date, kind: 'date' },
    { name: 'end_date', label: TEXTS.filters.end_date, kind: 'date' },
  ]
  return (
    <Page title={TEXTS.title} acts={may('broadcasts:write') && <LinkButton to="/broadcasts/new">{TEXTS.create}</LinkButton>}>
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
          { name: TEXTS.segment, cell: ({ segment_id }) => <Dimmed>{names.get(segment_id) ?? ''}</Dimmed>, isWide: true },
          { name: TEXTS.recipients, cell: ({ id }) => countText(numbers.get(id)?.received), isNumber: true },
          { name: TEXTS.opened, cell: ({ id }) => share(numbers.get(id), 'unique_opened'), isNumber: true, isWide: true },
          { name: TEXTS.clicked, cell: ({ id }) => share(numbers.get(id), 'unique_clicked'), isNumber: true, isWide: true },
          {
            name: TEXTS.time,
            cell: ({ sent_at }) => (sent_at === null ? <Dimmed>–</Dimmed> : <Time at={sent_at} />),
            isWide: true,
          },
        ]}
      />
    </Page>
  )
}

const State = ({ broadcast: { status, scheduled_at } }: { broadcast: Broadcast }) => (
  <Stack gap={2} align="flex-start">
    <StateBadge state={status} />
    {status === 'scheduled' && scheduled_at !== null && (
      <Text size="sm" c="dimmed">
        <Time at={scheduled_at} />
      </Text>
    )}
  </Stack>
)

type Numbers = { broadcast_id?: string; received?: number; delivered?: number; unique_opened?: number; unique_clicked?: number }

const countText = (count: number | undefined): string => (count === undefined || count === 0 ? '–' : countOf(count))

const share = (numbers: Numbers | undefined, part: 'unique_opened' | 'unique_clicked'): string =>
  shareOf(numbers?.[part] ?? 0, numbers?.delivered ?? 0)

const METRICS: NonNullable<NonNullable<ParametersOf<'/emails/metrics'>['query']>['metrics']> = [
  'received',
  'delivered',
  'unique_opened',
  'unique_clicked',
]

/** As many as a page has. */
const ASKED_MAX = 20

/** What became of the broadcasts that are shown, by their ids. */
function useNumbers(broadcasts: readonly Broadcast[]): ReadonlyMap<string, Numbers> {
  const begun = broadcasts.filter(({ status }) => status !== 'draft' && status !== 'scheduled')
  const parts = Array.from({ length: Math.ceil(begun.length / ASKED_MAX) }, (_, index) =>
    begun.slice(index * ASKED_MAX, (index + 1) * ASKED_MAX),
  )
  const results = useQueries({ queries: parts.map(numbersOf) })
  return new Map(results.flatMap(({ data }) => data ?? []).map((row) => [row.broadcast_id ?? '', row]))
}

function numbersOf(broadcasts: readonly Broadcast[]) {
  const ids = broadcasts.map(({ id }) => id)
  const query = {
    dimensions: ['broadcast' as const],
    metrics: METRICS,
    broadcast_id: ids,
    // The list is the newest first.
    start_date: dateOf(broadcasts.at(-1)?.created_at ?? '').toISOString(),
  }
  return {
    queryKey: ['broadcasts', '/emails/metrics', query, chosenTeam()],
    queryFn: async (): Promise<Numbers[]> => (await answer(api.GET('/emails/metrics', { params: { query } }))).data ?? [],
  }
}
