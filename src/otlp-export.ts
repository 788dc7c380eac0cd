// The export of metrics and traces over OTLP. It is loaded only where it is wanted: without it, nothing of OpenTelemetry's takes memory or time.
import type { DiskSpace } from './gateways/files/disk-space.ts'
import type { Telemetry, TelemetrySettings } from './gateways/telemetry/telemetry.ts'
import { type Metrics, sampleDisk } from './lib/metrics.ts'
import type { Log } from './process-log.ts'

export async function openTelemetry(
  settings: TelemetrySettings,
  { log, metrics, diskSpace }: { log: Log; metrics: Metrics; diskSpace: DiskSpace },
): Promise<Telemetry> {
  const { createTelemetry } = await import('./gateways/telemetry/telemetry.ts')
  return createTelemetry(settings, {
    async readSeries() {
      await sampleDisk(metrics, diskSpace)
      return metrics.registry.getMetricsAsJSON()
    },
    onLost: (signal, reason, count) => metrics.telemetryLost.inc({ signal, reason }, count),
    onProblem: (problem, { error, ...facts }) => log.warn({ ...(error !== undefined && { err: error }), ...facts }, problem),
    onRecovery: (recovery) => log.info(recovery),
  })
}
