// Every resource that the path of an operation can name, in the order of the sections of the OpenAPI document: sending first, and properties,
// topics and segments before the contacts whose examples need them.
import { API_KEYS } from './api-keys.ts'
import { ATTACHMENTS } from './attachments.ts'
import { AUDIENCES } from './audiences.ts'
import { AUTOMATION_RUNS } from './automation-runs.ts'
import { AUTOMATIONS } from './automations.ts'
import { BROADCASTS } from './broadcasts.ts'
import { CONTACT_IMPORTS } from './contact-imports.ts'
import { CONTACT_PROPERTIES } from './contact-properties.ts'
import { CONTACTS } from './contacts.ts'
import { DOMAIN_CLAIMS } from './domain-claims.ts'
import { DOMAINS } from './domains.ts'
import { EMAILS } from './emails.ts'
import { EVENTS } from './events.ts'
import { LOGS } from './logs.ts'
import { OAUTH_GRANTS } from './oauth-grants.ts'
import { RECEIVED_ATTACHMENTS, RECEIVED_EMAILS } from './received-emails.ts'
import type { Tag } from './resource.ts'
import { SEGMENTS } from './segments.ts'
import { SUPPRESSIONS } from './suppressions.ts'
import { TEMPLATE_VERSIONS, TEMPLATES } from './templates.ts'
import { TOPICS } from './topics.ts'
import { WEBHOOK_EVENTS } from './webhook-events.ts'
import { WEBHOOKS } from './webhooks.ts'

export const RESOURCES = [
  EMAILS,
  ATTACHMENTS,
  RECEIVED_EMAILS,
  RECEIVED_ATTACHMENTS,
  TEMPLATES,
  TEMPLATE_VERSIONS,
  DOMAINS,
  DOMAIN_CLAIMS,
  CONTACT_PROPERTIES,
  TOPICS,
  SEGMENTS,
  CONTACTS,
  CONTACT_IMPORTS,
  BROADCASTS,
  EVENTS,
  AUTOMATIONS,
  AUTOMATION_RUNS,
  SUPPRESSIONS,
  WEBHOOKS,
  WEBHOOK_EVENTS,
  AUDIENCES,
  API_KEYS,
  OAUTH_GRANTS,
  LOGS,
]

/** One that stands in the list: routes of any other do not compile. */
export type Resource = (typeof RESOURCES)[number]

/** The sections of the document, in its order. */
export const TAGS: Tag[] = [...new Set(RESOURCES.map(({ tag }) => tag))]

/** The resource whose id a path calls so. */
export const resourceOf = (parameter: string): Resource | undefined => RESOURCES.find((resource) => resource.parameter === parameter)
