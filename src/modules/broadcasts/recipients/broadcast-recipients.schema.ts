import { type Static, Type } from '@sinclair/typebox'
import { Enum, Id, List, ListQuery, Named, Nullable, secret } from '../../../lib/validation/common.schema.ts'

export const RECIPIENT_TYPES = [
  'sent',
  'delivered',
  'opened',
  'clicked',
  'bounced',
  'complained',
  'unsubscribed',
  'suppressed',
  'failed',
  'canceled',
] as const
export type RecipientType = (typeof RECIPIENT_TYPES)[number]

/** Nearly all emails of a broadcast are among these, so marks say where in it they are. */
export const BROADCAST_MARK_TYPES = ['sent', 'delivered', 'canceled'] as const satisfies RecipientType[]
/**
 * What a recipient did, or became of the mail. `begun`: no later email has begun, for the program of the version before.
 *
 * @public the trigger `record_broadcast_acts` writes them
 */
export const BROADCAST_ACT_TYPES = [...RECIPIENT_TYPES.filter((type) => type !== 'canceled'), 'begun'] as const

export const BOUNCE_TYPES = ['permanent', 'transient', 'undetermined'] as const
export type BounceType = (typeof BOUNCE_TYPES)[number]

const PART_OF_ADDRESS_LENGTH_MAX = 320

const cursor = (description: string) => Type.Optional(Type.String({ maxLength: 100, description }))
const place = Type.String({
  description: 'Place of the row in the list, for `after` and `before`. It means nothing else.',
  examples: ['AZOlwn1Oexqc'],
})

const page = {
  limit: ListQuery.properties.limit,
  after: cursor('Return the rows after the one with this id.'),
  before: cursor('Return the rows before the one with this id. It cannot be combined with `after`.'),
}

export const BroadcastRecipientQuery = Type.Object({
  type: Enum([...RECIPIENT_TYPES], { description: 'Return only recipients to whom this happened.' }),
  email: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: PART_OF_ADDRESS_LENGTH_MAX,
      description: 'Return only recipients whose address contains this text.',
    }),
  ),
  bounce_type: Type.Optional(
    Enum([...BOUNCE_TYPES], {
      description: 'Return only recipients whose mail bounced in this way. Only together with the type `bounced`.',
    }),
  ),
  ...page,
})

export const BroadcastRecipient = Named(
  'BroadcastRecipient',
  Type.Object(
    {
      id: place,
      contact_id: Nullable(Id('Id of the contact.')),
      email: Type.String({ description: 'Address of the recipient.' }),
      count: Type.Optional(Type.Integer({ description: 'How often the recipient opened or clicked; only with `opened` and `clicked`.' })),
      bounce_type: Type.Optional(Enum([...BOUNCE_TYPES], { description: 'How the mail bounced; only with `bounced`.' })),
      clicked_links: Type.Optional(
        Type.Array(
          Type.Object({
            url: Type.String({ ...secret, description: 'Where the link leads.' }),
            clicks: Type.Integer({ description: 'How often the recipient followed it.' }),
          }),
          { description: 'The links that the recipient followed; only with `clicked`.' },
        ),
      ),
    },
    { description: 'A recipient of a broadcast.' },
  ),
)
export const BroadcastRecipientList = List('BroadcastRecipientList', 'recipients', BroadcastRecipient)

export const ClickedLinkQuery = Type.Object(page)

export const ClickedLink = Named(
  'ClickedLink',
  Type.Object(
    {
      id: place,
      url: Type.String({ ...secret, description: 'Where the link leads, with its placeholders if it has any.' }),
      clicks: Type.Integer({ description: 'How often it was followed.' }),
      unique_clicks: Type.Integer({ description: 'How many recipients followed it.' }),
    },
    { description: 'A link of a broadcast that people followed.' },
  ),
)
export const ClickedLinkList = List('ClickedLinkList', 'links', ClickedLink)

export type BroadcastRecipient = Static<typeof BroadcastRecipient>
