import { Alert, Box, Select, Text } from '@mantine/core'
import { lazy, Suspense, useState } from 'react'
import { type RecordOf, useRecord } from '../api/queries'
import { orCounted, trackedOfAll, useTracked } from '../domains/tracked'
import { DownloadButton, pathOf } from '../parts/DownloadButton'
import { NotLoaded } from '../parts/ErrorAlert'
import { LoadingMark } from '../parts/Loading'
import { Page } from '../parts/Page'
import { Section } from '../parts/Section'
import { MY_ZONE, ZONES } from '../parts/zones'
import { useMay } from '../session/me'
import { useFilters } from '../shell/address'
import { METRIC_TEXTS as TEXTS } from '../texts/metrics'
import { SHELL_TEXTS } from '../texts/shell'
import { Breakdown } from './Breakdown'
import { GroupBreakdown } from './GroupBreakdown'
import type { Granularity } from './periods'
import { instantsOf, SPANS, type SpanName, spanOf } from './spans'
import { Tiles } from './Tiles'

const MetricCharts = lazy(() => import('./MetricCharts'))

export type EmailMetrics = RecordOf<'/emails/metrics'>

export default function MetricsPage() {
  const may = useMay()
  const [filters, setFilters] = useFilters(['span', 'by', 'zone', 'domain'])
  const [now] = useState(() => new Date())
  const span: SpanName = isSpan(filters.span) ? filters.span : 'week'
  const { choices, granularity: usual } = SPANS[span]
  const granularity = choices.find((each) => each === filters.by) ?? usual
  const zone = filters.zone !== undefined && ZONES.includes(filters.zone) ? filters.zone : MY_ZONE
  const ranges = spanOf(span, zone, now)
  const shared = { timezone: zone, ...(filters.domain && { domain_id: [filters.domain] }) }
  const { data, error, refetch } = useRecord('/emails/metrics', {
    query: { ...shared, ...ranges.now, granularity, dimensions: ['period'] },
  })
  // It is the query of the breakdown by domain, so it is asked for once.
  const { data: byDomain } = useRecord('/emails/metrics', { query: { ...shared, ...ranges.now, dimensions: ['domain'] } })
  const trackedOf = useTracked()
  const senders = (byDomain?.data ?? []).filter(({ sent = 0 }) => sent > 0).map(({ domain_name: name = '' }) => trackedOf(name))
  const { unique_opened: opens = 0, unique_clicked: clicks = 0 } = data?.totals ?? {}
  const tracked = orCounted(trackedOfAll(senders), { opens, clicks })
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
          {may('emails:read') && (
            <DownloadButton
              name={TEXTS.bouncesCsv}
              path={pathOf('/emails/export', { status: 'bounced', ...instantsOf(ranges.now, zone) })}
            />
          )}
        </>
      }
    >
      <Choices span={span} granularity={granularity} choices={choices} zone={zone} domain={filters.domain ?? null} onChange={setFilters} />
      {error && <NotLoaded error={error} onRetry={() => void refetch()} />}
      {data && (
        <>
          {isEmpty(data) && <Alert color="gray">{TEXTS.nothing}</Alert>}
          <Tiles totals={data.totals} before={before && !isEmpty(before) ? before.totals : null} tracked={tracked} />
          <Suspense fallback={<LoadingMark />}>
            <MetricCharts metrics={data} granularity={granularity} zone={zone} tracked={tracked} />
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
        <GroupBreakdown by="provider" range={instantsOf(ranges.now, zone)} title={TEXTS.byProvider} tracked={tracked} />
      </Section>
      {may('emails:read') && (
        <Section title={TEXTS.byTag}>
          <GroupBreakdown by="tag" range={instantsOf(ranges.now, zone)} title={TEXTS.byTag} tracked={tracked} />
        </Section>
      )}
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
  const { data: domains } = useRecord('/domains', undefined, { isEnabled: may('numbers:read') })
  return (
    <Box display={{ base: 'grid', xs: 'flex' }} style={CHOICES} role="search" aria-label={SHELL_TEXTS.filters}>
      <Select
        aria-label={TEXTS.span}
        size="xs"
        data={Object.entries(TEXTS.spans).map(([value, label]) => ({ value, label }))}
        value={span}
        onChange={(value) => onChange({ span: value ?? '', by: '' })}
        allowDeselect={false}
        w={{ base: '100%', xs: 160 }}
      />
      <Select
        aria-label={TEXTS.granularity}
        size="xs"
        data={choices.map((value) => ({ value, label: TEXTS.granularities[value] }))}
        value={granularity}
        onChange={(value) => onChange({ by: value ?? '' })}
        allowDeselect={false}
        w={{ base: '100%', xs: 110 }}
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
        w={{ base: '100%', xs: 220 }}
      />
      <Select
        aria-label={TEXTS.zone}
        size="xs"
        data={[...new Set([zone, ...ZONES])]}
        value={zone}
        onChange={(value) => onChange({ zone: value ?? '' })}
        allowDeselect={false}
        searchable
        w={{ base: '100%', xs: 220 }}
      />
    </Box>
  )
}

/** In two columns on a phone, and in a line elsewhere. */
const CHOICES = { gridTemplateColumns: '1fr 1fr', flexWrap: 'wrap', gap: 'var(--mantine-spacing-xs)' } as const
