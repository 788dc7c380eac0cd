// Every resource that the path of an operation can name, with its operations, in the order of the sections of the OpenAPI document: sending first, and
// properties, topics and segments before the contacts whose examples need them.

import { apiKeyRoutes } from './accounts/api-keys.routes.ts'
import { API_KEYS } from './accounts/api-keys.schema.ts'
import { passkeyRoutes } from './accounts/passkeys/passkeys.routes.ts'
import { PASSKEYS } from './accounts/passkeys/passkeys.schema.ts'
import { meRoutes } from './accounts/people/me.routes.ts'
import { ME, SESSIONS } from './accounts/people/me.schema.ts'
import { invitationRoutes, memberRoutes } from './accounts/people/members.routes.ts'
import { INVITATIONS, MEMBERS } from './accounts/people/members.schema.ts'
import { teamLimitRoutes } from './accounts/teams/team-limits.routes.ts'
import { teamMemberRoutes } from './accounts/teams/team-members.routes.ts'
import { teamSettingsRoutes } from './accounts/teams/team-settings.routes.ts'
import { TEAM } from './accounts/teams/team-settings.schema.ts'
import { teamRoutes } from './accounts/teams/teams.routes.ts'
import { TEAMS } from './accounts/teams/teams.schema.ts'
import { audienceContactRoutes, audienceRoutes } from './audience/audiences/audiences.routes.ts'
import { AUDIENCES } from './audience/audiences/audiences.schema.ts'
import { contactFileRoutes } from './audience/contacts/contact-files.routes.ts'
import { contactRoutes } from './audience/contacts/contacts.routes.ts'
import { CONTACTS } from './audience/contacts/contacts.schema.ts'
import { contactImportRoutes } from './audience/imports/imports.routes.ts'
import { CONTACT_IMPORTS } from './audience/imports/imports.schema.ts'
import { contactJobRoutes } from './audience/jobs/contact-jobs.routes.ts'
import { CONTACT_JOBS } from './audience/jobs/contact-jobs.schema.ts'
import { contactPropertyRoutes } from './audience/properties/properties.routes.ts'
import { CONTACT_PROPERTIES } from './audience/properties/properties.schema.ts'
import { contactSegmentRoutes } from './audience/segments/contact-segments.routes.ts'
import { segmentCountRoutes } from './audience/segments/segment-counts.routes.ts'
import { segmentGrowthRoutes } from './audience/segments/segment-growth.routes.ts'
import { segmentMetricRoutes } from './audience/segments/segment-metrics.routes.ts'
import { segmentContactRoutes, segmentRoutes } from './audience/segments/segments.routes.ts'
import { SEGMENTS } from './audience/segments/segments.schema.ts'
import { contactTopicRoutes } from './audience/topics/contact-topics.routes.ts'
import { topicRoutes } from './audience/topics/topics.routes.ts'
import { TOPICS } from './audience/topics/topics.schema.ts'
import { contactUnsubscribeLinkRoutes } from './audience/unsubscribe/unsubscribe-links.routes.ts'
import { auditLogRoutes } from './audit/audit.routes.ts'
import { AUDIT_LOG } from './audit/audit.schema.ts'
import { automationRoutes } from './automations/automations.routes.ts'
import { AUTOMATIONS } from './automations/automations.schema.ts'
import { automationMetricRoutes } from './automations/runs/automation-metrics.routes.ts'
import { automationRunRoutes } from './automations/runs/runs.routes.ts'
import { AUTOMATION_RUNS } from './automations/runs/runs.schema.ts'
import { automationSimulationRoutes } from './automations/simulations/simulations.routes.ts'
import { broadcastAudienceRoutes } from './broadcasts/broadcast-audience.routes.ts'
import { broadcastCheckRoutes } from './broadcasts/broadcast-checks.routes.ts'
import { broadcastPreviewRoutes } from './broadcasts/broadcast-previews.routes.ts'
import { broadcastVersionRoutes } from './broadcasts/broadcast-versions.routes.ts'
import { BROADCAST_VERSIONS } from './broadcasts/broadcast-versions.schema.ts'
import { broadcastRoutes } from './broadcasts/broadcasts.routes.ts'
import { BROADCASTS } from './broadcasts/broadcasts.schema.ts'
import { broadcastRecipientRoutes } from './broadcasts/recipients/broadcast-recipients.routes.ts'
import { recipientFileRoutes } from './broadcasts/recipients/recipient-files.routes.ts'
import { recipientSegmentRoutes } from './broadcasts/recipients/recipient-segments.routes.ts'
import { CONSOLE } from './console/console.schema.ts'
import { consoleDownloadRoutes } from './console/downloads/downloads.routes.ts'
import { liveRoutes } from './console/live/live.routes.ts'
import { healthOperationRoutes } from './console/operation/health.routes.ts'
import { imageOperationRoutes } from './console/operation/images.routes.ts'
import { OPERATION } from './console/operation/operation.schema.ts'
import { queueOperationRoutes } from './console/operation/queue.routes.ts'
import { throughputRoutes } from './console/operation/throughput.routes.ts'
import { overviewRoutes } from './console/overview/overview.routes.ts'
import { previewRoutes } from './console/previews/previews.routes.ts'
import { emailRelationRoutes } from './console/relations/email-relations.routes.ts'
import { pendingDeliveryRoutes } from './console/relations/pending-deliveries.routes.ts'
import { segmentRemovalRoutes } from './console/relations/segment-removal.routes.ts'
import { savedViewRoutes } from './console/saved-views/saved-views.routes.ts'
import { SAVED_VIEWS } from './console/saved-views/saved-views.schema.ts'
import { searchRoutes } from './console/search/search.routes.ts'
import { sourceRoutes } from './console/sources/sources.routes.ts'
import { useRoutes } from './console/uses/uses.routes.ts'
import { domainClaimRoutes } from './domains/claims/domain-claims.routes.ts'
import { DOMAIN_CLAIMS } from './domains/claims/domain-claims.schema.ts'
import { domainRoutes } from './domains/domains.routes.ts'
import { DOMAINS } from './domains/domains.schema.ts'
import { domainDnsRoutes } from './domains/records/domain-dns.routes.ts'
import { emailFileRoutes } from './emails/email-files.routes.ts'
import { emailAttachmentRoutes, emailAttemptRoutes, emailEventRoutes } from './emails/email-timeline.routes.ts'
import { ATTACHMENTS } from './emails/email-timeline.schema.ts'
import { emailBatchRoutes, emailRoutes } from './emails/emails.routes.ts'
import { EMAILS } from './emails/emails.schema.ts'
import { eventRoutes } from './events/events.routes.ts'
import { EVENTS } from './events/events.schema.ts'
import { contactEventRoutes, sentEventRoutes } from './events/sent-events.routes.ts'
import { imageRoutes } from './images/images.routes.ts'
import { IMAGES } from './images/images.schema.ts'
import { receivedAttachmentRoutes, receivedEmailRoutes } from './inbound/received.routes.ts'
import { RECEIVED_ATTACHMENTS, RECEIVED_EMAILS } from './inbound/received.schema.ts'
import { logMetricRoutes } from './logs/log-metrics.routes.ts'
import { logRoutes } from './logs/logs.routes.ts'
import { LOGS } from './logs/logs.schema.ts'
import { emailBreakdownRoutes } from './metrics/breakdowns.routes.ts'
import { contactMetricRoutes } from './metrics/contact-metrics.routes.ts'
import { metricFileRoutes } from './metrics/metric-files.routes.ts'
import { emailMetricRoutes } from './metrics/metrics.routes.ts'
import { teamUsageRoutes, usageRoutes } from './metrics/usage.routes.ts'
import { oauthGrantRoutes } from './oauth/grants.routes.ts'
import { OAUTH_GRANTS } from './oauth/grants.schema.ts'
import { contactDeliverabilityRoutes } from './privacy/contact-deliverability.routes.ts'
import { contactExportRoutes } from './privacy/contact-exports.routes.ts'
import { contactTimelineRoutes } from './privacy/contact-timelines.routes.ts'
import { emailShareRoutes } from './sharing/email-shares.routes.ts'
import { suppressionBatchRoutes, suppressionRoutes } from './suppressions/suppressions.routes.ts'
import { SUPPRESSIONS } from './suppressions/suppressions.schema.ts'
import { templateCheckRoutes } from './templates/template-checks.routes.ts'
import { templateVersionRoutes } from './templates/template-versions.routes.ts'
import { templateRoutes } from './templates/templates.routes.ts'
import { TEMPLATE_VERSIONS, TEMPLATES } from './templates/templates.schema.ts'
import { webhookEventRoutes } from './webhooks/events/webhook-events.routes.ts'
import { WEBHOOK_EVENTS } from './webhooks/events/webhook-events.schema.ts'
import { webhookMetricRoutes } from './webhooks/events/webhook-metrics.routes.ts'
import { webhookFeedRoutes } from './webhooks/feed/webhook-feed.routes.ts'
import { webhookRoutes } from './webhooks/webhooks.routes.ts'
import { WEBHOOKS } from './webhooks/webhooks.schema.ts'

