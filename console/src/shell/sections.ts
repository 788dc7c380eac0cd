// The sections of the console, as the navigation shows them. Each is a folder; its pages are loaded when they are opened.
import type { ComponentType } from 'react'
import { accountSection } from '../account/section'
import { apiKeysSection } from '../api-keys/section'
import { auditLogSection } from '../audit-log/section'
import { automationsSection } from '../automations/section'
import { broadcastsSection } from '../broadcasts/section'
import { contactsSection } from '../contacts/section'
import { domainsSection } from '../domains/section'
import { emailsSection } from '../emails/section'
import { eventsSection } from '../events/section'
import { grantsSection } from '../grants/section'
import { imagesSection } from '../images/section'
import { importsSection } from '../imports/section'
import { logsSection } from '../logs/section'
import { membersSection } from '../members/section'
import { metricsSection } from '../metrics/section'
import { deliverabilitySection, healthSection, queueSection, teamsSection } from '../operation/section'
import { overviewSection } from '../overview/section'
import { propertiesSection } from '../properties/section'
import { receivedSection } from '../received/section'
import { segmentsSection } from '../segments/section'
import { settingsSection } from '../settings/section'
import { suppressionsSection } from '../suppressions/section'
import { templatesSection } from '../templates/section'
import { topicsSection } from '../topics/section'
import { usageSection } from '../usage/section'
import { webhooksSection } from '../webhooks/section'

export type Section = {
  name: string
  /** The first part of its address; '' is where the console begins. */
  path: string
  /** `none`: the navigation leaves it out. */
  group: 'none' | 'top' | 'Mail' | 'Audience' | 'Developers' | 'Team' | 'Operation'
  icon: ComponentType<{ size?: number | string }>
  /** What someone needs to see it, all of them. */
  scopes: readonly string[]
  /** Only for people who run the installation. */
  isOperators?: boolean
  /** By the rest of the address: '', '$emailId', 'new'. */
  pages: Readonly<Record<string, () => Promise<{ default: ComponentType }>>>
}

export const SECTIONS: readonly Section[] = [
  overviewSection,
  emailsSection,
  receivedSection,
  broadcastsSection,
  automationsSection,
  templatesSection,
  imagesSection,
  domainsSection,
  suppressionsSection,
  metricsSection,
  contactsSection,
  segmentsSection,
  topicsSection,
  propertiesSection,
  importsSection,
  apiKeysSection,
  logsSection,
  eventsSection,
  webhooksSection,
  grantsSection,
  membersSection,
  auditLogSection,
  usageSection,
  settingsSection,
  queueSection,
  healthSection,
  deliverabilitySection,
  teamsSection,
  accountSection,
]

/** What someone sees of them. Operators may belong to no team. */
export const sectionsOf = (
  { is_operator: isOperator, team }: { is_operator: boolean; team: unknown },
  may: (...scopes: string[]) => boolean,
): Section[] => SECTIONS.filter(({ scopes, isOperators }) => (isOperators ? isOperator : team !== null && may(...scopes)))
