import { Type } from '@sinclair/typebox'
import { IdParams, Resource } from '../../http/resource.ts'
import { SECTIONS } from '../../http/sections.ts'
import { teamLimit } from '../../lib/limits/team-limit.ts'
import type { NotificationsOf } from '../../lib/notifications.ts'
import {
  Deletion,
  Enum,
  EventTime,
  EXAMPLE_TIME,
  Id,
  Kind,
  List,
  Named,
  Nullable,
  OptionalNotNull,
  OptionalNullable,
  Ref,
  Reference,
  Timestamp,
} from '../../lib/validation/common.schema.ts'
import { LABEL_LENGTH_MAX } from '../../mail/addresses.ts'
import { DOMAIN_STATUSES, RECORD_STATUSES } from '../../mail/record-types.ts'
import { NOTIFIED_AS, SHOWN_AS } from './records/wanted-records.ts'

/** The limit of a team. */
export const DOMAINS_MAX = 10_000
export const DOMAIN_LIMIT = teamLimit(DOMAINS_MAX, 'domains')

export const REGIONS = ['us-east-1', 'eu-west-1', 'sa-east-1', 'ap-northeast-1'] as const
export type Region = (typeof REGIONS)[number]
export const TLS_MODES = ['opportunistic', 'enforced'] as const
export type TlsMode = (typeof TLS_MODES)[number]
const SWITCH = ['enabled', 'disabled'] as const

/** The label of a host under the domain (RFC 1123, section 2.1). */
const label = (description: string, example: string) =>
  Type.String({ minLength: 1, maxLength: LABEL_LENGTH_MAX, description, examples: [example] })

const region = Enum([...REGIONS], {
  description: 'Stored and shown for clients that set it. It has no effect: mail leaves from this server.',
})
const tls = Enum([...TLS_MODES], {
  description:
    '`opportunistic`: mail is sent over TLS if the server of the recipient offers it, and otherwise without. `enforced`: mail is never sent without TLS.',
})
const openTracking = Type.Boolean({ description: 'Whether opens of emails are tracked, once the record of the tracking host is verified.' })
const clickTracking = Type.Boolean({
  description: 'Whether clicks on links of emails are tracked, once the record of the tracking host is verified.',
})
const trackingSubdomain = label('Label of the host through which opens and clicks are tracked: `links` for links.example.com.', 'links')
const sending = Enum([...SWITCH], { description: 'Whether emails can be sent from the domain.' })
const receiving = Enum([...SWITCH], {
  description: 'Whether emails to the domain are received, once its `Receiving` record is verified.',
})

export const DomainCreate = Named(
  'DomainCreate',
  Type.Object(
    {
      name: Type.String({
        description: 'The domain, such as example.com or mail.example.com. International names are converted to A-labels.',
        examples: ['example.com'],
      }),
      region: OptionalNullable(region),
      custom_return_path: OptionalNullable(
        label('Label of the host to which bounces return: `send` (the default) for send.example.com.', 'send'),
      ),
      open_tracking: OptionalNullable(openTracking),
      click_tracking: OptionalNullable(clickTracking),
      tracking_subdomain: OptionalNullable(trackingSubdomain),
      tls: OptionalNullable(tls),
      capabilities: OptionalNullable(
        Type.Object(
          { sending: OptionalNullable(sending), receiving: OptionalNullable(receiving) },
          { description: 'What the domain is for. By default, sending only. At least one must be enabled.' },
        ),
      ),
    },
    { description: 'A domain to register.' },
  ),
)

export const DomainUpdate = Named(
  'DomainUpdate',
  Type.Object(
    {
      open_tracking: OptionalNotNull(openTracking),
      click_tracking: OptionalNotNull(clickTracking),
      tracking_subdomain: OptionalNotNull(trackingSubdomain),
      tls: OptionalNotNull(tls),
      capabilities: OptionalNotNull(
        Type.Object(
          { sending: OptionalNotNull(sending), receiving: OptionalNotNull(receiving) },
          { description: 'What the domain is for. Capabilities that are left out stay as they are. At least one must be enabled.' },
        ),
      ),
    },
    { description: 'Settings of a domain to change. Fields that are left out stay as they are.' },
  ),
)

