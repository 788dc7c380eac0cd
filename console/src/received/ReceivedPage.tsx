import { Badge, Text } from '@mantine/core'
import { useRecord, useRows } from '../api/queries'
import { Mailbox } from '../parts/Address'
import { DataList, Dimmed } from '../parts/DataList'
import { type Filter, Filters } from '../parts/Filters'
import { Page } from '../parts/Page'
import { PageLink } from '../parts/PageLink'
import { Time } from '../parts/Time'
import { useMay } from '../session/me'
import { useFilters } from '../shell/address'
import { RECEIVED_TEXTS as TEXTS } from '../texts/received'

const FILTERS: readonly Filter[] = [
  { name: 'from', label: TEXTS.filters.from, kind: 'text' },
  { name: 'to', label: TEXTS.filters.to, kind: 'text' },
]

/** If there are more domains, the first ones are named. */
const PLACES_MAX = 3

export default function ReceivedPage() {
  const [filters, setFilters] = useFilters(['from', 'to'])
  const list = useRows('/emails/receiving', { query: filters as never })
  const may = useMay()
  const { data: team } = useRecord('/team', {}, { isEnabled: may('team:read') })
  const places = team?.receiving_domains ?? []
  return (
    <Page title={TEXTS.title}>
      {places.length > 0 && (
        <Text c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          {TEXTS.places(
            places
              .slice(0, PLACES_MAX)
              .map((name) => `@${name}`)
              .join(', '),
            places.length - PLACES_MAX,
          )}
        </Text>
      )}
      <Filters page="received" filters={FILTERS} values={filters} onChange={setFilters} />
      <DataList
        label={TEXTS.title}
        list={list}
        to={({ id }) => `/received/${id}`}
        isFiltered={Object.keys(filters).length > 0}
        empty={
          <Text>
            {TEXTS.empty} <PageLink to="/domains">{TEXTS.toDomains}</PageLink>
          </Text>
        }
        columns={[
          { name: TEXTS.subject, cell: ({ subject }) => <bdi>{subject || TEXTS.noSubject}</bdi>, share: '34%' },
          { name: TEXTS.from, cell: ({ from }) => (from ? <Mailbox of={from} /> : TEXTS.noSender), share: '34%' },
          { name: TEXTS.deliveredTo, cell: ({ received_for: all }) => <Dimmed>{all.join(', ')}</Dimmed>, isWide: true, share: '22%' },
          {
            name: TEXTS.files,
            cell: ({ attachments, problem }) => (
              <>
                {attachments.length > 0 && <Dimmed>{attachments.length}</Dimmed>}{' '}
                {problem !== null && (
                  <Badge color="orange" variant="light" title={problem}>
                    {TEXTS.incomplete}
                  </Badge>
                )}
              </>
            ),
            isWide: true,
          },
          { name: TEXTS.received, cell: ({ created_at }) => <Time at={created_at} />, isAside: true },
        ]}
      />
    </Page>
  )
}
