import { Alert, Badge, Text } from '@mantine/core'
import { useState } from 'react'
import { useAct } from '../api/acts'
import { answer, api } from '../api/client'
import { type RowOf, useRows } from '../api/queries'
import { ConfirmButton } from '../parts/ConfirmButton'
import { DataList } from '../parts/DataList'
import { type Filter, Filters } from '../parts/Filters'
import { Page } from '../parts/Page'
import { PageLink } from '../parts/PageLink'
import { Time } from '../parts/Time'
import { useMay } from '../session/me'
import { useFilters } from '../shell/address'
import { SUPPRESSION_TEXTS as TEXTS } from '../texts/suppressions'
import { AddSuppressions } from './AddSuppressions'

type Origin = RowOf<'/suppressions'>['origin']

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
  const [chosen, choose] = useState<ReadonlySet<string>>(new Set())
  return (
    <Page title={TEXTS.title} acts={may('suppressions:write') && <AddSuppressions />}>
      <Text c="dimmed" maw={760}>
        {TEXTS.what}
      </Text>
      <Filters page="suppressions" filters={FILTERS} values={filters} onChange={setFilters} />
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
          selection: { chosen, choose, acts: <RemoveChosen chosen={chosen} onDone={() => choose(new Set())} rows={list.rows} /> },
        })}
      />
    </Page>
  )
}

export const OriginBadge = ({ origin }: { origin: Origin }) => (
  <Badge variant="light" color={TEXTS.colors[origin]}>
    {TEXTS.origins[origin]}
  </Badge>
)

/** The API takes so many at a time. */
const AT_ONCE = 100

function RemoveChosen({
  chosen,
  rows,
  onDone,
}: {
  chosen: ReadonlySet<string>
  rows: readonly RowOf<'/suppressions'>[]
  onDone: () => void
}) {
  const remove = useAct({
    run: async () => {
      const ids = [...chosen]
      let removed = 0
      for (let at = 0; at < ids.length; at += AT_ONCE) {
        const { data } = await answer(api.POST('/suppressions/batch/remove', { body: { ids: ids.slice(at, at + AT_ONCE) } }))
        removed += data.length
      }
      return removed
    },
    done: TEXTS.removed,
    changes: ['suppressions'],
    onDone,
  })
  const isReported = rows.some(({ id, origin }) => origin === 'complaint' && chosen.has(id))
  return (
    <ConfirmButton
      name={TEXTS.removeMany(chosen.size)}
      act={TEXTS.remove}
      question={
        <>
          {TEXTS.removeManyQuestion}
          {isReported && (
            <Alert color="orange" mt="sm">
              {TEXTS.removeReported}
            </Alert>
          )}
        </>
      }
      onConfirm={() => remove.mutate()}
      isBusy={remove.isPending}
    />
  )
}
