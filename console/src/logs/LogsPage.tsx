import { Text } from '@mantine/core'
import { useRecord, useRows } from '../api/queries'
import { DataList, Dimmed } from '../parts/DataList'
import { type Filter, Filters } from '../parts/Filters'
import { Page } from '../parts/Page'
import { Time } from '../parts/Time'
import { useMay } from '../session/me'
import { useFilters } from '../shell/address'
import { LOG_TEXTS as TEXTS } from '../texts/logs'
import { useCallerName } from './LogCaller'
import { LogMetrics } from './LogMetrics'
import { LogStatus } from './LogStatus'
import { ID } from './related'

const METHODS = ['GET', 'POST', 'PATCH', 'DELETE', 'SMTP'].map((value) => ({ value, label: value }))
const STATUSES = [
  ...Object.entries(TEXTS.statuses).map(([value, label]) => ({ value, label })),
  ...['401', '403', '404', '409', '422', '429', '500', '503'].map((value) => ({ value, label: value })),
]

export default function LogsPage() {
  const may = useMay()
  const [filters, setFilters] = useFilters(['path', 'method', 'status', 'api_key_id', 'start_date', 'end_date'])
  const list = useRows('/logs', { query: filters as never })
  const { data: keys } = useRecord('/api-keys', {}, { isEnabled: may('api-keys:read') })
  const callerName = useCallerName()
  const shown: Filter[] = [
    { name: 'path', label: TEXTS.filters.path, kind: 'text' },
    { name: 'method', label: TEXTS.filters.method, kind: 'choice', choices: METHODS },
    { name: 'status', label: TEXTS.filters.status, kind: 'choice', choices: STATUSES },
    {
      name: 'api_key_id',
      label: TEXTS.filters.api_key_id,
      kind: 'choice',
      choices: (keys?.data ?? []).map(({ id, name }) => ({ value: id, label: name || id })),
    },
    { name: 'start_date', label: TEXTS.filters.start_date, kind: 'date' },
    { name: 'end_date', label: TEXTS.filters.end_date, kind: 'date' },
  ]
  return (
    <Page title={TEXTS.title}>
      <LogMetrics />
      <Filters page="logs" filters={shown} values={filters} onChange={setFilters} />
      <DataList
        label={TEXTS.title}
        list={list}
        to={({ id }) => `/logs/${id}`}
        isFiltered={Object.keys(filters).length > 0}
        empty={TEXTS.empty}
        columns={[
          {
            name: TEXTS.request,
            cell: ({ method, endpoint }) => (
              <Text span size="sm" ff="monospace" title={endpoint}>
                {method} <bdi>{withShortIds(endpoint)}</bdi>
              </Text>
            ),
          },
          { name: TEXTS.status, cell: ({ response_status }) => <LogStatus status={response_status} /> },
          { name: TEXTS.caller, cell: (log) => <Dimmed>{callerName(log)}</Dimmed>, isWide: true, share: '26%' },
          { name: TEXTS.program, cell: ({ user_agent }) => <Dimmed>{user_agent}</Dimmed>, isWide: true, isExtra: true, share: '26%' },
          { name: TEXTS.time, cell: ({ created_at }) => <Time at={created_at} />, isAside: true },
        ]}
      />
    </Page>
  )
}

/** All ids begin alike and are long: what tells them apart is their end, and what follows them. */
const withShortIds = (path: string): string =>
  path
    .split('/')
    .map((part) => (ID.test(part) ? `…${part.slice(-SHOWN_OF_ID)}` : part))
    .join('/')
const SHOWN_OF_ID = 8
