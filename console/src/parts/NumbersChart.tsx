import { BarChart, LineChart } from '@mantine/charts'
import { Box, Button, Group, ScrollArea, Stack, Table, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { Table2 } from 'lucide-react'
import { CHART_TEXTS as TEXTS } from '../texts/metrics'

export type Series = { name: string; label: string; color: string }
/** `at` names the period, in short on the axis and whole in the table. */
export type Point = { at: string; whole: string } & Record<string, number | string>

type NumbersChartProps = {
  title: string
  points: readonly Point[]
  series: readonly Series[]
  /** What the periods are: "Day", "Hour". */
  period: string
  kind?: 'lines' | 'bars'
  format?: (value: number) => string
  /** Lines that one should stay below. */
  marks?: readonly { value: number; label: string; color: string }[]
}

const HEIGHT = 230
const plain = (value: number): string => value.toLocaleString('en')

/** A chart, with its numbers as a table below it for those who want them. It is large: load the component that uses it lazily. */
export default function NumbersChart({ title, points, series, period, kind = 'lines', format = plain, marks = [] }: NumbersChartProps) {
  const [areShown, numbers] = useDisclosure()
  const shared = {
    h: HEIGHT,
    data: points as Point[],
    dataKey: 'at',
    series: series.map(({ name, label, color }) => ({ name, label, color })),
    valueFormatter: format,
    withLegend: series.length > 1,
    legendProps: { verticalAlign: 'bottom' as const, itemSorter: null },
    referenceLines: marks.map(({ value, label, color }) => ({ y: value, label, color, labelPosition: 'insideBottomRight' as const })),
    yAxisProps: {
      allowDecimals: format !== plain,
      width: AXIS_WIDTH,
      ...(marks.length > 0 && { domain: [0, topOf(points, series, marks)] }),
    },
    xAxisProps: { minTickGap: TICK_GAP },
  }
  return (
    <Stack gap="xs">
      <Box role="img" aria-label={`${title}: ${summaryOf(points, series, format)}`}>
        {kind === 'bars' ? (
          <BarChart {...shared} type="default" barProps={{ ...STILL, maxBarSize: BAR_WIDTH_MAX }} />
        ) : (
          <LineChart {...shared} curveType="monotone" withDots={points.length < DOTS_MAX} strokeWidth={2} lineProps={STILL} />
        )}
      </Box>
      <Group justify="flex-end">
        <Button
          variant="subtle"
          color="gray"
          size="compact-xs"
          leftSection={<Table2 size={14} />}
          onClick={numbers.toggle}
          aria-expanded={areShown}
          aria-label={areShown ? TEXTS.hideNumbersOf(title) : TEXTS.showNumbersOf(title)}
        >
          {areShown ? TEXTS.hideNumbers : TEXTS.showNumbers}
        </Button>
      </Group>
      {areShown && (
        <ScrollArea.Autosize mah={HEIGHT} type="auto" viewportProps={{ tabIndex: 0, role: 'region', 'aria-label': TEXTS.numbersOf(title) }}>
          <Table verticalSpacing={4} fz="sm" stickyHeader>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{period}</Table.Th>
                {series.map(({ name, label }) => (
                  <Table.Th key={name} ta="right">
                    {label}
                  </Table.Th>
                ))}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {points.toReversed().map((point) => (
                <Table.Tr key={point.whole}>
                  <Table.Td>{point.whole}</Table.Td>
                  {series.map(({ name }) => (
                    <Table.Td key={name} ta="right">
                      {format(Number(point[name] ?? 0))}
                    </Table.Td>
                  ))}
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
          {points.length === 0 && <Text c="dimmed">{TEXTS.nothing}</Text>}
        </ScrollArea.Autosize>
      )}
    </Stack>
  )
}

/** The highest mark is seen, with its label above it. */
function topOf(points: readonly Point[], series: readonly Series[], marks: readonly { value: number }[]): number {
  const highest = Math.max(
    ...marks.map(({ value }) => value),
    ...points.flatMap((point) => series.map(({ name }) => Number(point[name] ?? 0))),
  )
  return Math.ceil(highest * ELEVEN) / TENTHS
}
const TENTHS = 10
const ELEVEN = 11

const AXIS_WIDTH = 56
const TICK_GAP = 24
/** More dots than that are a thick line. */
const DOTS_MAX = 40
const STILL = { isAnimationActive: false }
const BAR_WIDTH_MAX = 72

/** What someone hears who does not see it. */
const summaryOf = (points: readonly Point[], series: readonly Series[], format: (value: number) => string): string =>
  series.map(({ name, label }) => `${label} ${format(Math.max(0, ...points.map((point) => Number(point[name] ?? 0))))}`).join(', ')
