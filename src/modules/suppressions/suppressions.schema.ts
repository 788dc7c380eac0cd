import { Type } from '@sinclair/typebox'
import { FilteredListQuery, SearchedList, TextFilter } from '../../http/list-filters.ts'
import { Resource } from '../../http/resource.ts'
import { SECTIONS } from '../../http/sections.ts'
import type { NotificationsOf } from '../../lib/notifications.ts'
import {
  Deletion,
  Enum,
  EventTime,
  EXAMPLE_TIME,
  Id,
  Kind,
  Named,
  Nullable,
  OptionalNullable,
  oneGiven,
  Ref,
  Reference,
  Timestamp,
} from '../../lib/validation/common.schema.ts'
import { SOFT_BOUNCES } from './soft-bounces.ts'

/** Addresses or ids in one request. */
export const SUPPRESSION_BATCH_MAX = 100
/** More than the longest address, so that the error can say what is wrong with it. */
const ADDRESS_TEXT_LENGTH_MAX = 998

export const SUPPRESSION_ORIGINS = ['bounce', 'complaint', 'manual'] as const
export type SuppressionOrigin = (typeof SUPPRESSION_ORIGINS)[number]

const address = Type.String({
  maxLength: ADDRESS_TEXT_LENGTH_MAX,
  description: 'Email address, without a name, in upper or lower case.',
  examples: ['ada@example.com'],
})
const addresses = (what: string) =>
  Type.Array(address, {
    minItems: 1,
    maxItems: SUPPRESSION_BATCH_MAX,
    description: `${what}, from 1 to ${SUPPRESSION_BATCH_MAX}.`,
    examples: [['ada@example.com', 'alan@example.com']],
  })

const ORIGIN_WORDS =
  '`bounce`: the mail server said that the address does not exist, or mail to it bounced several times in a row. `complaint`: mail to it was reported as spam. `manual`: your team added it.'

export const SuppressionCreate = Named('SuppressionCreate', Type.Object({ email: address }, { description: 'An address to suppress.' }))

export const SuppressionBatchCreate = Named(
  'SuppressionBatchCreate',
  Type.Object({ emails: addresses('The addresses to suppress') }, { description: 'Addresses to suppress.' }),
)

export const SuppressionBatchDelete = Named(
  'SuppressionBatchDelete',
  Type.Object(
    {
      emails: OptionalNullable(addresses('The addresses whose suppressions are removed')),
      ids: OptionalNullable(
        Type.Array(Type.String({ format: 'uuid' }), {
          minItems: 1,
          maxItems: SUPPRESSION_BATCH_MAX,
          description: `The ids of the suppressions to remove, from 1 to ${SUPPRESSION_BATCH_MAX}.`,
        }),
      ),
    },
    { description: 'The suppressions to remove: give either `emails` or `ids`.', ...oneGiven('emails', 'ids') },
  ),
)

const fields = {
  id: Id('Id of the suppression.'),
  email: Type.String({
    description: 'The suppressed address, in lower case, with the domain in its ASCII form.',
    examples: ['ada@example.com'],
  }),
  origin: Enum([...SUPPRESSION_ORIGINS], { description: `Why the address is suppressed. ${ORIGIN_WORDS}`, examples: ['bounce'] }),
  source_id: Nullable(Id('Id of the email that bounced or was reported; null if there is none.')),
}

const REASON_WORDS =
  '`soft_bounces`: mail to the address bounced several times in a row for reasons that may pass, such as a full mailbox. Left out otherwise.'

const reason = Type.Optional(Type.Literal(SOFT_BOUNCES, { description: REASON_WORDS }))

const shown = { ...fields, created_at: Timestamp('When the address was suppressed.'), reason }

const SoftBounce = Type.Object(
  { email_id: Id('Id of the email that bounced.'), bounced_at: Timestamp('When it bounced.') },
  { description: 'A soft bounce.' },
)

export const SuppressionSummary = Named(
  'SuppressionSummary',
  Type.Object(shown, { description: 'A suppressed address, as lists show it.' }),
)
export const Suppression = Named(
  'Suppression',
  Type.Object(
    {
      object: Kind('suppression'),
      ...shown,
      soft_bounces: Type.Optional(
        Type.Array(SoftBounce, {
          description:
            'The soft bounces in a row that led to it, oldest first: the first, and at most 49 of the latest. Left out if something else did.',
        }),
      ),
    },
    { description: 'A suppressed address, and the reason.' },
  ),
)

export const SUPPRESSIONS = Resource({
  tag: SECTIONS.suppressions,
  noun: 'Suppression',
  parameter: 'suppression_id',
  item: SuppressionSummary,
  example: {
    id: '0193a5c2-7d4e-7b1a-9c3f-2e5d8a6b4ca0',
    email: 'ada@example.com',
    origin: 'bounce',
    source_id: '0193a5c2-7d4e-7b1a-9c3f-2e5d8a6b4c10',
    created_at: EXAMPLE_TIME,
  },
})

/** The suppression after it was added, or before it was removed. The time is in ISO 8601. */
const suppressionNotification = Type.Object({
  ...fields,
  created_at: EventTime('When the address was suppressed.'),
  reason,
})

export const SUPPRESSION_NOTIFICATIONS = {
  'suppression.added': suppressionNotification,
  'suppression.removed': suppressionNotification,
}

declare module '../../lib/notifications.ts' {
  interface Notifications extends NotificationsOf<typeof SUPPRESSION_NOTIFICATIONS> {}
}

export const SuppressionParams = Type.Object({
  suppression_id: Type.String({ description: 'Id or email address of the suppression.', examples: ['ada@example.com'] }),
})

export const SuppressionListQuery = FilteredListQuery({
  origin: Type.Optional(Enum([...SUPPRESSION_ORIGINS], { description: `Return only suppressions of this origin. ${ORIGIN_WORDS}` })),
  search: TextFilter('Return only suppressions with this part of the address, in upper or lower case.', ['ada@']),
})

export const SuppressionList = SearchedList('SuppressionList', 'suppressions', SuppressionSummary)
export const SuppressionReference = Reference('SuppressionReference', 'suppression')
export const SuppressionDeletion = Deletion('SuppressionDeletion', 'suppression')
export const SuppressionBatchCreated = Named(
  'SuppressionBatchCreated',
  Type.Object(
    { data: Type.Array(Ref(SuppressionReference), { description: 'The suppressions of the addresses, in the order of the request.' }) },
    { description: 'The suppressions that were added, or existed already.' },
  ),
)
export const SuppressionBatchDeletion = Named(
  'SuppressionBatchDeletion',
  Type.Object(
    { data: Type.Array(Ref(SuppressionDeletion), { description: 'The suppressions that were removed, in the order of the request.' }) },
    { description: 'The suppressions that were removed. Suppressions that did not exist are left out.' },
  ),
)

export type SuppressionNotificationType = keyof typeof SUPPRESSION_NOTIFICATIONS
