import { Sparkline } from '@mantine/charts'

/** A line without axes. Who does not see it reads the numbers in its label. */
export default function DayLine({ values, color, height }: { values: number[]; color: string; height: number }) {
  return <Sparkline h={height} data={values} color={color} curveType="monotone" fillOpacity={0.3} strokeWidth={2} />
}
