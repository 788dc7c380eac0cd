// What Prometheus learns about the queue. It is sampled now and then, and never counted for a scrape.
import type { Context } from '../../context.ts'

const STATES = ['ready', 'waiting', 'leased', 'parked'] as const

export async function sampleQueue({
  repositories,
  metrics,
  clock,
  log,
}: Pick<Context, 'repositories' | 'metrics' | 'clock' | 'log'>): Promise<void> {
  try {
    const now = clock.now()
    const { lanes, oldestDueSeconds } = await repositories.queueView.sampleAcrossTeams(now)
    const pauses = await repositories.queuePauses.listAcrossTeams()
    const webhooksWaiting = await repositories.webhookDeliveries.countWaitingAcrossTeams()
    const eventsSetAside = await repositories.automationOccurrences.countSetAsideAcrossTeams()
    const backingOff = await repositories.destinationPaces.listPausedAcrossTeams(now)
    const backupAgeSeconds = await repositories.lastBackup.ageSeconds()
    // Lanes that are empty by now lose their series.
    metrics.queueDepth.reset()
    for (const { class: kind, destination, ...counts } of lanes)
      for (const state of STATES) metrics.queueDepth.set({ state, class: kind, destination }, counts[state])
    metrics.queueOldestSeconds.set(oldestDueSeconds)
    metrics.queuePausedParts.set(pauses.length)
    metrics.destinationsBackingOff.set(backingOff.length)
    metrics.webhookMessagesWaiting.set(webhooksWaiting)
    metrics.automationEventsSetAside.set(eventsSetAside)
    metrics.backupAgeSeconds.set(backupAgeSeconds ?? Number.NaN)
  } catch (error) {
    log.warn({ err: error }, 'queue not sampled')
  }
}
