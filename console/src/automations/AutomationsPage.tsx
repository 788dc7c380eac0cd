import { useRows } from '../api/queries'
import { DataList } from '../parts/DataList'
import { type Filter, Filters } from '../parts/Filters'
import { Page } from '../parts/Page'
import { StateBadge } from '../parts/StateBadge'
import { Time } from '../parts/Time'
import { useFilters } from '../shell/address'
import { AUTOMATION_TEXTS as TEXTS } from '../texts/automations'

const FILTERS: readonly Filter[] = [{ name: 'status', label: TEXTS.state, kind: 'choice', choices: ['enabled', 'disabled'] }]

export default function AutomationsPage() {
  const [filters, setFilters] = useFilters(['status'])
  const list = useRows('/automations', { query: filters as never })
  return (
    <Page title={TEXTS.title}>
      <Filters filters={FILTERS} values={filters} onChange={setFilters} />
      <DataList
        label={TEXTS.title}
        list={list}
        to={({ id }) => `/automations/${id}`}
        isFiltered={filters.status !== undefined}
        empty={TEXTS.empty}
        columns={[
          { name: TEXTS.name, cell: ({ name }) => <bdi>{name}</bdi> },
          { name: TEXTS.state, cell: ({ status }) => <StateBadge state={status} /> },
          { name: TEXTS.changed, cell: ({ updated_at }) => <Time at={updated_at} />, isWide: true },
          { name: TEXTS.created, cell: ({ created_at }) => <Time at={created_at} />, isWide: true },
        ]}
      />
    </Page>
  )
}
