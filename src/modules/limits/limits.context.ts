// What limits give to those that come after: their repositories, and what else compose makes of them.
import type { Database } from '../../db/database.ts'
import type { Clock } from '../../lib/clock.ts'
import { type AcceptedSince, teamLimitRepository } from './limits.repository.ts'
import { quotaRepository } from './quotas.repository.ts'
import type { Quotas } from './quotas.service.ts'
import { reputationRepository } from './reputations.repository.ts'
import { teamStorageRepository } from './team-storage.repository.ts'

export type LimitsContext = {
  repositories: ReturnType<typeof limitsRepositories>
  quotas: Quotas
}

export const limitsRepositories = (database: Database, { clock, acceptedSince }: { clock: Clock; acceptedSince: AcceptedSince }) => ({
  quotas: quotaRepository(database, { clock }),
  reputations: reputationRepository(database, { clock }),
  teamLimits: teamLimitRepository(database, { clock, acceptedSince }),
  teamStorage: teamStorageRepository(database),
})
