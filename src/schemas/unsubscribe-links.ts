import { Type } from '@sinclair/typebox'
import { Id, Kind, Named, Nullable, QueryId, secret } from './common.ts'

export const UnsubscribeLinkQuery = Type.Object({
  topic_id: QueryId('The topic that one click opts out of. Without it one click unsubscribes from everything.'),
})

export const UnsubscribeLink = Named(
  'UnsubscribeLink',
  Type.Object({
    object: Kind('contact'),
    id: Nullable(Id('Id of the contact; null when the address is none.')),
    url: Type.String({
      ...secret,
      description: 'The page where the person decides. Whoever has the link can decide for the address; it never expires.',
      examples: ['http://localhost:3000/unsubscribe/1.eyJwYXlsb2FkIjp7...'],
    }),
  }),
)
