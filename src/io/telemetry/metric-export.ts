// Sends the series of Prometheus, under the same names.
import { type HrTime, ValueType } from '@opentelemetry/api'
import { ExportResultCode, type InstrumentationScope, millisToHrTime } from '@opentelemetry/core'
import type { Resource } from '@opentelemetry/resources'
import {
  AggregationTemporality,
  type DataPoint,
  DataPointType,
  type Histogram,
  MeterProvider,
  type MetricData,
  type MetricProducer,
  PeriodicExportingMetricReader,
  type PushMetricExporter,
} from '@opentelemetry/sdk-metrics'

// What did not reach the receiver is counted, and said once: a receiver that is away must not fill the log.

export type Signal = 'traces' | 'metrics'

export type LossReason = 'queue_full' | 'not_exported'

export type LossReports = {
  onLost(signal: Signal, reason: LossReason, count: number): void
  onProblem(problem: string, facts: { error?: Error }): void
  onRecovery(recovery: string): void
}

export type Losses = {
  /** There was no room. */
  dropped(): void
  failed(count: number, error: Error | undefined): void
  exported(): void
}

export function createLosses(signal: Signal, { onLost, onProblem, onRecovery }: LossReports): Losses {
  let hasDropped = false
  let isFailing = false
  return {
    dropped() {
      onLost(signal, 'queue_full', 1)
      if (!hasDropped) onProblem(`${signal} dropped: more wait to be exported than OTEL_BSP_MAX_QUEUE_SIZE`, {})
      hasDropped = true
    },
    failed(count, error) {
      onLost(signal, 'not_exported', count)
      if (!isFailing) onProblem(`${signal} not exported`, error === undefined ? {} : { error })
      isFailing = true
    },
    exported() {
      if (isFailing) onRecovery(`${signal} exported again`)
      isFailing = false
    },
  }
}

/** A series as prom-client gives it. */
export type Series = {
  name: string
  help: string
  type: unknown
  values: { value: number; labels: Partial<Record<string, string | number>>; metricName?: string }[]
}

export type ReadSeries = () => Promise<Series[]>

/** Where spans and metrics go, and how much waits for it. A null address: none are sent. */
export type TelemetrySettings = {
  tracesUrl: string | null
  metricsUrl: string | null
  /** Keys and values, as the variables have them. */
  headers: string | null
  resourceAttributes: string | undefined
  serviceName: string
  timeoutMs: number
  sampler: { name: string; ratio: number }
  metricIntervalMs: number
  spanDelayMs: number
  spansMax: number
}

export type MetricExportOptions = {
  resource: Resource
  scope: InstrumentationScope
  settings: TelemetrySettings
  exporter: PushMetricExporter
  readSeries: ReadSeries
  losses: Losses
}

export function startMetricExport(options: MetricExportOptions): { close(): Promise<void> } {
  const { resource, scope, settings, readSeries } = options
  const startTime = millisToHrTime(Math.round(performance.timeOrigin))
  const producer: MetricProducer = {
    async collect() {
      const times = { startTime, endTime: millisToHrTime(Date.now()) }
      const metrics = (await readSeries()).flatMap((series) => toMetric(series, times) ?? [])
      return { resourceMetrics: { resource, scopeMetrics: [{ scope, metrics }] }, errors: [] }
    },
  }
  const reader = new PeriodicExportingMetricReader({
    exporter: countedExporter(options),
    exportIntervalMillis: settings.metricIntervalMs,
    exportTimeoutMillis: Math.min(settings.timeoutMs, settings.metricIntervalMs),
    metricProducers: [producer],
  })
  const provider = new MeterProvider({ resource, readers: [reader] })
  return { close: () => provider.shutdown() }
}

const countedExporter = ({ exporter, losses }: MetricExportOptions): PushMetricExporter => ({
  export(metrics, done) {
    exporter.export(metrics, (result) => {
      if (result.code === ExportResultCode.SUCCESS) losses.exported()
      else losses.failed(1, result.error)
      done(result)
    })
  },
  forceFlush: () => exporter.forceFlush(),
  shutdown: () => exporter.shutdown(),
})

type Times = { startTime: HrTime; endTime: HrTime }

/** Null for types that no series of ours has. */
export function toMetric({ name, help, type, values }: Series, times: Times): MetricData | null {
  const metric = {
    descriptor: { name, description: help, unit: '', valueType: ValueType.DOUBLE },
    aggregationTemporality: AggregationTemporality.CUMULATIVE,
  }
  const points = () => values.map(({ value, labels }) => ({ ...times, value, attributes: labels }))
  switch (type) {
    case 'counter':
      return { ...metric, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints: points() }
    case 'gauge':
      return { ...metric, dataPointType: DataPointType.GAUGE, dataPoints: points() }
    case 'histogram':
      return { ...metric, dataPointType: DataPointType.HISTOGRAM, dataPoints: histograms({ name, values }, times) }
    default:
      return null
  }
}

/** A bucket of Prometheus counts what is in the smaller ones too; one of OpenTelemetry does not. */
function histograms({ name, values }: Pick<Series, 'name' | 'values'>, times: Times): DataPoint<Histogram>[] {
  const points = new Map<string, DataPoint<Histogram> & { below: number }>()
  for (const {
    value,
    labels: { le, ...attributes },
    metricName,
  } of values) {
    const key = JSON.stringify(attributes)
    const point = points.get(key) ?? {
      ...times,
      attributes,
      value: { buckets: { boundaries: [], counts: [] }, count: 0, sum: 0 },
      below: 0,
    }
    points.set(key, point)
    const { buckets } = point.value
    if (metricName === `${name}_sum`) point.value.sum = value
    else if (metricName === `${name}_count`) point.value.count = value
    else {
      buckets.counts.push(value - point.below)
      point.below = value
      if (le !== '+Inf') buckets.boundaries.push(Number(le))
    }
  }
  return [...points.values()].map(({ below: _below, ...point }) => point)
}
