import type { Clock } from '../lib/clock.ts'
import type { Installation } from '../lib/domains/wanted-records.ts'
import type { SoftBounceLimits } from '../lib/soft-bounces.ts'
import { audienceRepository } from './audience/audience.ts'
import { changedComparisonRepository } from './audience/changed-comparisons.ts'
import { contactExportRepository } from './audience/contact-exports.ts'
import { contactTimelineRepository } from './audience/contact-timelines.ts'
import { advanceRepository } from './automations/advances.ts'
import { automationRepository } from './automations/automations.ts'
import { contactActRepository } from './automations/contact-acts.ts'
import { dueRunRepository } from './automations/due-runs.ts'
import { occurrenceRepository } from './automations/occurrences.ts'
import { oldRunRepository } from './automations/old-runs.ts'
import { automationRunCountRepository } from './automations/run-counts.ts'
import { automationRunRecordRepository } from './automations/run-records.ts'
import { automationRunRepository } from './automations/runs.ts'
import { createBoundedQueries, createQuickCounts } from './bounded-queries.ts'
import { audienceBroadcastRepository } from './broadcasts/audience-broadcasts.ts'
import { broadcastRecipientRepository } from './broadcasts/broadcast-recipients.ts'
import { broadcastSearchRepository } from './broadcasts/broadcast-searches.ts'
import { broadcastWalkRepository } from './broadcasts/broadcast-walks.ts'
import { broadcastRepository } from './broadcasts/broadcasts.ts'
import { dueBroadcastRepository } from './broadcasts/due-broadcasts.ts'
import { fanOutRepository } from './broadcasts/fan-out.ts'
import { contactPropertyRepository } from './contacts/contact-properties.ts'
import { contactSearchRepository } from './contacts/contact-searches.ts'
import { contactRepository } from './contacts/contacts.ts'
import { forgottenContactRepository } from './contacts/forgotten-contacts.ts'
import { leftoverRepository } from './contacts/leftovers.ts'
import type { Database } from './database.ts'
import { databaseFactRepository } from './database-facts.ts'
import { claimCheckRepository } from './domains/claim-checks.ts'
import { dkimKeyRepository } from './domains/dkim-keys.ts'
import { domainCheckRepository } from './domains/domain-checks.ts'
import { domainClaimRepository } from './domains/domain-claims.ts'
import { domainRepository } from './domains/domains.ts'
import { keyRotationRepository } from './domains/key-rotation.ts'
import { senderMailRepository } from './domains/sender-mail.ts'
import { sendingDomainRepository } from './domains/sending-domains.ts'
import { verifiedDomainRepository } from './domains/verified-domains.ts'
import { attachmentRepository } from './emails/attachments.ts'
import { capturedEmailRepository } from './emails/captured-emails.ts'
import { emailLineRepository } from './emails/email-lines.ts'
import { emailRelationRepository } from './emails/email-relations.ts'
import { createEmailSearches, createRecordSearches } from './emails/email-searches.ts'
import { emailRepository } from './emails/emails.ts'
import { fetchedAttachmentRepository } from './emails/fetched-attachments.ts'
import { idempotencyKeyRepository } from './emails/idempotency-keys.ts'
import { outgoingEmailRepository } from './emails/outgoing-emails.ts'
import { attemptRepository } from './engine/attempts.ts'
import { deliveryRepository } from './engine/deliveries.ts'
import { destinationPaceRepository } from './engine/destination-paces.ts'
import { laneRepository } from './engine/lanes.ts'
import { queuePauseRepository } from './engine/queue-pauses.ts'
import { queueViewRepository } from './engine/queue-view.ts'
import { serviceProcessRepository } from './engine/service-processes.ts'
import { workerLeaseRepository } from './engine/worker-leases.ts'
import { eventRepository } from './events/events.ts'
import { sentEventRepository } from './events/sent-events.ts'
import { healthRepository } from './health.ts'
import { contactImportRepository } from './imports/contact-imports.ts'
import { importBatchRepository } from './imports/import-batches.ts'
import { inboundListRepository } from './inbound/inbound-list.ts'
import { inboundMessageRepository } from './inbound/inbound-messages.ts'
import { keptContentRepository } from './inbound/kept-contents.ts'
import { receivedAmountRepository } from './inbound/received-amounts.ts'
import { receivedEmailRepository } from './inbound/received-emails.ts'
import { receivingDomainRepository } from './inbound/receiving-domains.ts'
import { reportedRecipientRepository } from './inbound/reported-recipients.ts'
import { returnPathHostRepository } from './inbound/return-path-hosts.ts'
import { waitingContentRepository } from './inbound/waiting-contents.ts'
import { waitingMessageRepository } from './inbound/waiting-messages.ts'
import { waitingReceivedRepository } from './inbound/waiting-received.ts'
import { lastBackupRepository } from './last-backup.ts'
import { countChangeRepository } from './metrics/count-changes.ts'
import { emailCountRepository } from './metrics/email-counts.ts'
import { recountRepository } from './metrics/recounts.ts'
import { notificationRepository, type UnreadableNotification } from './notifications.ts'
import { oauthClientRepository } from './oauth/oauth-clients.ts'
import { oauthGrantRepository } from './oauth/oauth-grants.ts'
import { oauthRecordRepository } from './oauth/oauth-records.ts'
import { retentionRepository } from './retention.ts'
import { scheduledJobRepository } from './scheduled-jobs.ts'
import { contactSegmentRepository } from './segments/contact-segments.ts'
import { segmentFilterRepository } from './segments/named-in-filters.ts'
import { orphanedMemberRepository } from './segments/orphaned-members.ts'
import { segmentMemberRepository } from './segments/segment-members.ts'
import { segmentRepository } from './segments/segments.ts'
import { storageOwnerRepository } from './storage-owner.ts'
import { suppressedAddressRepository } from './suppressions/suppressed-addresses.ts'
import { suppressionRepository } from './suppressions/suppressions.ts'
import { sweepClockRepository } from './sweep-clock.ts'
import { apiKeyRepository } from './team/api-keys.ts'
import { attentionRepository } from './team/attention.ts'
import { dataKeyRepository } from './team/data-keys.ts'
import { logSearchRepository } from './team/log-searches.ts'
import { operatorSignInRepository } from './team/operator-sign-ins.ts'
import { recordSearchRepository } from './team/record-searches.ts'
import { requestLogRepository } from './team/request-logs.ts'
import { sessionRepository } from './team/sessions.ts'
import { signInLinkRepository } from './team/sign-in-links.ts'
import { teamRepository } from './team/teams.ts'
import { usageRepository } from './team/usage.ts'
import { templateVersionRepository } from './templates/template-versions.ts'
import { templateRepository } from './templates/templates.ts'
import { contactTopicRepository } from './topics/contact-topics.ts'
import { topicRefusalRepository } from './topics/topic-refusals.ts'
import { topicRepository } from './topics/topics.ts'
import { trackedActRepository } from './tracking/tracked-acts.ts'
import { trackingHostRepository } from './tracking/tracking-hosts.ts'
import { usedFormRepository } from './used-forms.ts'
import { waitingMessageOfWebhookRepository } from './webhooks/waiting-messages.ts'
import { webhookContentRepository } from './webhooks/webhook-contents.ts'
import { webhookDeliveryRepository } from './webhooks/webhook-deliveries.ts'
import { webhookEventRepository } from './webhooks/webhook-events.ts'
import { webhookFeedRepository } from './webhooks/webhook-feed.ts'
import { webhookRepository } from './webhooks/webhooks.ts'

