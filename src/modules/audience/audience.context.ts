// What audience gives to those that come after: its repositories, and what else compose makes of it.
import { type BoundedQueries, createAudienceQueries, createQuickCounts, createValueSearches } from '../../db/bounded-queries.ts'
import type { Database } from '../../db/database.ts'
import type { RecordUses } from '../../db/record-uses.ts'
import type { Clock } from '../../lib/clock.ts'
import type { AddressHash } from './address-hashes.ts'
import { contactSearchRepository } from './contacts/contact-rows.repository.ts'
import { contactRepository, type ForgetContacts, type NotifyCreated } from './contacts/contacts.repository.ts'
import { importBatchRepository } from './imports/import-batches.repository.ts'
import { contactImportRepository } from './imports/imports.repository.ts'
import { contactJobRepository } from './jobs/contact-jobs.repository.ts'
import { type RecipientSelection, selectedContactRepository } from './jobs/selected-contacts.repository.ts'
import { orphanRepository } from './orphans.repository.ts'
import { occurringValueRepository } from './properties/occurring-values.repository.ts'
import { contactPropertyRepository } from './properties/properties.repository.ts'
import { audienceRepository } from './segments/audience.repository.ts'
import { audienceCountRepository } from './segments/audience-counts.repository.ts'
import { contactSegmentRepository } from './segments/contact-segments.repository.ts'
import { type CountedSegments, segmentMemberRepository } from './segments/segment-members.repository.ts'
import { orphanedMemberRepository, segmentFilterRepository, segmentRepository } from './segments/segments.repository.ts'
import { contactTopicRepository } from './topics/contact-topics.repository.ts'
import { topicRefusalRepository } from './topics/topic-refusals.repository.ts'
import { topicRepository } from './topics/topics.repository.ts'

export type AudienceContext = {
  /** Tells the broadcast of this email that its recipient has unsubscribed. Nothing happens if it has none. */
  recordUnsubscribed: (teamId: string, emailId: string, now: Date) => Promise<void>
  repositories: ReturnType<typeof audienceRepositories>
  /** How many contacts a team and its segments have. It remembers its counts for a while. */
  segmentMetrics: (teamId: string) => Promise<CountedSegments>
  /** Represents an address that opted out, because the address itself may not be stored. */
  hashAddress: AddressHash
}

export const audienceRepositories = (
  database: Database,
  {
    searches,
    clock,
    filterQueries,
    recordUses,
    forgetContacts,
    notifyCreated,
    recipientSelection,
  }: {
    searches: BoundedQueries
    clock: Clock
    filterQueries: BoundedQueries
    recordUses: RecordUses
    forgetContacts: ForgetContacts
    notifyCreated: NotifyCreated
    recipientSelection: RecipientSelection
  },
) => {
  const quickCounts = createQuickCounts(database)
  const segmentMembers = segmentMemberRepository(database, { filterQueries, quickCounts })
  return {
    audience: audienceRepository(database),
    audienceCounts: audienceCountRepository({ queries: createAudienceQueries(database) }),
    contactSearches: contactSearchRepository(database, { searches }),
    contactImports: contactImportRepository(database, { clock }),
    contactJobs: contactJobRepository(database, { clock, forgetContacts }),
    contactProperties: contactPropertyRepository(database, { clock }),
    contactSegments: contactSegmentRepository(database, { clock, filterQueries }),
    contactTopics: contactTopicRepository(database, { clock }),
    contacts: contactRepository(database, { clock, forgetContacts, notifyCreated }),
    importBatches: importBatchRepository(database, { clock }),
    orphans: orphanRepository(database),
    orphanedMembers: orphanedMemberRepository(database),
    occurringValues: occurringValueRepository({ searches: createValueSearches(database) }),
    namedInFilters: segmentFilterRepository(database),
    segmentMembers,
    selectedContacts: selectedContactRepository(database, { quickCounts, segmentMembers, recipientSelection }),
    segments: segmentRepository(database, { clock, recordUses }),
    topicRefusals: topicRefusalRepository(database),
    topics: topicRepository(database, { clock, recordUses }),
  }
}
