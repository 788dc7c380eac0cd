// What logs gives to those that come after: its repositories, and what else compose makes of it.
import type { BoundedQueries } from '../../db/bounded-queries.ts'
import type { Database } from '../../db/database.ts'
import { logMetricRepository } from './log-metrics.repository.ts'
import { logSearchRepository, requestLogRepository } from './logs.repository.ts'

export type LogsContext = { repositories: ReturnType<typeof logsRepositories> }

export const logsRepositories = (
  database: Database,
  { searches, onLost }: { searches: BoundedQueries; onLost: (count: number, reason: unknown) => void },
) => ({
  logMetrics: logMetricRepository(database),
  logSearches: logSearchRepository({ searches }),
  requestLogs: requestLogRepository(database, { onLost }),
})
