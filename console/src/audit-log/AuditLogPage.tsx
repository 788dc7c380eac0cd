import { useRows } from '../api/queries'
import { BreakAfterAt } from '../parts/Address'
import { DataList, Dimmed } from '../parts/DataList'
import { DownloadButton } from '../parts/DownloadButton'
import { type Filter, Filters } from '../parts/Filters'
import { Page } from '../parts/Page'
import { Time } from '../parts/Time'
import { useFilters } from '../shell/address'
import { ACT_WORDS } from '../texts/audit-acts'
import { AUDIT_TEXTS as TEXTS } from '../texts/audit-log'
import { actWords, recordWords } from './words'

const FILTERS: readonly Filter[] = [
  {
    name: 'actor_type',
    label: TEXTS.filters.actor_type,
    kind: 'choice',
    choices: Object.entries(TEXTS.actors).map(([value, label]) => ({ value, label })),
  },
  {
    name: 'action',
    label: TEXTS.filters.action,
    kind: 'choice',
    choices: Object.entries(ACT_WORDS).map(([value, label]) => ({ value, label, hint: value })),
  },
  { name: 'target_id', label: TEXTS.filters.target_id, kind: 'text' },
  { name: 'start_date', label: TEXTS.filters.start_date, kind: 'date' },
  { name: 'end_date', label: TEXTS.filters.end_date, kind: 'date' },
]

export default function AuditLogPage() {
  const [filters, setFilters] = useFilters(['actor_type', 'actor_id', 'action', 'target_id', 'start_date', 'end_date'])
  const list = useRows('/audit-log', { query: filters as never })
  return (
    <Page
      title={TEXTS.title}
      acts={
        <>
          <DownloadButton name={TEXTS.exportCsv} path={exportPath(filters, 'csv')} />
          <DownloadButton name={TEXTS.exportLines} path={exportPath(filters, 'jsonl')} />
        </>
      }
    >
      <Filters page="audit-log" filters={FILTERS} values={filters} onChange={setFilters} />
      <DataList
        label={TEXTS.title}
        list={list}
        to={({ id }) => `/audit-log/${id}`}
        isFiltered={Object.keys(filters).length > 0}
        empty={TEXTS.empty}
        columns={[
          { name: TEXTS.what, cell: ({ action }) => <span title={action}>{actWords(action)}</span> },
          {
            name: TEXTS.who,
            cell: ({ actor: { type, name } }) => (
              <bdi>
                <BreakAfterAt text={name ?? TEXTS.actors[type]} />
              </bdi>
            ),
          },
          { name: TEXTS.target, cell: ({ target }) => <Dimmed>{target && recordWords(target.type)}</Dimmed>, isWide: true },
          { name: TEXTS.from, cell: ({ actor }) => <Dimmed>{actor.ip_address}</Dimmed>, isWide: true, isExtra: true },
          { name: TEXTS.when, cell: ({ created_at }) => <Time at={created_at} />, isAside: true },
        ]}
      />
    </Page>
  )
}

/** What is shown is exported, all of it. */
const exportPath = (filters: Partial<Record<string, string>>, format: 'csv' | 'jsonl'): string =>
  `/audit-log?${new URLSearchParams({ ...(filters as Record<string, string>), format })}`
