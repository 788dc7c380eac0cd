// What the console gives to those that come after.
import { createRecordSearches } from '../../db/bounded-queries.ts'
import type { Database } from '../../db/database.ts'
import type { Clock } from '../../lib/clock.ts'
import { teamChangeRepository } from './live/team-changes.repository.ts'
import { attentionRepository } from './overview/attention.repository.ts'
import { previewRepository } from './previews/previews.repository.ts'
import { emailRelationRepository } from './relations/email-relations.repository.ts'
import { savedViewRepository } from './saved-views/saved-views.repository.ts'
import { recordSearchRepository } from './search/record-searches.repository.ts'
import { recordUseRepository } from './uses/record-uses.repository.ts'

export type ConsoleContext = { repositories: ReturnType<typeof consoleRepositories> }

export const consoleRepositories = (database: Database, { clock }: { clock: Clock }) => ({
  attention: attentionRepository(database),
  relatedRecords: emailRelationRepository(database),
  teamChanges: teamChangeRepository(database),
  previews: previewRepository(database),
  recordUses: recordUseRepository(database),
  savedViews: savedViewRepository(database, { clock }),
  recordSearches: recordSearchRepository({ searches: createRecordSearches(database) }),
})
