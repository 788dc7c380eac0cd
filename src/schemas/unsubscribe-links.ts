import { Type } from '@sinclair/typebox'
import { Id, Kind, Named, Nullable, QueryId, secret } from './common.ts'

export const UnsubscribeLinkQuery = Type.Object({
  topic_id: QueryId('Id of the topic that a one-click unsubscribe opts out of. Without it, one click unsubscribes from all bulk email.'),
})

export const UnsubscribeLink = Named(
  'UnsubscribeLink',
  Type.Object(
    {
      object: Kind('contact'),
      id: Nullable(Id('Id of the contact; null if the address does not belong to a contact.')),
      url: Type.String({
        ...secret,
        description:
          'Link to the page where the person chooses which emails to get. Anyone who has the link can choose for the address. It never expires.',
        examples: ['http://localhost:3000/unsubscribe/1.eyJwYXlsb2FkIjp7...'],
      }),
    },
    { description: 'The unsubscribe link of a contact or an address.' },
  ),
)
