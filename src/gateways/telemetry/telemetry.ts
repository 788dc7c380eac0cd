// Sends traces and metrics to a receiver of OpenTelemetry. Imported only if one is configured. Whatever the receiver does costs nothing but what was to
// be sent: waiting spans are bounded, an export has a time limit, and nothing waits for it but the end of the process, for a bounded time.
import { parseKeyPairsIntoRecord } from '@opentelemetry/core'
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-proto'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import { resourceFromAttributes } from '@opentelemetry/resources'
import packageJson from '../../../package.json' with { type: 'json' }
import type { Config } from '../../config.ts'
import { createId } from '../../lib/ids.ts'
import type { Tracing } from '../../lib/tracing.ts'
import { createLosses, type LossReports } from './losses.ts'
import { type ReadSeries, startMetricExport } from './metric-export.ts'
import { createTraces } from './traces.ts'

export type TelemetrySettings = NonNullable<Config['telemetry']>

export type Telemetry = {
  /** Null if only metrics are sent. */
  tracing: Tracing | null
  /** Sends what is left. */
  close(): Promise<void>
}

export type TelemetryOptions = LossReports & { readSeries: ReadSeries; flushMs?: number }

/** The end of the process waits this long. It has ten seconds for everything. */
const FLUSH_MS = 2_000

export function createTelemetry(settings: TelemetrySettings, { readSeries, flushMs = FLUSH_MS, ...reports }: TelemetryOptions): Telemetry {
  const { tracesUrl, metricsUrl, timeoutMs } = settings
  const { version } = packageJson
  const resource = resourceFromAttributes({
    // Several processes send the same series.
    'service.instance.id': createId(),
    'service.version': version,
    ...parseKeyPairsIntoRecord(settings.resourceAttributes),
    'service.name': settings.serviceName,
  })
  const headers = settings.headers === null ? {} : { headers: parseKeyPairsIntoRecord(settings.headers) }
  const scope = { name: packageJson.name, version }
  const traces =
    tracesUrl === null
      ? null
      : createTraces({
          ...{ resource, scope, settings, losses: createLosses('traces', reports) },
          exporter: new OTLPTraceExporter({ url: tracesUrl, timeoutMillis: timeoutMs, ...headers }),
        })
  const metrics =
    metricsUrl === null
      ? null
      : startMetricExport({
          ...{ resource, scope, settings, readSeries, losses: createLosses('metrics', reports) },
          exporter: new OTLPMetricExporter({ url: metricsUrl, timeoutMillis: timeoutMs, ...headers }),
        })

  return {
    tracing: traces?.tracing ?? null,
    async close() {
      const flushed = Promise.allSettled([traces?.close(), metrics?.close()]).then(() => true)
      let timer: NodeJS.Timeout | undefined
      const late = new Promise<false>((resolve) => {
        timer = setTimeout(() => resolve(false), flushMs)
      })
      if (!(await Promise.race([flushed, late]))) reports.onProblem('last traces and metrics not exported in time', {})
      clearTimeout(timer)
    },
  }
}
