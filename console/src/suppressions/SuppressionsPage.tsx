import { Badge, Text } from '@mantine/core'
import { useState } from 'react'
import { type RowOf, type Rows, useRows } from '../api/queries'
import { DataList } from '../parts/DataList'
import { type Filter, Filters } from '../parts/Filters'
import { Page } from '../parts/Page'
import { PageLink } from '../parts/PageLink'
import { Time } from '../parts/Time'
import { useMay } from '../session/me'
import { useFilters } from '../shell/address'
import { SUPPRESSION_TEXTS as TEXTS } from '../texts/suppressions'
import { AddSuppressions } from './AddSuppressions'
import { RemoveSuppressions } from './RemoveSuppressions'

type Suppression = RowOf<'/suppressions'>
type Origin = Suppression['origin']

const FILTERS: readonly Filter[] = [
  { name: 'search', label: TEXTS.filters.search, kind: 'text' },
  {
    name: 'origin',
    label: TEXTS.filters.origin,
    kind: 'choice',
    choices: (['bounce', 'complaint', 'manual'] as const).map((value) => ({ value, label: TEXTS.origins[value] })),
  },
]

export default function SuppressionsPage() {
  const may = useMay()
  const [filters, setFilters] = useFilters(['search', 'origin'])
  const list = useRows('/suppressions', { query: filters as never })
  return (
    <Page title={TEXTS.title} acts={may('suppressions:write') && <AddSuppressions />}>
      <Text c="dimmed" maw={760}>
        {TEXTS.what}
      </Text>
      <Filters page="suppressions" filters={FILTERS} values={filters} onChange={setFilters} />
      {/* What is chosen is chosen of what these filters find. */}
      <SuppressionList key={JSON.stringify(filters)} list={list} filters={filters} />
    </Page>
  )
}

function SuppressionList({ list, filters }: { list: Rows<Suppression>; filters: { search?: string; origin?: string } }) {
  const may = useMay()
  const [chosen, choose] = useState<ReadonlySet<string>>(new Set())
  return (
    <DataList
      label={TEXTS.title}
      list={list}
      to={({ id }) => `/suppressions/${id}`}
      empty={TEXTS.empty}
      isFiltered={Object.keys(filters).length > 0}
      columns={[
        { name: TEXTS.address, cell: ({ email }) => <bdi>{email}</bdi> },
        { name: TEXTS.origin, cell: ({ origin }) => <OriginBadge origin={origin} /> },
        { name: TEXTS.since, cell: ({ created_at }) => <Time at={created_at} />, isAside: true },
        {
          name: TEXTS.email,
          cell: ({ source_id: id }) => id && may('emails:read') && <PageLink to={`/emails/${id}`}>{TEXTS.theEmail}</PageLink>,
          isWide: true,
        },
      ]}
      {...(may('suppressions:delete') && {
        selection: {
          chosen,
          choose,
          acts: (
            <RemoveSuppressions
              chosen={chosen}
              onDone={() => choose(new Set())}
              rows={list.rows}
              hasMore={list.hasMore}
              filters={filters}
            />
          ),
        },
      })}
    />
  )
}

export const OriginBadge = ({ origin }: { origin: Origin }) => (
  <Badge variant="light" color={TEXTS.colors[origin]}>
    {TEXTS.origins[origin]}
  </Badge>
)
