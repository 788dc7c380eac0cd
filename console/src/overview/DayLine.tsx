import { Sparkline } from '@mantine/charts'

/** A line without axes. Its label has the numbers for people who do not see it. */
export default function DayLine({ values, color, height }: { values: number[]; color: string; height: number }) {
  return <Sparkline h={height} data={values} color={color} curveType="monotone" fillOpacity={0.3} strokeWidth={2} />
}
