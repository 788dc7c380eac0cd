// What automations gives to those that come after: its repositories, and what else compose makes of it.
import type { Database } from '../../db/database.ts'
import type { Clock } from '../../lib/clock.ts'
import { automationRepository } from './automations.repository.ts'
import { changedComparisonRepository } from './changed-comparisons.repository.ts'
import { forgottenContactRepository } from './forgotten-contacts.repository.ts'
import { occurrenceRepository } from './pending-events/occurrences.repository.ts'
import { advanceRepository } from './runs/advances.repository.ts'
import { contactActRepository } from './runs/contact-actions.repository.ts'
import { dueRunRepository } from './runs/due-runs.repository.ts'
import { automationRunCountRepository, automationRunRecordRepository } from './runs/run-records.repository.ts'
import { automationRunRepository, oldRunRepository } from './runs/runs.repository.ts'

export type AutomationsContext = { repositories: ReturnType<typeof automationsRepositories> }

export const automationsRepositories = (database: Database, { clock }: { clock: Clock }) => ({
  automations: automationRepository(database, { clock }),
  automationRunCounts: automationRunCountRepository(database),
  automationRunRecords: automationRunRecordRepository(database),
  automationAdvances: advanceRepository(database, { clock }),
  automationContactActs: contactActRepository(database, { clock }),
  automationOccurrences: occurrenceRepository(database, { clock }),
  forgottenContacts: forgottenContactRepository(database, { clock }),
  oldRuns: oldRunRepository(database),
  automationRuns: automationRunRepository(database, { clock }),
  changedComparisons: changedComparisonRepository(database),
  dueRuns: dueRunRepository(database),
})
