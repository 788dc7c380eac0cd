import { BarChart, LineChart } from '@mantine/charts'
import { Box, Button, Group, ScrollArea, Stack, Table, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { Table2 } from 'lucide-react'
import { CHART_TEXTS as TEXTS } from '../texts/metrics'
import { countOf } from './numbers'

export type Series = { name: string; label: string; color: string }
/** `at` names the period, in short on the axis and whole in the table. Null: there is no such number, which is not zero. */
export type Point = { at: string; whole: string } & Record<string, number | string | null>

type NumbersChartProps = {
  title: string
  points: readonly Point[]
  series: readonly Series[]
  /** What the periods are: "Day", "Hour". */
  period: string
  kind?: 'lines' | 'bars'
  format?: (value: number) => string
  /** Shorter, beside the axis. */
  axisFormat?: (value: number) => string
  /** Lines that one should stay below. */
  marks?: readonly { value: number; label: string; color: string }[]
}

const HEIGHT = 230
const UNKNOWN = '–'
const isKnown = (value: number | string | null | undefined): boolean => value !== null && value !== undefined
/** A chart, with its numbers as a table below it for those who want them. It is large: load the component that uses it lazily. */
export default function NumbersChart({
  title,
  points,
  series,
  period,
  kind = 'lines',
  format = countOf,
  axisFormat = format,
  marks = [],
}: NumbersChartProps) {
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
      allowDecimals: format !== countOf,
      width: AXIS_WIDTH,
      tickFormatter: (value: number) => inOneLine(axisFormat(value)),
      ...(marks.length > 0 && roundAxis(points, series, marks)),
    },
    // Names stand at equal distances, also at the end.
    xAxisProps: { interval: 'equidistantPreserveStart' as const, minTickGap: TICK_GAP },
  }
  return (
    <Stack gap="xs">
      {kind === 'lines' && points.length < LINE_POINTS_MIN ? (
        <NoLine point={points[0]} series={series} format={format} />
      ) : (
        <Box role="img" aria-label={`${title}: ${summaryOf(points, series, format)}`}>
          {kind === 'bars' ? (
            <BarChart {...shared} type="default" barChartProps={AROUND} barProps={{ ...STILL, maxBarSize: BAR_WIDTH_MAX }} />
          ) : (
            <LineChart
              {...shared}
              // Straight: a curve between two counts shows counts that never were.
              curveType="linear"
              lineChartProps={AROUND}
              withDots={points.filter((point) => series.some(({ name }) => isKnown(point[name]))).length < DOTS_MAX}
              strokeWidth={2}
              lineProps={STILL}
            />
          )}
        </Box>
      )}
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
                      {isKnown(point[name]) ? format(Number(point[name])) : UNKNOWN}
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

type NoLineProps = Pick<NumbersChartProps, 'series'> & { point: Point | undefined; format: (value: number) => string }

/** One point alone, or none, would be an empty frame with a dot in it: a sentence says it. */
const NoLine = ({ point, series, format }: NoLineProps) => (
  <Stack gap={4}>
    {point && (
      <Text>
        {point.whole}:{' '}
        {series.map(({ name, label }) => `${label} ${isKnown(point[name]) ? format(Number(point[name])) : UNKNOWN}`).join(', ')}
      </Text>
    )}
    <Text size="sm" c="dimmed">
      {TEXTS.noLine}
    </Text>
  </Stack>
)
const LINE_POINTS_MIN = 2

/** A number keeps its unit beside it: at a space, the axis would break it. */
const inOneLine = (text: string): string => text.replaceAll(' ', NO_BREAK_SPACE)
const NO_BREAK_SPACE = '\u00a0'

/** The highest mark is seen, with its label above it, and the steps up to there are round. */
function roundAxis(points: readonly Point[], series: readonly Series[], marks: readonly { value: number }[]) {
  const highest = Math.max(
    ...marks.map(({ value }) => value),
    ...points.flatMap((point) => series.map(({ name }) => Number(point[name] ?? 0))),
  )
  const least = (highest * ABOVE_MARK) / STEPS
  const tens = 10 ** Math.floor(Math.log10(least))
  const step = tens * (ROUND.find((each) => each * tens >= least) ?? 1)
  const ticks = Array.from({ length: STEPS + 1 }, (_, index) => Number((step * index).toPrecision(3)))
  return { ticks, domain: [0, step * STEPS] }
}
const ABOVE_MARK = 1.05
const STEPS = 4
const ROUND = [1, 2, 2.5, 5, 10]

/** The highest number of an axis stands beside its line, and the last name below its point. */
const AROUND = { margin: { top: 12, right: 32 } }
const AXIS_WIDTH = 56
const TICK_GAP = 24
/** More dots than that are a thick line. */
const DOTS_MAX = 40
const STILL = { isAnimationActive: false }
const BAR_WIDTH_MAX = 72

/** What someone hears who does not see it. */
const summaryOf = (points: readonly Point[], series: readonly Series[], format: (value: number) => string): string =>
  series.map(({ name, label }) => `${label} ${format(Math.max(0, ...points.map((point) => Number(point[name] ?? 0))))}`).join(', ')
