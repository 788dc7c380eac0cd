// What metrics gives to those that come after: its repositories, and what else compose makes of it.
import type { Database } from '../../db/database.ts'
import { breakdownRepository } from './breakdowns.repository.ts'
import { contactMetricRepository } from './contact-metrics.repository.ts'
import { countChangeRepository, recountRepository } from './count-changes.repository.ts'
import { emailCountRepository, type LaterCounts, usageRepository } from './metrics.repository.ts'
import { outcomeCountRepository } from './outcome-counts.repository.ts'
import { throughputRepository } from './throughput.repository.ts'

export type MetricsContext = {
  repositories: ReturnType<typeof metricsRepositories>
  /** By their ids: those of the team that exist. */
  broadcastNames: (teamId: string, ids: string[]) => Promise<Map<string, string>>
}

export const metricsRepositories = (database: Database, counts: LaterCounts) => ({
  breakdowns: breakdownRepository(database),
  contactMetrics: contactMetricRepository(database),
  countChanges: countChangeRepository(database),
  emailCounts: emailCountRepository(database),
  outcomeCounts: outcomeCountRepository(database),
  recounts: recountRepository(database),
  throughput: throughputRepository(database),
  usage: usageRepository(database, counts),
})
