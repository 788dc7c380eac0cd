import { Group } from '@mantine/core'
import { Plus } from 'lucide-react'
import { useRecord, useRows } from '../api/queries'
import { DataList } from '../parts/DataList'
import { type Filter, Filters } from '../parts/Filters'
import { LinkButton } from '../parts/LinkButton'
import { countOf } from '../parts/numbers'
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
    <Page
      title={TEXTS.title}
      acts={
        may('automations:write') && (
          <LinkButton to="/automations/new" leftSection={<Plus size={16} />}>
            {EDITOR_TEXTS.create}
          </LinkButton>
        )
      }
    >
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
          { name: TEXTS.running, cell: ({ id }) => <RunCount of={id} status="running" />, isNumber: true },
          { name: TEXTS.failedLately, cell: ({ id }) => <RunCount of={id} status="failed" />, isNumber: true, isWide: true },
          { name: TEXTS.changed, cell: ({ updated_at }) => <Time at={updated_at} />, isWide: true },
          { name: TEXTS.created, cell: ({ created_at }) => <Time at={created_at} />, isWide: true },
        ]}
      />
    </Page>
  )
}

/** A page has at most twenty, so each is asked for its own. */
function RunCount({ of: id, status }: { of: string; status: 'running' | 'failed' }) {
  const { data: metrics } = useRecord('/automations/{automation_id}/metrics', { path: { automation_id: id } })
  if (!metrics) return null
  const count = metrics.runs[status]
  return count > RUNS_COUNTED_MAX ? TEXTS.moreThan(countOf(RUNS_COUNTED_MAX)) : countOf(count)
}
/** Above that, runs that have not ended are no longer counted. */
const RUNS_COUNTED_MAX = 10_000
