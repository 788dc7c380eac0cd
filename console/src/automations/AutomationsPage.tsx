import { Group } from '@mantine/core'
import { useRows } from '../api/queries'
import { DataList } from '../parts/DataList'
import { type Filter, Filters } from '../parts/Filters'
import { LinkButton } from '../parts/LinkButton'
import { Page } from '../parts/Page'
import { StateBadge } from '../parts/StateBadge'
import { Time } from '../parts/Time'
import { useMay } from '../session/me'
import { useFilters } from '../shell/address'
import { EDITOR_TEXTS } from '../texts/automation-editor'
import { AUTOMATION_TEXTS as TEXTS } from '../texts/automations'
import { NeedsAttention } from './NeedsAttention'

const FILTERS: readonly Filter[] = [{ name: 'status', label: TEXTS.state, kind: 'choice', choices: ['enabled', 'disabled'] }]

export default function AutomationsPage() {
  const [filters, setFilters] = useFilters(['status'])
  const may = useMay()
  const list = useRows('/automations', { query: filters as never })
  return (
    <Page title={TEXTS.title} acts={may('automations:write') && <LinkButton to="/automations/new">{EDITOR_TEXTS.create}</LinkButton>}>
      <Filters filters={FILTERS} values={filters} onChange={setFilters} />
      <DataList
        label={TEXTS.title}
        list={list}
        to={({ id }) => `/automations/${id}`}
        isFiltered={filters.status !== undefined}
        empty={TEXTS.empty}
        columns={[
          { name: TEXTS.name, cell: ({ name }) => <bdi>{name}</bdi> },
          {
            name: TEXTS.state,
            cell: (automation) => (
              <Group gap={4}>
                <StateBadge state={automation.status} />
                <NeedsAttention automation={automation} />
              </Group>
            ),
          },
          { name: TEXTS.changed, cell: ({ updated_at }) => <Time at={updated_at} />, isWide: true },
          { name: TEXTS.created, cell: ({ created_at }) => <Time at={created_at} />, isWide: true },
        ]}
      />
    </Page>
  )
}
