import { type Context, ROOT_CONTEXT, type Span, SpanKind, SpanStatusCode, type Tracer, trace } from '@opentelemetry/api'
import { ExportResultCode, type InstrumentationScope, parseTraceParent } from '@opentelemetry/core'
import type { Resource } from '@opentelemetry/resources'
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
import type { Config } from '../../config.ts'
import type { SpanKind as Kind, OpenSpan, SpanStart, Tracing } from '../../lib/tracing.ts'
import type { Losses } from './losses.ts'

type Settings = NonNullable<Config['telemetry']>

export type TracesOptions = {
  resource: Resource
  scope: InstrumentationScope
  settings: Settings
  exporter: SpanExporter
  losses: Losses
}

/** Spans of one export. */
const BATCH_MAX = 512

export function createTraces({ resource, scope, settings, exporter, losses }: TracesOptions): { tracing: Tracing; close(): Promise<void> } {
  const provider = new TracerProvider({
    resource,
    sampler: samplerOf(settings.sampler),
    spanProcessors: [boundedProcessor(exporter, settings, losses)],
  })
  return { tracing: tracingOf(provider.getTracer(scope.name, scope.version)), close: () => provider.shutdown() }
}

/** The library's own processor has the same bound, but does not say what it drops. */
function boundedProcessor(exporter: SpanExporter, { spansMax, spanDelayMs, timeoutMs }: Settings, losses: Losses): SpanProcessor {
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

function samplerOf({ name, ratio }: Settings['sampler']): Sampler {
  const [, isParentBased, root = ''] = /^(parentbased_)?(.*)$/.exec(name) ?? []
  const sampler =
    root === 'traceidratio' ? new TraceIdRatioBasedSampler(ratio) : root === 'always_off' ? new AlwaysOffSampler() : new AlwaysOnSampler()
  return isParentBased === undefined ? sampler : new ParentBasedSampler({ root: sampler })
}

function tracingOf(tracer: Tracer): Tracing {
  const begin = (name: string, { kind, attributes = {} }: SpanStart, context: Context): OpenSpan =>
    opened(tracer.startSpan(name, { kind: KINDS[kind], attributes }, context))

  const opened = (span: Span): OpenSpan => ({
    traceparent: traceparentOf(span),
    child: (name, start) => begin(name, start, trace.setSpan(ROOT_CONTEXT, span)),
    end({ attributes = {}, isError = false } = {}) {
      if (!span.isRecording()) return
      span.setAttributes(attributes)
      if (isError) span.setStatus({ code: SpanStatusCode.ERROR })
      span.end()
    },
  })

  return { begin: (name, { traceparent, ...start }) => begin(name, start, contextOf(traceparent)) }
}

function contextOf(traceparent: string | null): Context {
  const parent = traceparent === null ? null : parseTraceParent(traceparent)
  return parent === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, { ...parent, isRemote: true })
}

/** https://www.w3.org/TR/trace-context/#traceparent-header */
function traceparentOf(span: Span): string {
  const { traceId, spanId, traceFlags } = span.spanContext()
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`
}

const KINDS: Record<Kind, SpanKind> = {
  server: SpanKind.SERVER,
  internal: SpanKind.INTERNAL,
  consumer: SpanKind.CONSUMER,
  client: SpanKind.CLIENT,
}
