// The unsubscribe link of a contact or an address.

import { Type } from '@sinclair/typebox'
import { declareOperations, type Routes } from '../../../http/operation.ts'
import type { PlatformContext } from '../../../http/platform.context.ts'
import { notFound } from '../../../lib/failure.ts'
import { Id, Kind, Named, Nullable, QueryId, secret } from '../../../lib/validation/common.schema.ts'
import { contactOfPath } from '../../../mail/address-forms.ts'
import type { SecretsContext } from '../../secrets/secrets.context.ts'
import type { AudienceContext } from '../audience.context.ts'
import { CONTACTS, ContactParams } from '../contacts/contacts.schema.ts'
import { TOPICS } from '../topics/topics.schema.ts'
import { unsubscribeUrl } from './unsubscribe-links.service.ts'

type Context = PlatformContext & SecretsContext & AudienceContext

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

const operation = declareOperations(CONTACTS)

export const contactUnsubscribeLinkRoutes: Routes<Context> = async (app, { context }) => {
  const { contacts, topics } = context.repositories

  app.get(
    '/contacts/:contact_id/unsubscribe-link',
    operation({
      id: 'contacts.unsubscribe-link.retrieve',
      summary: 'Retrieve the unsubscribe link of a contact',
      description:
        'Returns a link to the page where a person chooses which emails to get. It works for any email address, so that recipients who are not contacts can unsubscribe as well. Use it for individual emails: put the link in angle brackets into the header `List-Unsubscribe`, and add the header `List-Unsubscribe-Post: List-Unsubscribe=One-Click` (RFC 8058).',
      access: 'full',
      audit: 'never',
      // Anyone who has the link can change what the person gets.
      scope: 'contacts:write',
      params: ContactParams,
      query: UnsubscribeLinkQuery,
      reply: { 200: UnsubscribeLink },
      example: {
        reply: {
          object: 'contact',
          id: CONTACTS.example.id,
          url: 'http://localhost:3000/unsubscribe/1.eyJwYXlsb2FkIjp7fX0.Zm9yIGV4YW1wbGU',
        },
      },
    }),
    async ({ teamId, params, query }) => {
      const reference = contactOfPath(params)
      const contact = await contacts.find(teamId, reference)
      const email = contact?.email ?? ('email' in reference ? reference.email : null)
      if (email === null) throw notFound(CONTACTS.noun)
      const topicId = query.topic_id?.toLowerCase() ?? null
      if (topicId !== null && !(await topics.find(teamId, topicId))) throw notFound(TOPICS.noun)
      return { object: 'contact' as const, id: contact?.id ?? null, url: unsubscribeUrl(context, { teamId, email, topicId }) }
    },
  )
}
