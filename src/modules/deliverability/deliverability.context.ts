// What deliverability gives to those that come after.
import type { Database } from '../../db/database.ts'
import type { DeliverabilityReport } from './findings.ts'
import { guardRepository } from './guard/guard.repository.ts'

export type DeliverabilityContext = {
  repositories: ReturnType<typeof deliverabilityRepositories>
  /**
   * What a load balancer needs to know: for each part `ok`, or what is wrong. `queue` only while it is held after a restore, `storage` only with a bucket.
   * `schema`: the last migration of the tables, which may be newer than this program.
   */
  readiness: () => Promise<{ isReady: boolean; checks: Record<string, string>; schema: string | null }>
  /** What an operator needs to know: whether mail of this installation arrives. At most a minute old. */
  deliverability: () => Promise<DeliverabilityReport>
}

export const deliverabilityRepositories = (database: Database) => ({ guard: guardRepository(database) })
