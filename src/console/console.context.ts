// What the pages of the console add.
import type { Database } from '../db/database.ts'
import { emailRelationRepository } from './emails/relations.repository.ts'

export type ConsolePagesContext = { repositories: ReturnType<typeof consolePagesRepositories> }

export const consolePagesRepositories = (database: Database) => ({
  emailRelations: emailRelationRepository(database),
})
