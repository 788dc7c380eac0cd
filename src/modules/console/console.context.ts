// What the console gives to those that come after.
import type { Database } from '../../db/database.ts'
import { teamChangeRepository } from './live/team-changes.repository.ts'
import { previewRepository } from './previews/previews.repository.ts'

export type ConsoleContext = { repositories: ReturnType<typeof consoleRepositories> }

export const consoleRepositories = (database: Database) => ({
  teamChanges: teamChangeRepository(database),
  previews: previewRepository(database),
})
