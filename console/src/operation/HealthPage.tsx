import { Text } from '@mantine/core'
import { useRecord } from '../api/queries'
import { Awaited } from '../parts/Awaited'
import { DataTable } from '../parts/DataTable'
import { Facts } from '../parts/Facts'
import { bytesInWords } from '../parts/Files'
import { countOf } from '../parts/numbers'
import { IN_ONE_LINE } from '../parts/one-line'
import { Page } from '../parts/Page'
import { Section } from '../parts/Section'
import { StateBadge, wordsOf } from '../parts/StateBadge'
import { HEALTH_TEXTS as TEXTS } from '../texts/queue'

const EVERY_MS = 10_000

/** The parts of the process that answers, its workers, and what is kept. */
export default function HealthPage() {
  const { data: health, error, refetch } = useRecord('/operation/health', {}, { everyMs: EVERY_MS })
  if (!health) return <Awaited read={{ error, refetch }} />
  return (
    <Page title={TEXTS.title} state={<StateBadge state={health.is_ready ? 'ok' : 'failed'} />}>
      <Section title={TEXTS.parts}>
        <Facts
          facts={[
            ...Object.entries(health.checks).map(
              ([name, state]) =>
                [TEXTS.checks[name] ?? wordsOf(name), state === 'ok' ? TEXTS.ok : <Wrong key={name}>{String(state)}</Wrong>] as const,
            ),
            [TEXTS.disk, health.free_bytes === null ? null : bytesInWords(health.free_bytes)],
            ...Object.entries(health.versions).map(([name, version]) => [TEXTS.version(TEXTS.programs[name] ?? name), version] as const),
          ]}
        />
      </Section>
      <Section title={TEXTS.workers}>
        <DataTable
          label={TEXTS.workers}
          rows={health.workers}
          empty={TEXTS.noWorkers}
          columns={[
            { name: TEXTS.worker, cell: ({ id }) => id },
            { name: TEXTS.beats, cell: ({ beats }) => countOf(beats), isNumber: true, isWide: true },
            { name: TEXTS.deliveries, cell: ({ deliveries }) => countOf(deliveries), isNumber: true },
          ]}
        />
      </Section>
      <Section title={TEXTS.partitions}>
        <DataTable
          label={TEXTS.partitions}
          rows={health.partitions.map((partition) => ({ ...partition, id: partition.table }))}
          columns={[
            { name: TEXTS.table, cell: ({ table }) => <span title={table}>{TEXTS.tables[table] ?? wordsOf(table)}</span> },
            { name: TEXTS.days, cell: ({ days }) => String(days), isNumber: true },
            { name: TEXTS.first, cell: ({ first }) => <Day of={first} />, isWide: true },
            { name: TEXTS.last, cell: ({ last }) => <Day of={last} />, isWide: true },
            { name: TEXTS.size, cell: ({ bytes }) => bytesInWords(bytes), isNumber: true },
          ]}
        />
      </Section>
    </Page>
  )
}

const Wrong = ({ children }: { children: string }) => (
  <Text inherit c="red">
    {children}
  </Text>
)

/** `attempts_p20261120` has what happened on 2026-11-20. */
const Day = ({ of }: { of: string | null }) => (
  <Text span inherit style={IN_ONE_LINE}>
    {of?.replace(/^.*_p(\d{4})(\d\d)(\d\d)$/, '$1-$2-$3')}
  </Text>
)
