import { useRecord } from '../api/queries'
import { Awaited } from '../parts/Awaited'
import { DataTable } from '../parts/DataTable'
import { Section } from '../parts/Section'
import { Time } from '../parts/Time'
import { QUEUE_TEXTS as TEXTS } from '../texts/queue'

const EVERY_MS = 10_000

/** The mail servers to which the workers send more slowly than they could, because these asked for it. */
export function Paces() {
  const read = useRecord('/operation/paces', {}, { everyMs: EVERY_MS })
  const { data } = read
  if (!data)
    return (
      <Section title={TEXTS.paces}>
        <Awaited read={read} />
      </Section>
    )
  return (
    <Section title={TEXTS.paces}>
      <DataTable
        label={TEXTS.paces}
        rows={data.data.map((pace) => ({ ...pace, id: pace.hosts }))}
        empty={TEXTS.noPaces}
        columns={[
          { name: TEXTS.hosts, cell: ({ hosts }) => hosts },
          {
            name: TEXTS.connections,
            cell: ({ connections }) => connections.toLocaleString('en', { maximumFractionDigits: 1 }),
            isNumber: true,
          },
          { name: TEXTS.pausedUntil, cell: ({ paused_until }) => <Time at={paused_until} />, isWide: true },
          { name: TEXTS.slowedAt, cell: ({ slowed_at }) => <Time at={slowed_at} />, isWide: true },
        ]}
      />
    </Section>
  )
}
