import { type Context, ROOT_CONTEXT, type Span, SpanKind, SpanStatusCode, type Tracer, trace } from '@opentelemetry/api'
import { ExportResultCode, type InstrumentationScope, parseKeyPairsIntoRecord, parseTraceParent } from '@opentelemetry/core'
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-proto'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import { type Resource, resourceFromAttributes } from '@opentelemetry/resources'
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  type SpanExporter,
  type SpanProcessor,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import packageJson from '../../../package.json' with { type: 'json' }
import { within } from '../../lib/clock.ts'
import { createId } from '../../lib/ids.ts'
import type { SpanKind as Kind, OpenSpan, SpanStart, Tracing } from '../../lib/tracing.ts'
import { createLosses, type Losses, type LossReports, type ReadSeries, startMetricExport, type TelemetrySettings } from './metric-export.ts'

export type TracesOptions = {
  resource: Resource
  scope: InstrumentationScope
  settings: TelemetrySettings
  exporter: SpanExporter
  losses: Losses
}

/** Spans of one export. */
const BATCH_MAX = 512

export function createTraces({ resource, scope, settings, exporter, losses }: TracesOptions): { tracing: Tracing; close(): Promise<void> } {
  const provider = new TracerProvider({
    resource,
    sampler: createSampler(settings.sampler),
    spanProcessors: [boundedProcessor(exporter, settings, losses)],
  })
  return { tracing: createTracing(provider.getTracer(scope.name, scope.version)), close: () => provider.shutdown() }
}

/** The library's own processor has the same bound, but does not say what it drops. */
function boundedProcessor(exporter: SpanExporter, { spansMax, spanDelayMs, timeoutMs }: TelemetrySettings, losses: Losses): SpanProcessor {
  let waiting = 0
  const counted: SpanExporter = {
    export(spans, done) {
      waiting -= spans.length
      exporter.export(spans, (result) => {
        if (result.code === ExportResultCode.SUCCESS) losses.exported()
        else losses.failed(spans.length, result.error)
        done(result)
      })
    },
    shutdown: () => exporter.shutdown(),
  }
  const processor = new BatchSpanProcessor({
    exporter: counted,
    maxQueueSize: spansMax,
    maxExportBatchSize: Math.min(BATCH_MAX, spansMax),
    scheduledDelayMillis: spanDelayMs,
    exportTimeoutMillis: timeoutMs,
  })
  return {
    onStart() {},
    onEnd(span) {
      if (waiting >= spansMax) return losses.dropped()
      waiting += 1
      processor.onEnd(span)
    },
    forceFlush: () => processor.forceFlush(),
    shutdown: () => processor.shutdown(),
  }
}

function createSampler({ name, ratio }: TelemetrySettings['sampler']): Sampler {
  const [, isParentBased, root = ''] = /^(parentbased_)?(.*)$/.exec(name) ?? []
  const sampler =
    root === 'traceidratio' ? new TraceIdRatioBasedSampler(ratio) : root === 'always_off' ? new AlwaysOffSampler() : new AlwaysOnSampler()
  return isParentBased === undefined ? sampler : new ParentBasedSampler({ root: sampler })
}

function createTracing(tracer: Tracer): Tracing {
  const begin = (name: string, { kind, attributes = {} }: SpanStart, context: Context): OpenSpan =>
    opened(tracer.startSpan(name, { kind: KINDS[kind], attributes }, context))

  const opened = (span: Span): OpenSpan => ({
    traceparent: formatTraceparent(span),
    child: (name, start) => begin(name, start, trace.setSpan(ROOT_CONTEXT, span)),
    end({ attributes = {}, isError = false } = {}) {
      if (!span.isRecording()) return
      span.setAttributes(attributes)
      if (isError) span.setStatus({ code: SpanStatusCode.ERROR })
      span.end()
    },
  })

  return { begin: (name, { traceparent, ...start }) => begin(name, start, parseTraceparent(traceparent)) }
}

function parseTraceparent(traceparent: string | null): Context {
  const parent = traceparent === null ? null : parseTraceParent(traceparent)
  return parent === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, { ...parent, isRemote: true })
}

/** https://www.w3.org/TR/trace-context/#traceparent-header */
function formatTraceparent(span: Span): string {
  const { traceId, spanId, traceFlags } = span.spanContext()
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`
}

const KINDS: Record<Kind, SpanKind> = {
  server: SpanKind.SERVER,
  internal: SpanKind.INTERNAL,
  consumer: SpanKind.CONSUMER,
  client: SpanKind.CLIENT,
}

// Sends traces and metrics to a receiver of OpenTelemetry. Imported only if one is configured. Whatever the receiver does costs nothing but what was to
// be sent: waiting spans are bounded, an export has a time limit, and nothing waits for it but the end of the process, for a bounded time.

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
      const isFlushed = await within(flushMs, flushed, () => false)
      if (!isFlushed) reports.onProblem('last traces and metrics not exported in time', {})
    },
  }
}
