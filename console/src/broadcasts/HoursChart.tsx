import { useState } from 'react'
import { useRecord } from '../api/queries'
import { periodNames } from '../metrics/periods'
import { Awaited } from '../parts/Awaited'
import NumbersChart from '../parts/NumbersChart'
import { dateOf } from '../parts/Time'
import { MY_ZONE } from '../parts/zones'
import { BROADCAST_TEXTS as TEXTS } from '../texts/broadcasts'

const HOUR_MS = 60 * 60 * 1_000
/** Nearly all who open it do so within that time. */
const SHOWN_HOURS = 72

/** When people opened it and followed its links, in the first three days. */
export default function HoursChart({ broadcastId, sentAt }: { broadcastId: string; sentAt: string }) {
  const began = dateOf(sentAt).getTime()
  const [end] = useState(() => Math.min(Date.now(), began + SHOWN_HOURS * HOUR_MS))
  const read = useRecord('/emails/metrics', {
    query: {
      broadcast_id: [broadcastId],
      dimensions: ['period'],
      granularity: 'hourly',
      metrics: ['unique_opened', 'unique_clicked'],
      start_date: new Date(began - HOUR_MS).toISOString(),
      end_date: new Date(end).toISOString(),
      timezone: MY_ZONE,
    },
  })
  const { data } = read
  if (!data) return <Awaited read={read} />
  return (
    <NumbersChart
      title={TEXTS.hours}
      period={TEXTS.hour(MY_ZONE)}
      kind="bars"
      points={(data.data ?? []).map(({ period = '', unique_opened = 0, unique_clicked = 0 }) => ({
        ...periodNames(period, 'hourly'),
        unique_opened,
        unique_clicked,
      }))}
      series={[
        { name: 'unique_opened', label: TEXTS.opened, color: 'indigo.6' },
        { name: 'unique_clicked', label: TEXTS.clicked, color: 'violet.4' },
      ]}
    />
  )
}
