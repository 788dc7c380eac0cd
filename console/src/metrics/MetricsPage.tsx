import { Alert, Group, Loader, Select, Text } from '@mantine/core'
import { lazy, Suspense, useState } from 'react'
import { type RecordOf, useRecord } from '../api/queries'
import { DownloadButton, pathOf } from '../parts/DownloadButton'
import { OWN_ZONE } from '../parts/numbers'
import { Page } from '../parts/Page'
import { Section } from '../parts/Section'
import { useMay } from '../session/me'
import { useFilters } from '../shell/address'
import { Problem } from '../shell/problems'
import { METRIC_TEXTS as TEXTS } from '../texts/metrics'
import { Breakdown } from './Breakdown'
import { GroupBreakdown } from './GroupBreakdown'
import type { Granularity } from './periods'
import { instantsOf, SPANS, type SpanName, spanOf } from './spans'
import { Tiles } from './Tiles'

const MetricCharts = lazy(() => import('./MetricCharts'))

export type EmailMetrics = RecordOf<'/emails/metrics'>

const ZONES = Intl.supportedValuesOf('timeZone')

export default function MetricsPage() {
  const [filters, setFilters] = useFilters(['span', 'by', 'zone', 'domain'])
  const [now] = useState(() => new Date())
  const span: SpanName = isSpan(filters.span) ? filters.span : 'week'
  const { choices, granularity: usual } = SPANS[span]
  const granularity = choices.find((each) => each === filters.by) ?? usual
  const zone = filters.zone !== undefined && ZONES.includes(filters.zone) ? filters.zone : OWN_ZONE
  const ranges = spanOf(span, zone, now)
  const shared = { timezone: zone, ...(filters.domain && { domain_id: [filters.domain] }) }
  const { data, error, refetch } = useRecord('/emails/metrics', {
    query: { ...shared, ...ranges.now, granularity, dimensions: ['period'] },
  })
  const { data: before } = useRecord('/emails/metrics', { query: { ...shared, ...ranges.before } })
  return (
    <Page
      title={TEXTS.title}
      acts={
        <>
          <DownloadButton
            name={TEXTS.csv}
            path={pathOf('/emails/metrics/export', {
              ...{ ...ranges.now, dimensions: 'period', granularity, timezone: zone },
              ...(filters.domain && { domain_id: filters.domain }),
            })}
          />
          <DownloadButton name={TEXTS.bouncesCsv} path={pathOf('/emails/export', { status: 'bounced', ...instantsOf(ranges.now, zone) })} />
        </>
      }
    >
      <Choices span={span} granularity={granularity} choices={choices} zone={zone} domain={filters.domain ?? null} onChange={setFilters} />
      {error && <Problem error={error} onRetry={() => void refetch()} />}
      {data && (
        <>
          {isEmpty(data) && <Alert color="gray">{TEXTS.nothing}</Alert>}
          <Tiles totals={data.totals} before={before && !isEmpty(before) ? before.totals : null} />
          <Suspense fallback={<Loader />}>
            <MetricCharts metrics={data} granularity={granularity} zone={zone} />
          </Suspense>
        </>
      )}
      <Section title={TEXTS.byDomain}>
        <Breakdown dimension="domain" query={{ ...shared, ...ranges.now }} />
      </Section>
      <Section title={TEXTS.byBroadcast}>
        <Breakdown dimension="broadcast" query={{ ...shared, ...ranges.now }} />
      </Section>
      <Section title={TEXTS.byProvider}>
        <GroupBreakdown by="provider" range={instantsOf(ranges.now, zone)} title={TEXTS.byProvider} />
      </Section>
      <Section title={TEXTS.byTag}>
        <GroupBreakdown by="tag" range={instantsOf(ranges.now, zone)} title={TEXTS.byTag} />
      </Section>
      <Text size="sm" c="dimmed">
        {TEXTS.note}
      </Text>
    </Page>
  )
}

const isSpan = (name: string | undefined): name is SpanName => name !== undefined && name in SPANS

const isEmpty = ({ totals }: EmailMetrics): boolean =>
  (totals.received ?? 0) + (totals.sent ?? 0) + (totals.unique_opened ?? 0) + (totals.complained ?? 0) === 0

type ChoicesProps = {
  span: SpanName
  granularity: Granularity
  choices: readonly Granularity[]
  zone: string
  domain: string | null
  onChange: (changed: { span?: string; by?: string; zone?: string; domain?: string }) => void
}

function Choices({ span, granularity, choices, zone, domain, onChange }: ChoicesProps) {
  const may = useMay()
  const { data: domains } = useRecord('/domains', undefined, { isEnabled: may('domains:read') })
  return (
    <Group align="flex-end" gap="xs" role="search">
      <Select
        aria-label={TEXTS.span}
        size="xs"
        data={Object.entries(TEXTS.spans).map(([value, label]) => ({ value, label }))}
        value={span}
        onChange={(value) => onChange({ span: value ?? '', by: '' })}
        allowDeselect={false}
        w={160}
      />
      <Select
        aria-label={TEXTS.granularity}
        size="xs"
        data={choices.map((value) => ({ value, label: TEXTS.granularities[value] }))}
        value={granularity}
        onChange={(value) => onChange({ by: value ?? '' })}
        allowDeselect={false}
        w={110}
      />
      <Select
        aria-label={TEXTS.domain}
        size="xs"
        data={domains?.data.map(({ id, name }) => ({ value: id, label: name })) ?? []}
        value={domain}
        onChange={(value) => onChange({ domain: value ?? '' })}
        placeholder={TEXTS.allDomains}
        clearable
        searchable
        w={220}
      />
      <Select
        aria-label={TEXTS.zone}
        size="xs"
        data={ZONES.includes(zone) ? ZONES : [zone, ...ZONES]}
        value={zone}
        onChange={(value) => onChange({ zone: value ?? '' })}
        allowDeselect={false}
        searchable
        w={220}
      />
    </Group>
  )
}
