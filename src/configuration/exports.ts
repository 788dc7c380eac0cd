// Where traces and metrics are sent, and how often.
import type { Variables } from '../environment.ts'
import { url } from './values.ts'

/** The standard variables of OpenTelemetry. The exporters read further ones themselves, such as those of certificates and compression. */
export function telemetry(variables: Variables) {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_SDK_DISABLED: isDisabled } = variables
  if (endpoint === undefined || isDisabled === 'true') return null
  const base = url('OTEL_EXPORTER_OTLP_ENDPOINT', endpoint, ['http:', 'https:']).href.replace(/\/$/, '')
  const urlOf = (name: 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT' | 'OTEL_EXPORTER_OTLP_METRICS_ENDPOINT', path: string) =>
    variables[name] === undefined ? `${base}/${path}` : url(name, variables[name], ['http:', 'https:']).href
  return {
    /** Null: none are sent. */
    tracesUrl: variables.OTEL_TRACES_EXPORTER === 'none' ? null : urlOf('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'v1/traces'),
    metricsUrl: variables.OTEL_METRICS_EXPORTER === 'none' ? null : urlOf('OTEL_EXPORTER_OTLP_METRICS_ENDPOINT', 'v1/metrics'),
    /** Keys and values, as the variables have them. */
    headers: variables.OTEL_EXPORTER_OTLP_HEADERS ?? null,
    resourceAttributes: variables.OTEL_RESOURCE_ATTRIBUTES,
    serviceName: variables.OTEL_SERVICE_NAME,
    timeoutMs: variables.OTEL_EXPORTER_OTLP_TIMEOUT,
    sampler: { name: variables.OTEL_TRACES_SAMPLER, ratio: variables.OTEL_TRACES_SAMPLER_ARG },
    metricIntervalMs: variables.OTEL_METRIC_EXPORT_INTERVAL,
    spanDelayMs: variables.OTEL_BSP_SCHEDULE_DELAY,
    spansMax: variables.OTEL_BSP_MAX_QUEUE_SIZE,
  }
}
