import { useRecord, useRows } from '../api/queries'
import { instantsOf, spanOf } from '../metrics/spans'
import { Address } from '../parts/Address'
import { DataList, Dimmed } from '../parts/DataList'
import { DownloadButton, pathOf } from '../parts/DownloadButton'
import { type Filter, Filters } from '../parts/Filters'
import { Page } from '../parts/Page'
import { Time } from '../parts/Time'
import { MY_ZONE } from '../parts/zones'
import { useMay } from '../session/me'
import { useFilters } from '../shell/address'
import { EMAIL_TEXTS as TEXTS } from '../texts/emails'
import { EmailState } from './EmailState'

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

const PERIODS = Object.entries(TEXTS.periods).map(([value, label]) => ({ value, label }))

const FILTERS: readonly Filter[] = [
  { name: 'to', label: TEXTS.filters.to, kind: 'text' },
  { name: 'status', label: TEXTS.filters.status, kind: 'choice', choices: STATES },
  { name: 'period', label: TEXTS.filters.period, kind: 'choice', choices: PERIODS },
  { name: 'subject', label: TEXTS.filters.subject, kind: 'text' },
  { name: 'from', label: TEXTS.filters.from, kind: 'text' },
  { name: 'tag', label: TEXTS.filters.tag, kind: 'text' },
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
    'period',
    'broadcast_id',
    'template_id',
    'start_date',
    'end_date',
  ])
  const choices = useRecordChoices(filters)
  const asked = withDays(filters)
  const list = useRows('/emails', { query: asked as never })
  return (
    <Page title={TEXTS.title} acts={<DownloadButton name={TEXTS.csv} path={pathOf('/emails/export', asked)} />}>
      <Filters page="emails" filters={[...FILTERS, ...choices]} values={filters} onChange={setFilters} />
      <DataList
        label={TEXTS.title}
        list={list}
        to={({ id }) => `/emails/${id}`}
        isFiltered={Object.keys(filters).length > 0}
        empty={TEXTS.empty}
        columns={[
          { name: TEXTS.to, cell: ({ to }) => <Recipients to={to} />, share: '26%' },
          { name: TEXTS.state, cell: (email) => <EmailState email={email} /> },
          { name: TEXTS.subject, cell: ({ subject }) => <bdi>{subject || TEXTS.noSubject}</bdi>, share: '38%' },
          { name: TEXTS.from, cell: ({ from }) => <Address of={from} isDimmed />, isWide: true, isExtra: true, share: '20%' },
          { name: TEXTS.created, cell: ({ created_at }) => <Time at={created_at} />, isAside: true },
        ]}
      />
    </Page>
  )
}

/** The last days are counted when the list is read: a link or a view that names them moves with the time. Days that are given go before. */
function withDays({ period, ...filters }: Readonly<Record<string, string | undefined>>): Record<string, string | undefined> {
  if (period !== 'day' && period !== 'week' && period !== 'month') return filters
  return { ...instantsOf(spanOf(period, MY_ZONE, new Date()).now, MY_ZONE), ...filters }
}

/** Broadcasts are offered; a template only where another page has led to its emails. */
function useRecordChoices({ template_id: templateId, broadcast_id: broadcastId }: Readonly<Record<string, string | undefined>>): Filter[] {
  const may = useMay()
  const { data: broadcasts } = useRecord('/broadcasts', { query: { limit: OFFERED_MAX } }, { isEnabled: may('broadcasts:read') })
  const { data: template } = useRecord(
    '/templates/{template_id}',
    { path: { template_id: templateId ?? '' } },
    { isEnabled: templateId !== undefined && may('templates:read') },
  )
  const offered = (broadcasts?.data ?? [])
    .filter(({ id, status }) => status !== 'draft' || id === broadcastId)
    .map(({ id, name }) => ({ value: id, label: name }))
  const isOffered = broadcastId === undefined || offered.some(({ value }) => value === broadcastId)
  const ofTemplate = templateId === undefined ? [] : [{ value: templateId, label: template?.name ?? templateId }]
  return [
    {
      name: 'broadcast_id',
      label: TEXTS.filters.broadcast_id,
      choices: isOffered ? offered : [{ value: broadcastId, label: broadcastId }, ...offered],
    },
    { name: 'template_id', label: TEXTS.filters.template_id, choices: ofTemplate },
  ].flatMap(({ choices, ...filter }): Filter[] => (choices.length === 0 ? [] : [{ ...filter, kind: 'choice', choices }]))
}
const OFFERED_MAX = 100

const Recipients = ({ to }: { to: readonly string[] }) => (
  <>
    <Address of={to[0] ?? ''} /> {to.length > 1 && <Dimmed>{TEXTS.others(to.length - 1)}</Dimmed>}
  </>
)
