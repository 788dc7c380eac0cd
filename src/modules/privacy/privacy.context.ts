// What privacy gives to those that come after: its repositories, and what else compose makes of it.
import type { BoundedQueries } from '../../db/bounded-queries.ts'
import type { Database } from '../../db/database.ts'
import { contactDeliverabilityRepository } from './contact-deliverability.repository.ts'
import { contactExportRepository } from './contact-exports.repository.ts'
import { contactTimelineRepository } from './contact-timelines.repository.ts'

export type PrivacyContext = { repositories: ReturnType<typeof privacyRepositories> }

export const privacyRepositories = (database: Database, { filterQueries }: { filterQueries: BoundedQueries }) => ({
  contactDeliverability: contactDeliverabilityRepository(database),
  contactExports: contactExportRepository({ filterQueries }),
  contactTimelines: contactTimelineRepository(database),
})
