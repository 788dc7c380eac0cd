import { useRecord } from '../api/queries'
import { DataTable } from '../parts/DataTable'
import { Facts } from '../parts/Facts'
import { bytesInWords } from '../parts/Files'
import { Loading } from '../parts/Loading'
import { Page } from '../parts/Page'
import { Section } from '../parts/Section'
import { StateBadge } from '../parts/StateBadge'
import { Problem } from '../shell/problems'
import { HEALTH_TEXTS as TEXTS } from '../texts/queue'

const EVERY_MS = 10_000

/** The parts of the process that answers, its workers, and what is kept. */
export default function HealthPage() {
  const { data: health, error, refetch } = useRecord('/operation/health', {}, { everyMs: EVERY_MS })
  if (error && !health) return <Problem error={error} onRetry={() => void refetch()} />
  if (!health) return <Loading />
  return (
    <Page title={TEXTS.title} state={<StateBadge state={health.is_ready ? 'ok' : 'failed'} />}>
      <Section title={TEXTS.parts}>
        <Facts
          facts={[
            ...Object.entries(health.checks).map(([name, state]) => [name, String(state)] as const),
            [TEXTS.disk, health.free_bytes === null ? null : bytesInWords(health.free_bytes)],
            ...Object.entries(health.versions).map(([name, version]) => [name, version] as const),
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
            { name: TEXTS.beats, cell: ({ beats }) => beats.toLocaleString('en'), isNumber: true, isWide: true },
            { name: TEXTS.deliveries, cell: ({ deliveries }) => deliveries.toLocaleString('en'), isNumber: true },
          ]}
        />
      </Section>
      <Section title={TEXTS.partitions}>
        <DataTable
          label={TEXTS.partitions}
          rows={health.partitions.map((partition) => ({ ...partition, id: partition.table }))}
          columns={[
            { name: TEXTS.table, cell: ({ table }) => table },
            { name: TEXTS.days, cell: ({ days }) => String(days), isNumber: true },
            { name: TEXTS.first, cell: ({ first }) => dayOf(first), isWide: true },
            { name: TEXTS.last, cell: ({ last }) => dayOf(last), isWide: true },
            { name: TEXTS.size, cell: ({ bytes }) => bytesInWords(bytes), isNumber: true },
          ]}
        />
      </Section>
    </Page>
  )
}

/** `attempts_p20261120` has what happened on 2026-11-20. */
const dayOf = (partition: string | null): string | null => partition?.replace(/^.*_p(\d{4})(\d\d)(\d\d)$/, '$1-$2-$3') ?? null
