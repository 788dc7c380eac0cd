import { Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useRows } from '../api/queries'
import { DataList } from '../parts/DataList'
import { Filters } from '../parts/Filters'
import { countOf } from '../parts/numbers'
import { Page } from '../parts/Page'
import { StateBadge } from '../parts/StateBadge'
import { Time } from '../parts/Time'
import { useMay } from '../session/me'
import { useFilters } from '../shell/address'
import { IMPORT_TEXTS as TEXTS } from '../texts/imports'

const STATES = Object.entries(TEXTS.states).map(([value, label]) => ({ value, label }))

export default function ImportsPage() {
  const may = useMay()
  const [filters, setFilters] = useFilters(['status'])
  const list = useRows('/contacts/imports', { query: filters as never })
  return (
    <Page
      title={TEXTS.title}
      acts={
        may('contact-imports:write') && (
          <Button component={Link} to={'/imports/new' as never}>
            {TEXTS.start}
          </Button>
        )
      }
    >
      <Filters filters={[{ name: 'status', label: TEXTS.state, kind: 'choice', choices: STATES }]} values={filters} onChange={setFilters} />
      <DataList
        label={TEXTS.title}
        list={list}
        to={({ id }) => `/imports/${id}`}
        isFiltered={Object.keys(filters).length > 0}
        empty={TEXTS.empty}
        columns={[
          { name: TEXTS.fileName, cell: ({ file_name }) => <bdi>{file_name ?? TEXTS.noName}</bdi> },
          { name: TEXTS.started, cell: ({ created_at }) => <Time at={created_at} /> },
          { name: TEXTS.state, cell: ({ status }) => <StateBadge state={status} words={TEXTS.states[status]} /> },
          { name: TEXTS.counts.total, cell: ({ counts }) => countOf(counts.total), isNumber: true },
          { name: TEXTS.counts.created, cell: ({ counts }) => countOf(counts.created), isNumber: true, isWide: true },
          { name: TEXTS.counts.updated, cell: ({ counts }) => countOf(counts.updated), isNumber: true, isWide: true },
          { name: TEXTS.counts.failed, cell: ({ counts }) => countOf(counts.failed), isNumber: true },
        ]}
      />
    </Page>
  )
}
