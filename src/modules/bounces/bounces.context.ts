// What bounces gives to those that come after: its repositories, and what else compose makes of it.
import type { Database } from '../../db/database.ts'
import type { SoftBounceLimits } from '../suppressions/soft-bounces.ts'
import { waitingMessageRepository } from './pending-reports.repository.ts'
import type { ReportReader } from './report-reader.ts'
import { reportedRecipientRepository } from './reported-recipients.repository.ts'

export type BouncesContext = {
  repositories: ReturnType<typeof bouncesRepositories>
  gateways: {
    /** Reads what came back, in a thread of its own. */
    reports: ReportReader
  }
}

export const bouncesRepositories = (database: Database, { softBounces }: { softBounces: SoftBounceLimits }) => ({
  reportedRecipients: reportedRecipientRepository(database),
  waitingMessages: waitingMessageRepository(database, { softBounces }),
})
