// What the pages of the console add.
import type { Database } from '../db/database.ts'
import { emailRelationRepository } from './emails/relations.repository.ts'
import { attentionRepository } from './overview/attention.repository.ts'

export type ConsolePagesContext = { repositories: ReturnType<typeof consolePagesRepositories> }

export const consolePagesRepositories = (database: Database) => ({
  attention: attentionRepository(database),
  emailRelations: emailRelationRepository(database),
})
