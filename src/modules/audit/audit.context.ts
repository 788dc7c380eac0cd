// What audit gives to those that come after: its repositories, and what else compose makes of it.
import type { BoundedQueries } from '../../db/bounded-queries.ts'
import type { Database } from '../../db/database.ts'
import { auditLogRepository } from './audit.repository.ts'
import { auditChainRepository } from './chain.repository.ts'
import type { ChainKeys } from './chain.ts'

export type AuditContext = {
  repositories: ReturnType<typeof auditRepositories>
  /** The keys that sign the chain. */
  auditKeys: () => ChainKeys
}

export const auditRepositories = (database: Database, { searches }: { searches: BoundedQueries }) => ({
  auditLog: auditLogRepository(database, { searches }),
  auditChains: auditChainRepository(database),
})
