import type { Clock } from '../lib/clock.ts'
import { apiKeyRepository } from './api-keys.ts'
import { attachmentRepository } from './attachments.ts'
import { attemptRepository } from './attempts.ts'
import { audienceRepository } from './audience.ts'
import { capturedEmailRepository } from './captured-emails.ts'
import { contactExportRepository } from './contact-exports.ts'
import { contactImportRepository } from './contact-imports.ts'
import { contactPropertyRepository } from './contact-properties.ts'
import { contactSegmentRepository } from './contact-segments.ts'
import { contactTopicRepository } from './contact-topics.ts'
import { contactRepository } from './contacts.ts'
import { dataKeyRepository } from './data-keys.ts'
import type { Database } from './database.ts'
import { deliveryRepository } from './deliveries.ts'
import { destinationPaceRepository } from './destination-paces.ts'
import { emailRepository } from './emails.ts'
import { fetchedAttachmentRepository } from './fetched-attachments.ts'
import { createFilterQueries } from './filter-queries.ts'
import { healthRepository } from './health.ts'
import { idempotencyKeyRepository } from './idempotency-keys.ts'
import { importBatchRepository } from './import-batches.ts'
import { inboxLineRepository } from './inbox-lines.ts'
import { createInboxSearches } from './inbox-searches.ts'
import { laneRepository } from './lanes.ts'
import { leftoverRepository } from './leftovers.ts'
import { notificationRepository } from './notifications.ts'
import { orphanedMemberRepository } from './orphaned-members.ts'
import { outgoingEmailRepository } from './outgoing-emails.ts'
import { queuePauseRepository } from './queue-pauses.ts'
import { queueViewRepository } from './queue-view.ts'
import { requestLogRepository } from './request-logs.ts'
import { retentionRepository } from './retention.ts'
import { segmentFilterRepository } from './segment-filters.ts'
import { segmentMemberRepository } from './segment-members.ts'
import { segmentRepository } from './segments.ts'
import { sessionRepository } from './sessions.ts'
import { signInLinkRepository } from './sign-in-links.ts'
import { sweepClockRepository } from './sweep-clock.ts'
import { teamRepository } from './teams.ts'
import { topicRefusalRepository } from './topic-refusals.ts'
import { topicRepository } from './topics.ts'
import { workerLeaseRepository } from './worker-leases.ts'

export type Repositories = ReturnType<typeof createRepositories>

export type RepositoryOptions = {
  clock: Clock
  /** Told when something that is written behind could not be kept. */
  onLost: (what: 'request logs' | 'last uses', count: number, reason: unknown) => void
}

export function createRepositories(database: Database, { clock, onLost }: RepositoryOptions) {
  const filterQueries = createFilterQueries(database)
  return {
    apiKeys: apiKeyRepository(database, { clock, onLost: (count, reason) => onLost('last uses', count, reason) }),
    attempts: attemptRepository(database),
    attachments: attachmentRepository(database),
    audience: audienceRepository(database),
    capturedEmails: capturedEmailRepository(database),
    contactExports: contactExportRepository({ filterQueries }),
    contactImports: contactImportRepository(database, { clock }),
    contactProperties: contactPropertyRepository(database, { clock }),
    contactSegments: contactSegmentRepository(database, { clock, filterQueries }),
    contactTopics: contactTopicRepository(database, { clock }),
    contacts: contactRepository(database, { clock }),
    dataKeys: dataKeyRepository(database),
    deliveries: deliveryRepository(database),
    destinationPaces: destinationPaceRepository(database),
    emails: emailRepository(database),
    fetchedAttachments: fetchedAttachmentRepository(database),
    health: healthRepository(database),
    idempotencyKeys: idempotencyKeyRepository(database),
    importBatches: importBatchRepository(database, { clock }),
    inboxLines: inboxLineRepository(database, { searches: createInboxSearches(database) }),
    lanes: laneRepository(database),
    leftovers: leftoverRepository(database),
    notifications: notificationRepository(database),
    orphanedMembers: orphanedMemberRepository(database),
    outgoingEmails: outgoingEmailRepository(database),
    queuePauses: queuePauseRepository(database),
    queueView: queueViewRepository(database),
    requestLogs: requestLogRepository(database, { onLost: (count, reason) => onLost('request logs', count, reason) }),
    retention: retentionRepository(database),
    segmentFilters: segmentFilterRepository(database),
    segmentMembers: segmentMemberRepository(database, { filterQueries }),
    segments: segmentRepository(database, { clock }),
    sessions: sessionRepository(database),
    signInLinks: signInLinkRepository(database),
    sweepClock: sweepClockRepository(database),
    teams: teamRepository(database, { clock }),
    topicRefusals: topicRefusalRepository(database),
    topics: topicRepository(database, { clock }),
    workerLeases: workerLeaseRepository(database),
  }
}
