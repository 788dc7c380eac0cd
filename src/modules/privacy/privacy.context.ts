// What privacy gives to those that come after: its repositories, and what else compose makes of it.
import type { BoundedQueries } from '../../db/bounded-queries.ts'
import { contactExportRepository } from './contact-exports.repository.ts'

export type PrivacyContext = { repositories: ReturnType<typeof privacyRepositories> }

export const privacyRepositories = ({ filterQueries }: { filterQueries: BoundedQueries }) => ({
  contactExports: contactExportRepository({ filterQueries }),
})