export const DnsRecord = Named(
  'DnsRecord',
  Type.Object(
    {
      record: Enum([...new Set(Object.values(SHOWN_AS))], { description: 'What the record is for.' }),
      name: Type.String({
        description:
          'The name of the record within the registered domain: `send.mail` for send.mail.example.com. `@` is the registered domain itself.',
        examples: ['send'],
      }),
      type: Enum(['MX', 'TXT', 'CNAME', 'CAA'], { description: 'The type of the DNS record.' }),
      value: Type.String({ description: 'The value of the record.', examples: ['v=spf1 a:mail.example.net ~all'] }),
      ttl: Type.String({
        description: 'How long resolvers may cache the record. Always `Auto`: the default of your DNS provider.',
        examples: ['Auto'],
      }),
      status: Enum([...RECORD_STATUSES], {
        description:
          '`not_started`: no verification was asked for. `pending`: the DNS is being asked. `verified`: the record was found. `temporary_failure`: the record was verified before, but is missing now. `failed`: the record was not found for 72 hours.',
      }),
      priority: Type.Optional(Type.Integer({ description: 'The priority of an MX record.', examples: [10] })),
      found: Type.Array(Type.String(), {
        description: 'Values published at this name instead, as of the last check; empty if there are none, or if the record is right.',
      }),
    },
    { description: 'A DNS record to publish.' },
  ),
)

const shared = {
  id: Id('Id of the domain.'),
  name: Type.String({ description: 'The domain, in lower case and as A-labels.', examples: ['example.com'] }),
  status: Enum([...DOMAIN_STATUSES], {
    description:
      'The state of the records. `partially_verified`: the records of one capability are verified. `partially_failed`: the domain was verified, but the records of one capability have failed since.',
  }),
  created_at: Timestamp('When the domain was registered.'),
  region,
  open_tracking: openTracking,
  click_tracking: clickTracking,
  tracked: Type.Object(
    {
      opens: Type.Boolean({ description: 'Whether opens are.' }),
      clicks: Type.Boolean({ description: 'Whether clicks are.' }),
    },
    {
      description:
        'What is tracked of mail that is sent now: what the settings ask for, as soon as the record of the tracking host was verified. Where it says no, no opens or clicks are counted. An extension.',
    },
  ),
  capabilities: Type.Object({ sending, receiving }, { description: 'What the domain is for.' }),
}

export const DomainSummary = Named('DomainSummary', Type.Object(shared, { description: 'A domain, as lists show it.' }))

export const Domain = Named(
  'Domain',
  Type.Object(
    {
      object: Kind('domain'),
      ...shared,
      tracking_subdomain: Nullable(trackingSubdomain),
      tls,
      checked_at: Nullable(Timestamp('When the DNS was last asked for its records; null if it never was. An extension.')),
      next_check_at: Nullable(Timestamp('When the DNS is asked next; null: when you ask for a verification. An extension.')),
      receiving_unproven_until: Type.Optional(
        Timestamp(
          'Present while the domain may receive mail by its MX record alone, as domains did before. Publish its `DKIM` record before this time: after it, another team that proves the domain gets its mail.',
        ),
      ),
      records: Type.Array(Ref(DnsRecord), { description: 'The DNS records that the domain needs.' }),
      recommended_records: Type.Array(Ref(DnsRecord), {
        description:
          'DNS records that improve delivery. `status` does not wait for them. While keys are rotated, the records of the next keys are listed here, and after that, for 7 days, those of the old keys.',
      }),
    },
    { description: 'A domain with the DNS records to publish.' },
  ),
)

export const DOMAINS = Resource({
  tag: SECTIONS.domains,
  noun: 'Domain',
  parameter: 'domain_id',
  item: DomainSummary,
  example: {
    id: '0193a5c2-7d4e-7b1a-9c3f-2e5d8a6b4c80',
    name: 'example.com',
    status: 'not_started',
    created_at: EXAMPLE_TIME,
    region: 'us-east-1',
    open_tracking: false,
    click_tracking: false,
    tracked: { opens: false, clicks: false },
    capabilities: { sending: 'enabled', receiving: 'disabled' },
  },
})

/** The domain at the time of the notification. Times are in ISO 8601. */
const domainNotification = Type.Object({
  id: shared.id,
  name: shared.name,
  status: shared.status,
  created_at: EventTime('When the domain was added.'),
  region: shared.region,
  capabilities: shared.capabilities,
  records: Type.Array(
    Type.Object({
      ...Type.Omit(DnsRecord, ['found']).properties,
      record: Enum([...new Set(Object.values(NOTIFIED_AS))], { description: 'What the record is for.' }),
    }),
    { description: 'The DNS records that the domain needs.' },
  ),
})

export const DOMAIN_NOTIFICATIONS = {
  'domain.created': domainNotification,
  'domain.updated': domainNotification,
  'domain.deleted': domainNotification,
}

declare module '../../lib/notifications.ts' {
  interface Notifications extends NotificationsOf<typeof DOMAIN_NOTIFICATIONS> {}
}
export type DomainNotificationType = keyof typeof DOMAIN_NOTIFICATIONS

export const DomainParams = IdParams(DOMAINS)
export const DomainList = List('DomainList', 'domains', DomainSummary)
export const DomainReference = Reference('DomainReference', 'domain')
export const DomainDeletion = Deletion('DomainDeletion', 'domain')