/** What stands in each section. */
const LISTED = [
  {
    resources: [EMAILS, ATTACHMENTS],
    routes: [
      emailRoutes,
      emailShareRoutes,
      emailBatchRoutes,
      emailAttachmentRoutes,
      emailEventRoutes,
      emailAttemptRoutes,
      emailFileRoutes,
      emailMetricRoutes,
      metricFileRoutes,
      emailBreakdownRoutes,
      usageRoutes,
    ],
  },
  { resources: [RECEIVED_EMAILS, RECEIVED_ATTACHMENTS], routes: [receivedEmailRoutes, receivedAttachmentRoutes] },
  { resources: [TEMPLATES, TEMPLATE_VERSIONS], routes: [templateRoutes, templateVersionRoutes, templateCheckRoutes] },
  { resources: [IMAGES], routes: [imageRoutes] },
  { resources: [DOMAINS, DOMAIN_CLAIMS], routes: [domainRoutes, domainDnsRoutes, domainClaimRoutes] },
  { resources: [CONTACT_PROPERTIES], routes: [contactPropertyRoutes] },
  { resources: [TOPICS], routes: [topicRoutes] },
  { resources: [SEGMENTS], routes: [segmentRoutes, segmentContactRoutes, segmentMetricRoutes, segmentGrowthRoutes, segmentCountRoutes] },
  {
    resources: [CONTACTS, CONTACT_JOBS],
    routes: [
      contactRoutes,
      contactFileRoutes,
      contactMetricRoutes,
      contactSegmentRoutes,
      contactTopicRoutes,
      contactEventRoutes,
      contactTimelineRoutes,
      contactDeliverabilityRoutes,
      contactExportRoutes,
      contactUnsubscribeLinkRoutes,
      contactJobRoutes,
    ],
  },
  { resources: [CONTACT_IMPORTS], routes: [contactImportRoutes] },
  {
    resources: [BROADCASTS, BROADCAST_VERSIONS],
    routes: [
      broadcastRoutes,
      broadcastRecipientRoutes,
      recipientFileRoutes,
      recipientSegmentRoutes,
      broadcastPreviewRoutes,
      broadcastAudienceRoutes,
      broadcastCheckRoutes,
      broadcastVersionRoutes,
    ],
  },
  { resources: [EVENTS], routes: [eventRoutes, sentEventRoutes] },
  {
    resources: [AUTOMATIONS, AUTOMATION_RUNS],
    routes: [automationRoutes, automationSimulationRoutes, automationRunRoutes, automationMetricRoutes],
  },
  { resources: [SUPPRESSIONS], routes: [suppressionRoutes, suppressionBatchRoutes] },
  { resources: [WEBHOOKS, WEBHOOK_EVENTS], routes: [webhookRoutes, webhookMetricRoutes, webhookEventRoutes, webhookFeedRoutes] },
  { resources: [AUDIENCES], routes: [audienceRoutes, audienceContactRoutes] },
  { resources: [API_KEYS], routes: [apiKeyRoutes] },
  { resources: [TEAM], routes: [teamSettingsRoutes] },
  { resources: [MEMBERS, INVITATIONS], routes: [memberRoutes, invitationRoutes] },
  { resources: [OAUTH_GRANTS], routes: [oauthGrantRoutes] },
  { resources: [AUDIT_LOG], routes: [auditLogRoutes] },
  { resources: [LOGS], routes: [logRoutes, logMetricRoutes] },
]

