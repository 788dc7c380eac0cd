import { Alert, ScrollArea, Stack, Table, Text } from '@mantine/core'
import { lazy, Suspense } from 'react'
import { type RecordOf, useRecord } from '../api/queries'
import { isUntracked, type Tracked } from '../domains/tracked'
import { Awaited } from '../parts/Awaited'
import { LoadingMark } from '../parts/Loading'
import { countOf, shareOf } from '../parts/numbers'
import { IN_ONE_LINE } from '../parts/one-line'
import { CHART_TEXTS, METRIC_TEXTS as TEXTS } from '../texts/metrics'
import { COMPLAINT_MARKS, percent } from './marks'

const NumbersChart = lazy(() => import('../parts/NumbersChart'))

type Breakdown = RecordOf<'/emails/metrics/breakdown'>
type Row = Breakdown['data'][number]
type Range = { start_date?: string; end_date?: string; broadcast_id?: string }

/** Bars beside each other stay readable. */
const BARS_MAX = 10
const RATES = [
  ['delivered', 'sent', 'delivered'],
  ['opened', 'delivered', 'unique_opened'],
  ['clicked', 'delivered', 'unique_clicked'],
  ['bounced', 'sent', 'bounced'],
  ['complained', 'delivered', 'complained'],
] as const

type GroupBreakdownProps = { by: 'provider' | 'tag'; range: Range; title: string; hasChart?: boolean; tracked: Tracked | null }

/** What became of the newest emails, by the provider of the mailbox or by tags, with complaints against what providers allow. */
export function GroupBreakdown({ by, range, title, hasChart = true, tracked }: GroupBreakdownProps) {
  const read = useRecord('/emails/metrics/breakdown', { query: { by, ...range } })
  const { data } = read
  if (!data) return <Awaited read={read} />
  if (data.data.length === 0) return <Text c="dimmed">{by === 'tag' ? TEXTS.noTags : CHART_TEXTS.nothing}</Text>
  return (
    <Stack gap="sm">
      {!data.is_complete && <Alert color="gray">{TEXTS.newestOnly(countOf(data.emails))}</Alert>}
      {hasChart && data.data.some(({ complained }) => complained > 0) && (
        <Suspense fallback={<LoadingMark />}>
          <NumbersChart
            title={TEXTS.complaintsBy(title)}
            period={TEXTS.groups[by]}
            kind="bars"
            series={[{ name: 'complained', label: TEXTS.rates, color: 'red.6' }]}
            points={data.data.slice(0, BARS_MAX).map((row) => ({ at: nameOf(row), whole: nameOf(row), complained: complaintRate(row) }))}
            format={percent}
            marks={COMPLAINT_MARKS}
          />
        </Suspense>
      )}
      <ScrollArea type="auto" viewportProps={{ tabIndex: 0, role: 'region', 'aria-label': CHART_TEXTS.numbersOf(title) }}>
        <Table miw={640} aria-label={title}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{TEXTS.groups[by]}</Table.Th>
              <Table.Th ta="right">{TEXTS.names.sent}</Table.Th>
              {RATES.map(([part, , name]) => (
                <Table.Th key={part} ta="right">
                  {TEXTS.names[name]}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {data.data.map((row) => (
              <Table.Tr key={`${row.name}=${row.value}`}>
                <Table.Td>
                  <bdi>{nameOf(row)}</bdi>
                </Table.Td>
                <Table.Td ta="right">{countOf(row.sent)}</Table.Td>
                {RATES.map(([part, whole]) => (
                  <Table.Td key={part} ta="right" style={IN_ONE_LINE}>
                    {isUntracked(part, row[part], tracked) ? CHART_TEXTS.notTracked : shareOf(row[part], row[whole])}
                  </Table.Td>
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </ScrollArea>
    </Stack>
  )
}

/** Finer than the rates of the answer, whose marks are tenths of a percent. */
const complaintRate = ({ complained, delivered }: Row): number => (delivered === 0 ? 0 : (complained / delivered) * 100)

/** A provider, or `name: value`. */
const nameOf = ({ name, value }: Row): string =>
  value === null ? (TEXTS.providers[name as keyof typeof TEXTS.providers] ?? name) : `${name}: ${value}`