export type Repositories = ReturnType<typeof createRepositories>

export type RepositoryOptions = {
  clock: Clock
  /** What the DNS records of all domains lead to. */
  installation: Installation
  /** After which soft bounces an address is suppressed. */
  softBounces: SoftBounceLimits
  /** Called when buffered entries could not be written. */
  onLost: (what: 'request logs' | 'last uses', count: number, reason: unknown) => void
  onUnreadable: (unreadable: UnreadableNotification) => void
}

export function createRepositories(database: Database, { clock, installation, softBounces, onLost, onUnreadable }: RepositoryOptions) {
  const filterQueries = createBoundedQueries(database)
  const emailSearches = createEmailSearches(database)
  const oauthGrants = oauthGrantRepository(database, { clock })
  return {
    apiKeys: apiKeyRepository(database, {
      clock,
      onLost: (count, reason) => onLost('last uses', count, reason),
      onGrantsEnded: oauthGrants.forget,
    }),
    attention: attentionRepository(database),
    attempts: attemptRepository(database),
    attachments: attachmentRepository(database),
    audience: audienceRepository(database),
    automations: automationRepository(database, { clock }),
    automationRunCounts: automationRunCountRepository(database),
    automationRunRecords: automationRunRecordRepository(database),
    automationAdvances: advanceRepository(database, { clock }),
    automationContactActs: contactActRepository(database, { clock }),
    automationOccurrences: occurrenceRepository(database, { clock }),
    oldRuns: oldRunRepository(database),
    automationRuns: automationRunRepository(database, { clock }),
    audienceBroadcasts: audienceBroadcastRepository(database),
    broadcasts: broadcastRepository(database, { clock }),
    broadcastFanOut: fanOutRepository(database, { clock }),
    broadcastSearches: broadcastSearchRepository({ searches: emailSearches }),
    broadcastRecipients: broadcastRecipientRepository(database, { searches: emailSearches }),
    broadcastWalks: broadcastWalkRepository(database, { clock }),
    capturedEmails: capturedEmailRepository(database),
    changedComparisons: changedComparisonRepository(database),
    claimChecks: claimCheckRepository(database, { clock, installation }),
    contactExports: contactExportRepository({ filterQueries }),
    contactSearches: contactSearchRepository(database, { searches: emailSearches }),
    contactTimelines: contactTimelineRepository(database),
    contactImports: contactImportRepository(database, { clock }),
    contactProperties: contactPropertyRepository(database, { clock }),
    forgottenContacts: forgottenContactRepository(database, { clock }),
    contactSegments: contactSegmentRepository(database, { clock, filterQueries }),
    contactTopics: contactTopicRepository(database, { clock }),
    contacts: contactRepository(database, { clock }),
    countChanges: countChangeRepository(database),
    dataKeys: dataKeyRepository(database),
    databaseFacts: databaseFactRepository(database),
    deliveries: deliveryRepository(database, { softBounces }),
    destinationPaces: destinationPaceRepository(database),
    dkimKeys: dkimKeyRepository(database),
    domainChecks: domainCheckRepository(database, { clock, installation }),
    domainClaims: domainClaimRepository(database, { clock, installation }),
    domains: domainRepository(database, { clock, installation }),
    dueBroadcasts: dueBroadcastRepository(database),
    dueRuns: dueRunRepository(database),
    emailCounts: emailCountRepository(database),
    emails: emailRepository(database),
    events: eventRepository(database, { clock }),
    fetchedAttachments: fetchedAttachmentRepository(database),
    health: healthRepository(database),
    idempotencyKeys: idempotencyKeyRepository(database),
    importBatches: importBatchRepository(database, { clock }),
    inboundList: inboundListRepository(database),
    inboundMessages: inboundMessageRepository(database),
    keptContents: keptContentRepository(database),
    waitingContents: waitingContentRepository(database),
    emailRelations: emailRelationRepository(database),
    emailLines: emailLineRepository(database, { searches: emailSearches }),
    lanes: laneRepository(database),
    leftovers: leftoverRepository(database),
    notifications: notificationRepository(database, { onUnreadable }),
    oauthClients: oauthClientRepository(database, { clock }),
    oauthGrants,
    oauthRecords: oauthRecordRepository(database, { clock }),
    operatorSignIns: operatorSignInRepository(database),
    orphanedMembers: orphanedMemberRepository(database),
    outgoingEmails: outgoingEmailRepository(database),
    queuePauses: queuePauseRepository(database),
    queueView: queueViewRepository(database),
    receivedEmails: receivedEmailRepository(database),
    receivedAmounts: receivedAmountRepository(database),
    receivingDomains: receivingDomainRepository(database),
    reportedRecipients: reportedRecipientRepository(database),
    recounts: recountRepository(database),
    logSearches: logSearchRepository({ searches: emailSearches }),
    recordSearches: recordSearchRepository({ searches: createRecordSearches(database) }),
    requestLogs: requestLogRepository(database, { onLost: (count, reason) => onLost('request logs', count, reason) }),
    returnPathHosts: returnPathHostRepository(database),
    retention: retentionRepository(database),
    sentEvents: sentEventRepository(database),
    scheduledJobs: scheduledJobRepository(database),
    keyRotation: keyRotationRepository(database, { clock, installation }),
    namedInFilters: segmentFilterRepository(database),
    segmentMembers: segmentMemberRepository(database, {
      filterQueries,
      quickCounts: createQuickCounts(database),
    }),
    segments: segmentRepository(database, { clock }),
    sendingDomains: sendingDomainRepository(database),
    senderMail: senderMailRepository(database),
    sessions: sessionRepository(database),
    signInLinks: signInLinkRepository(database),
    storageOwner: storageOwnerRepository(database),
    lastBackup: lastBackupRepository(database),
    suppressedAddresses: suppressedAddressRepository(database),
    suppressions: suppressionRepository(database, { clock }),
    sweepClock: sweepClockRepository(database),
    teams: teamRepository(database, { clock }),
    templateVersions: templateVersionRepository(database),
    templates: templateRepository(database, { clock }),
    topicRefusals: topicRefusalRepository(database),
    topics: topicRepository(database, { clock }),
    trackedActs: trackedActRepository(database),
    trackingHosts: trackingHostRepository(database),
    usedForms: usedFormRepository(database),
    usage: usageRepository(database),
    verifiedDomains: verifiedDomainRepository(database),
    waitingMessages: waitingMessageRepository(database, { softBounces }),
    waitingReceived: waitingReceivedRepository(database),
    waitingWebhookMessages: waitingMessageOfWebhookRepository(database),
    webhookContents: webhookContentRepository(database),
    webhookDeliveries: webhookDeliveryRepository(database),
    webhookEvents: webhookEventRepository(database),
    webhookFeed: webhookFeedRepository(database),
    webhooks: webhookRepository(database, { clock }),
    serviceProcesses: serviceProcessRepository(database),
    workerLeases: workerLeaseRepository(database),
  }
}
