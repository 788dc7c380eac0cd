import { useEffect, useState } from 'react'
import { type RecordOf, useRecord } from '../api/queries'
import NumbersChart from '../parts/NumbersChart'
import { Section } from '../parts/Section'
import { dateOf } from '../parts/Time'
import { QUEUE_TEXTS as TEXTS } from '../texts/queue'

const EVERY_MS = 60_000
/** A quarter of an hour, at the pace of the page. */
const SAMPLES_MAX = 180

type Queue = RecordOf<'/operation/queue'>
type Sample = { at: string; whole: string; oldest: number; ready: number }

const CLOCK = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' })
const SECONDS = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' })

/** What was sent in the last day, and how long the queue is and waits, since the page was opened. */
export default function QueueCharts({ queue, readAt }: { queue: Queue; readAt: number }) {
  const { data } = useRecord('/operation/throughput', {}, { everyMs: EVERY_MS })
  const samples = useSamples(queue, readAt)
  return (
    <>
      {data && (
        <Section title={TEXTS.throughput}>
          <NumbersChart
            title={TEXTS.throughput}
            period={TEXTS.quarter}
            points={everyQuarter(data.data, readAt)}
            series={[
              { name: 'received', label: TEXTS.accepted, color: 'gray.6' },
              { name: 'sent', label: TEXTS.sent, color: 'blue.6' },
              { name: 'delivered', label: TEXTS.delivered, color: 'teal.6' },
              { name: 'delayed', label: TEXTS.delayed, color: 'orange.6' },
            ]}
          />
        </Section>
      )}
      {(['oldest', 'ready'] as const).map((name) => (
        <Section key={name} title={TEXTS.charts[name]}>
          <NumbersChart
            title={TEXTS.charts[name]}
            period={TEXTS.time}
            points={samples}
            series={[{ name, label: TEXTS.series[name], color: name === 'oldest' ? 'orange.6' : 'blue.6' }]}
            {...(name === 'oldest' && { format: TEXTS.seconds })}
          />
        </Section>
      ))}
    </>
  )
}

type Quarter = RecordOf<'/operation/throughput'>['data'][number]

const QUARTER_MS = 15 * 60_000
const QUARTERS_A_DAY = 96

/** A day of them, also those in which nothing happened, which the answer leaves out: a line over them would say that something did. */
function everyQuarter(quarters: readonly Quarter[], readAt: number) {
  const counted = new Map(quarters.map((quarter) => [dateOf(quarter.start).getTime(), quarter]))
  const last = Math.max(Math.floor(readAt / QUARTER_MS) * QUARTER_MS, ...counted.keys())
  const first = Math.min(last - (QUARTERS_A_DAY - 1) * QUARTER_MS, ...counted.keys())
  return Array.from({ length: (last - first) / QUARTER_MS + 1 }, (_, index) => {
    const start = first + index * QUARTER_MS
    const { received = 0, sent = 0, delivered = 0, delayed = 0 } = counted.get(start) ?? {}
    return { at: CLOCK.format(start), whole: CLOCK.format(start), received, sent, delivered, delayed }
  })
}

/** The queue keeps no history: the page remembers what it has read. */
function useSamples(queue: Queue, readAt: number): Sample[] {
  const [samples, setSamples] = useState<Sample[]>([])
  // biome-ignore lint/correctness/useExhaustiveDependencies: a reading is one, whatever it says
  useEffect(() => {
    const at = SECONDS.format(readAt)
    const sample = { at, whole: at, oldest: queue.oldest_due_seconds, ready: queue.total.ready }
    setSamples((before) => [...before.filter(({ whole }) => whole !== at), sample].slice(-SAMPLES_MAX))
  }, [readAt])
  return samples
}
