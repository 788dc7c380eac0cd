// What suppressions gives to those that come after: its repositories, and what else compose makes of it.
import type { Database } from '../../db/database.ts'
import type { Clock } from '../../lib/clock.ts'
import { suppressedAddressRepository, suppressionRepository } from './suppressions.repository.ts'

export type SuppressionsContext = { repositories: ReturnType<typeof suppressionsRepositories> }

export const suppressionsRepositories = (database: Database, { clock }: { clock: Clock }) => ({
  suppressedAddresses: suppressedAddressRepository(database),
  suppressions: suppressionRepository(database, { clock }),
})
