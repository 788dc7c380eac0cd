import { ScrollArea, Table, Text } from '@mantine/core'
import { type ParametersOf, type RecordOf, useRecord } from '../api/queries'
import { isUntracked, useTracked } from '../domains/tracked'
import { Awaited } from '../parts/Awaited'
import { countOf, periodShareOf } from '../parts/numbers'
import { IN_ONE_LINE } from '../parts/one-line'
import { PageLink } from '../parts/PageLink'
import { CHART_TEXTS, METRIC_TEXTS as TEXTS } from '../texts/metrics'

type Query = NonNullable<ParametersOf<'/emails/metrics'>['query']>
type Row = NonNullable<RecordOf<'/emails/metrics'>['data']>[number]
type Dimension = 'domain' | 'broadcast'

const ROWS_MAX = 50

const RATES = [
  ['delivered', 'sent'],
  ['unique_opened', 'delivered'],
  ['unique_clicked', 'delivered'],
  ['bounced', 'sent'],
  ['complained', 'delivered'],
] as const

/** The numbers by sender, tag or provider, the largest senders first. */
export function Breakdown({ dimension, query }: { dimension: Dimension; query: Query }) {
  // What is tracked is a matter of the domain.
  const dimensions: Query['dimensions'] = dimension === 'broadcast' ? ['broadcast', 'domain'] : ['domain']
  const read = useRecord('/emails/metrics', { query: { ...query, dimensions } })
  const trackedOf = useTracked()
  const { data } = read
  if (!data) return <Awaited read={read} />
  const rows = (data.data ?? [])
    .filter((row) => (row.sent ?? 0) > 0 && (dimension === 'domain' || row.broadcast_id))
    .toSorted((a, b) => (b.sent ?? 0) - (a.sent ?? 0))
  if (rows.length === 0) return <Text c="dimmed">{CHART_TEXTS.nothing}</Text>
  const title = dimension === 'domain' ? TEXTS.byDomain : TEXTS.byBroadcast
  return (
    <ScrollArea type="auto" viewportProps={{ tabIndex: 0, role: 'region', 'aria-label': CHART_TEXTS.numbersOf(title) }}>
      <Table miw={640} aria-label={title}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{dimension === 'domain' ? TEXTS.domain : TEXTS.broadcast}</Table.Th>
            <Table.Th ta="right">{TEXTS.names.sent}</Table.Th>
            {RATES.map(([name]) => (
              <Table.Th key={name} ta="right">
                {TEXTS.names[name]}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.slice(0, ROWS_MAX).map((row) => (
            <Table.Tr key={`${row.broadcast_id} ${row.domain_name}`}>
              <Table.Td>
                <Name row={row} />
              </Table.Td>
              <Table.Td ta="right">{countOf(row.sent ?? 0)}</Table.Td>
              {RATES.map(([part, whole]) => (
                <Table.Td key={part} ta="right" style={IN_ONE_LINE}>
                  {isUntracked(part, row[part] ?? 0, trackedOf(row.domain_name ?? '').tracked)
                    ? CHART_TEXTS.notTracked
                    : periodShareOf(row[part] ?? 0, row[whole] ?? 0)}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </ScrollArea>
  )
}

function Name({ row }: { row: Row }) {
  if (row.broadcast_id) return <PageLink to={`/broadcasts/${row.broadcast_id}`}>{row.broadcast_name ?? row.broadcast_id}</PageLink>
  return row.domain_id ? <PageLink to={`/domains/${row.domain_id}`}>{row.domain_name}</PageLink> : row.domain_name
}
