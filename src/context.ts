// All that compose makes, joined of what each subject gives. Only what joins the subjects asks for all of it; a subject names the slices that it uses.
import type { PlatformContext } from './http/platform.context.ts'
import type { AccountsContext } from './modules/accounts/accounts.context.ts'
import type { AudienceContext } from './modules/audience/audience.context.ts'
import type { AuditContext } from './modules/audit/audit.context.ts'
import type { AutomationsContext } from './modules/automations/automations.context.ts'
import type { BouncesContext } from './modules/bounces/bounces.context.ts'
import type { BroadcastsContext } from './modules/broadcasts/broadcasts.context.ts'
import type { ConsoleContext } from './modules/console/console.context.ts'
import type { DeliverabilityContext } from './modules/deliverability/deliverability.context.ts'
import type { DeliveryContext } from './modules/delivery/delivery.context.ts'
import type { DomainsContext } from './modules/domains/domains.context.ts'
import type { EmailsContext } from './modules/emails/emails.context.ts'
import type { EventsContext } from './modules/events/events.context.ts'
import type { ImagesContext } from './modules/images/images.context.ts'
import type { InboundContext } from './modules/inbound/inbound.context.ts'
import type { LimitsContext } from './modules/limits/limits.context.ts'
import type { LogsContext } from './modules/logs/logs.context.ts'
import type { MetricsContext } from './modules/metrics/metrics.context.ts'
import type { OauthContext } from './modules/oauth/oauth.context.ts'
import type { PrivacyContext } from './modules/privacy/privacy.context.ts'
import type { SecretsContext } from './modules/secrets/secrets.context.ts'
import type { SubmissionContext } from './modules/submission/submission.context.ts'
import type { SuppressionsContext } from './modules/suppressions/suppressions.context.ts'
import type { TemplatesContext } from './modules/templates/templates.context.ts'
import type { TrackingContext } from './modules/tracking/tracking.context.ts'
import type { WebhooksContext } from './modules/webhooks/webhooks.context.ts'

export type Context = PlatformContext &
  SecretsContext &
  LimitsContext &
  ImagesContext &
  AuditContext &
  DomainsContext &
  AccountsContext &
  SuppressionsContext &
  AudienceContext &
  TemplatesContext &
  EmailsContext &
  TrackingContext &
  DeliveryContext &
  InboundContext &
  BouncesContext &
  LogsContext &
  SubmissionContext &
  MetricsContext &
  BroadcastsContext &
  EventsContext &
  AutomationsContext &
  WebhooksContext &
  OauthContext &
  PrivacyContext &
  DeliverabilityContext &
  ConsoleContext