/** What people have, whatever their teams, and what their console needs. */
const LISTED_OF_PEOPLE = [
  { resources: [ME, SESSIONS, PASSKEYS], routes: [meRoutes, passkeyRoutes] },
  {
    resources: [CONSOLE, SAVED_VIEWS],
    routes: [
      overviewRoutes,
      searchRoutes,
      liveRoutes,
      previewRoutes,
      consoleDownloadRoutes,
      savedViewRoutes,
      emailRelationRoutes,
      sourceRoutes,
      useRoutes,
      pendingDeliveryRoutes,
      segmentRemovalRoutes,
    ],
  },
]

export const PERSON_RESOURCES = LISTED_OF_PEOPLE.flatMap<(typeof LISTED_OF_PEOPLE)[number]['resources'][number]>(
  ({ resources }) => resources,
)
export const PERSON_ROUTES = LISTED_OF_PEOPLE.flatMap<(typeof LISTED_OF_PEOPLE)[number]['routes'][number]>(({ routes }) => routes)

/** What the operator has. No team reaches these. */
const LISTED_OF_OPERATOR = [
  { resources: [TEAMS], routes: [teamRoutes, teamMemberRoutes, teamLimitRoutes, teamUsageRoutes] },
  { resources: [OPERATION], routes: [queueOperationRoutes, throughputRoutes, healthOperationRoutes, imageOperationRoutes] },
]

export const OPERATOR_RESOURCES = LISTED_OF_OPERATOR.flatMap<(typeof LISTED_OF_OPERATOR)[number]['resources'][number]>(
  ({ resources }) => resources,
)
export const OPERATOR_ROUTES = LISTED_OF_OPERATOR.flatMap<(typeof LISTED_OF_OPERATOR)[number]['routes'][number]>(({ routes }) => routes)

/** One that stands in the list. test/house asks it of the resource of every operation. */
export type Resource = (typeof LISTED)[number]['resources'][number]
type ListedRoutes = (typeof LISTED)[number]['routes'][number]

export const RESOURCES = LISTED.flatMap<Resource>(({ resources }) => resources)
export const ROUTES = LISTED.flatMap<ListedRoutes>(({ routes }) => routes)

/** The resource whose id a path calls so. */
export const resourceOf = (parameter: string): Resource | (typeof OPERATOR_RESOURCES)[number] | undefined =>
  [...RESOURCES, ...OPERATOR_RESOURCES].find((resource) => resource.parameter === parameter)
