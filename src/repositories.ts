// All repositories on one database, and what those of different subjects share.

import { createBoundedQueries, createEmailSearches } from './db/bounded-queries.ts'
import type { Database } from './db/database.ts'
import { platformRepositories } from './http/platform.context.ts'
import { type Clock, DAY_MS } from './lib/clock.ts'
import type { Installation } from './mail/record-types.ts'
import { accountsRepositories } from './modules/accounts/accounts.context.ts'
import { audienceRepositories } from './modules/audience/audience.context.ts'
import { auditRepositories } from './modules/audit/audit.context.ts'
import { eraseDetails } from './modules/audit/chain.repository.ts'
import { automationsRepositories } from './modules/automations/automations.context.ts'
import { forgetContacts } from './modules/automations/forgotten-contacts.repository.ts'
import { notifyCreated } from './modules/automations/pending-events/created-contacts.repository.ts'
import { createRecordUses } from './modules/automations/record-uses.repository.ts'
import { heldRuns } from './modules/automations/runs/due-runs.repository.ts'
import { bouncesRepositories } from './modules/bounces/bounces.context.ts'
import { broadcastsRepositories } from './modules/broadcasts/broadcasts.context.ts'
import { forgetEmails } from './modules/broadcasts/forgotten-emails.repository.ts'
import { recipientSelection } from './modules/broadcasts/recipients/recipient-selection.repository.ts'
import { consoleRepositories } from './modules/console/console.context.ts'
import { deliverabilityRepositories } from './modules/deliverability/deliverability.context.ts'
import { deliveryRepositories } from './modules/delivery/delivery.context.ts'
import { heldDeliveries } from './modules/delivery/queue/deliveries.repository.ts'
import { domainsRepositories } from './modules/domains/domains.context.ts'
import type { UnreadableNotification } from './modules/emails/email-timeline.repository.ts'
import { emailsRepositories } from './modules/emails/emails.context.ts'

import { eventsRepositories } from './modules/events/events.context.ts'
import { imagesRepositories } from './modules/images/images.context.ts'
import { inboundRepositories } from './modules/inbound/inbound.context.ts'
import { limitsRepositories } from './modules/limits/limits.context.ts'
import type { AcceptedSince } from './modules/limits/limits.repository.ts'
import { logsRepositories } from './modules/logs/logs.context.ts'
import { metricsRepositories } from './modules/metrics/metrics.context.ts'
import { endGrantsOf } from './modules/oauth/grants.repository.ts'
import { oauthRepositories } from './modules/oauth/oauth.context.ts'
import { privacyRepositories } from './modules/privacy/privacy.context.ts'
import { secretsRepositories } from './modules/secrets/secrets.context.ts'
import type { SoftBounceLimits } from './modules/suppressions/soft-bounces.ts'
import { suppressionsRepositories } from './modules/suppressions/suppressions.context.ts'
import { templatesRepositories } from './modules/templates/templates.context.ts'
import { trackingRepositories } from './modules/tracking/tracking.context.ts'
import { heldWebhookMessages } from './modules/webhooks/sending/webhook-deliveries.repository.ts'
import { webhooksRepositories } from './modules/webhooks/webhooks.context.ts'

export type Repositories = ReturnType<typeof createRepositories>

export type RepositoryOptions = {
  clock: Clock
  /** Base of every link that the service creates, without a slash at the end. Commands create none. */
  publicUrl?: string
  /** What the DNS records of all domains lead to. */
  installation: Installation
  /** After which soft bounces an address is suppressed. */
  softBounces: SoftBounceLimits
  /** Mail to these counts for no limit. */
  simulatorDomains?: readonly string[]
  /** After so many days, emails are removed; 0: never. */
  emailRetentionDays?: number
  /** Called when buffered entries could not be written. */
  onLost: (what: 'request logs' | 'last uses', count: number, reason: unknown) => void
  onUnreadable: (unreadable: UnreadableNotification) => void
}

/** What modules know of contacts, in the transaction that deletes them. */
const forgetEverywhere: typeof forgetContacts = async (execute, teamId, deleted) => {
  await forgetContacts(execute, teamId, deleted)
  await eraseDetails(execute, teamId, deleted)
}

export function createRepositories(
  database: Database,
  {
    clock,
    publicUrl = '',
    installation,
    softBounces,
    simulatorDomains = [],
    emailRetentionDays = 0,
    onLost,
    onUnreadable,
  }: RepositoryOptions,
) {
  const filterQueries = createBoundedQueries(database)
  const searches = createEmailSearches(database)
  const recordUses = createRecordUses(simulatorDomains)
  const broadcasts = broadcastsRepositories(database, { clock, searches, simulatorDomains })
  const webhooks = webhooksRepositories(database, { clock })
  const automations = automationsRepositories(database, { clock })
  const metrics = metricsRepositories(database, {
    countBroadcasts: broadcasts.broadcasts.count,
    countWebhooks: webhooks.webhooks.count,
    runsBegunSince: automations.automationRunCounts.begunSince,
  })
  const oauth = oauthRepositories(database, { clock })
  const emails = emailsRepositories(database, { searches, forgetEmails, onUnreadable, simulatorDomains })
  const acceptedSince: AcceptedSince = async (teamId, since, now) => {
    const stored = await emails.acceptedEmails.countSince(teamId, since)
    const mayBeRemoved = emailRetentionDays > 0 && now.getTime() - since.getTime() > emailRetentionDays * DAY_MS
    return mayBeRemoved ? Math.max(stored, await metrics.emailCounts.sentToPeopleSince(teamId, since, now)) : stored
  }
  return {
    ...platformRepositories(database, { held: [heldDeliveries, heldWebhookMessages, heldRuns] }),
    ...secretsRepositories(database),
    ...limitsRepositories(database, { clock, acceptedSince }),
    ...imagesRepositories(database, { clock }),
    ...auditRepositories(database, { searches }),
    ...domainsRepositories(database, { clock, installation, recordUses }),
    ...accountsRepositories(database, {
      clock,
      publicUrl,
      onLost: (count, reason) => onLost('last uses', count, reason),
      endGrants: endGrantsOf,
      onGrantsEnded: oauth.oauthGrants.forget,
    }),
    ...suppressionsRepositories(database, { clock }),
    ...audienceRepositories(database, {
      searches,
      clock,
      filterQueries,
      recordUses,
      forgetContacts: forgetEverywhere,
      notifyCreated,
      recipientSelection: recipientSelection(database),
    }),
    ...templatesRepositories(database, { clock, recordUses }),
    ...emails,
    ...trackingRepositories(database),
    ...deliveryRepositories(database, { softBounces }),
    ...inboundRepositories(database),
    ...bouncesRepositories(database, { softBounces }),
    ...logsRepositories(database, { searches, onLost: (count, reason) => onLost('request logs', count, reason) }),
    ...metrics,
    ...broadcasts,
    ...eventsRepositories(database, { clock }),
    ...automations,
    ...webhooks,
    ...oauth,
    ...privacyRepositories(database, { filterQueries }),
    ...deliverabilityRepositories(database),
    ...consoleRepositories(database, { clock }),
  }
}
