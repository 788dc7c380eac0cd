// The export of metrics and traces over OTLP. It is loaded only where it is wanted: without it, nothing of OpenTelemetry's takes memory or time.
import type { DiskSpace } from '../io/files/disk-space.ts'
import type { Log } from '../io/log.ts'
import { type Metrics, sampleDisk } from '../io/metrics.ts'
import type { TelemetrySettings } from '../io/telemetry/metric-export.ts'
import type { Telemetry } from '../io/telemetry/telemetry.ts'

export async function openTelemetry(
  settings: TelemetrySettings,
  { log, metrics, diskSpace }: { log: Log; metrics: Metrics; diskSpace: DiskSpace },
): Promise<Telemetry> {
  const { createTelemetry } = await import('../io/telemetry/telemetry.ts')
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
