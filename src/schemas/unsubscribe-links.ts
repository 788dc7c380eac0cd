import { Type } from '@sinclair/typebox'
import { Id, Kind, Named, secret } from './common.ts'

export const UnsubscribeLinkQuery = Type.Object({
  topic_id: Type.Optional(Id('The topic that one click opts out of. Without it one click unsubscribes from everything.')),
})

export const UnsubscribeLink = Named(
  'UnsubscribeLink',
  Type.Object({
    object: Kind('contact'),
    id: Id('Id of the contact.'),
    url: Type.String({
      ...secret,
      description: 'The page where the contact decides. Whoever has the link can decide for the contact; it never expires.',
      examples: ['http://localhost:3000/unsubscribe/1.eyJwYXlsb2FkIjp7...'],
    }),
  }),
)
