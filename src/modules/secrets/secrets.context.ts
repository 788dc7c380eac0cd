// What secrets gives to those that come after: its repositories, and what else compose makes of it.
import type { Database } from '../../db/database.ts'
import { dataKeyRepository } from './data-keys.repository.ts'
import type { LinkPurpose } from './data-keys.ts'
import type { Links } from './links.ts'

export type SecretsContext = {
  repositories: ReturnType<typeof secretsRepositories>
  links: Links<LinkPurpose>
}

export const secretsRepositories = (database: Database) => ({
  dataKeys: dataKeyRepository(database),
})
