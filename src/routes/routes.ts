// The operations of every resource, in the order of the OpenAPI document.
import { apiKeyRoutes } from './api-keys.ts'
import { audienceContactRoutes } from './audience-contacts.ts'
import { audienceRoutes } from './audiences.ts'
import { automationRunRoutes } from './automation-runs.ts'
import { automationSimulationRoutes } from './automation-simulations.ts'
import { automationRoutes } from './automations.ts'
import { broadcastPreviewRoutes } from './broadcast-previews.ts'
import { broadcastRecipientRoutes } from './broadcast-recipients.ts'
import { broadcastRoutes } from './broadcasts.ts'
import { contactEventRoutes } from './contact-events.ts'
import { contactExportRoutes } from './contact-exports.ts'
import { contactImportRoutes } from './contact-imports.ts'
import { contactPropertyRoutes } from './contact-properties.ts'
import { contactSegmentRoutes } from './contact-segments.ts'
import { contactTopicRoutes } from './contact-topics.ts'
import { contactUnsubscribeLinkRoutes } from './contact-unsubscribe-links.ts'
import { contactRoutes } from './contacts.ts'
import { domainClaimRoutes } from './domain-claims.ts'
import { domainRoutes } from './domains.ts'
import { emailAttachmentRoutes } from './email-attachments.ts'
import { emailAttemptRoutes } from './email-attempts.ts'
import { emailBatchRoutes } from './email-batches.ts'
import { emailEventRoutes } from './email-events.ts'
import { emailMetricRoutes } from './email-metrics.ts'
import { emailRoutes } from './emails.ts'
import { eventRoutes } from './events.ts'
import { logRoutes } from './logs.ts'
import { oauthGrantRoutes } from './oauth-grants.ts'
import type { Routes } from './operation.ts'
import { receivedAttachmentRoutes } from './received-attachments.ts'
import { receivedEmailRoutes } from './received-emails.ts'
import { segmentContactRoutes } from './segment-contacts.ts'
import { segmentMetricRoutes } from './segment-metrics.ts'
import { segmentRoutes } from './segments.ts'
import { sentEventRoutes } from './sent-events.ts'
import { suppressionBatchRoutes } from './suppression-batches.ts'
import { suppressionRoutes } from './suppressions.ts'
import { templateVersionRoutes } from './template-versions.ts'
import { templateRoutes } from './templates.ts'
import { topicRoutes } from './topics.ts'
import { usageRoutes } from './usage.ts'
import { webhookEventRoutes } from './webhook-events.ts'
import { webhookFeedRoutes } from './webhook-feed.ts'
import { webhookRoutes } from './webhooks.ts'

export const ROUTES: Routes[] = [
  emailRoutes,
  emailBatchRoutes,
  emailAttachmentRoutes,
  emailEventRoutes,
  emailAttemptRoutes,
  emailMetricRoutes,
  usageRoutes,
  receivedEmailRoutes,
  receivedAttachmentRoutes,
  templateRoutes,
  templateVersionRoutes,
  domainRoutes,
  domainClaimRoutes,
  contactPropertyRoutes,
  topicRoutes,
  segmentRoutes,
  segmentContactRoutes,
  segmentMetricRoutes,
  contactRoutes,
  contactSegmentRoutes,
  contactTopicRoutes,
  contactEventRoutes,
  contactExportRoutes,
  contactUnsubscribeLinkRoutes,
  contactImportRoutes,
  broadcastRoutes,
  broadcastRecipientRoutes,
  broadcastPreviewRoutes,
  eventRoutes,
  sentEventRoutes,
  automationRoutes,
  automationSimulationRoutes,
  automationRunRoutes,
  suppressionRoutes,
  suppressionBatchRoutes,
  webhookRoutes,
  webhookEventRoutes,
  webhookFeedRoutes,
  audienceRoutes,
  audienceContactRoutes,
  apiKeyRoutes,
  oauthGrantRoutes,
  logRoutes,
]
