import { useRows } from '../api/queries'
import { DataList, Dimmed } from '../parts/DataList'
import { type Filter, Filters } from '../parts/Filters'
import { Page } from '../parts/Page'
import { StateBadge } from '../parts/StateBadge'
import { Time } from '../parts/Time'
import { useFilters } from '../shell/address'
import { EMAIL_TEXTS as TEXTS } from '../texts/emails'

const STATES = [
  'queued',
  'scheduled',
  'sent',
  'delivery_delayed',
  'delivered',
  'opened',
  'clicked',
  'bounced',
  'complained',
  'suppressed',
  'failed',
  'canceled',
]

const FILTERS: readonly Filter[] = [
  { name: 'to', label: TEXTS.filters.to, kind: 'text' },
  { name: 'status', label: TEXTS.filters.status, kind: 'choice', choices: STATES },
  { name: 'subject', label: TEXTS.filters.subject, kind: 'text' },
  { name: 'from', label: TEXTS.filters.from, kind: 'text' },
  { name: 'start_date', label: TEXTS.filters.start_date, kind: 'date' },
  { name: 'end_date', label: TEXTS.filters.end_date, kind: 'date' },
]

export default function EmailsPage() {
  const [filters, setFilters] = useFilters([
    'to',
    'status',
    'subject',
    'from',
    'tag',
    'broadcast_id',
    'template_id',
    'start_date',
    'end_date',
  ])
  const list = useRows('/emails', { query: filters as never })
  return (
    <Page title={TEXTS.title}>
      <Filters filters={FILTERS} values={filters} onChange={setFilters} />
      <DataList
        label={TEXTS.title}
        list={list}
        to={({ id }) => `/emails/${id}`}
        isFiltered={Object.keys(filters).length > 0}
        empty={TEXTS.empty}
        columns={[
          { name: TEXTS.to, cell: ({ to }) => <Recipients to={to} /> },
          { name: TEXTS.state, cell: ({ last_event }) => <StateBadge state={last_event ?? 'queued'} /> },
          { name: TEXTS.subject, cell: ({ subject }) => <bdi>{subject || TEXTS.noSubject}</bdi> },
          { name: TEXTS.from, cell: ({ from }) => <Dimmed>{from}</Dimmed>, isWide: true },
          { name: TEXTS.created, cell: ({ created_at, scheduled_at }) => <Time at={scheduled_at ?? created_at} />, isWide: true },
        ]}
      />
    </Page>
  )
}

const Recipients = ({ to }: { to: readonly string[] }) => (
  <>
    {to[0]} {to.length > 1 && <Dimmed>{TEXTS.others(to.length - 1)}</Dimmed>}
  </>
)
