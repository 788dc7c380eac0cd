import { notFound } from '../lib/failure.ts'
import { contactOfPath } from '../mail/audience/contact-addresses.ts'
import { CONTACTS, ContactParams } from '../schemas/contacts.ts'
import { TOPICS } from '../schemas/topics.ts'
import { UnsubscribeLink, UnsubscribeLinkQuery } from '../schemas/unsubscribe-links.ts'
import { unsubscribeUrl } from '../services/unsubscribe-links.ts'
import { type Call, operation, routes } from './operation.ts'

export const contactUnsubscribeLinkRoutes = routes(CONTACTS, (context) => {
  const { contacts, topics } = context.repositories

  async function retrieve({ teamId, params, query }: Call<{ params: typeof ContactParams; query: typeof UnsubscribeLinkQuery }>) {
    const reference = contactOfPath(params)
    const contact = await contacts.find(teamId, reference)
    const email = contact?.email ?? ('email' in reference ? reference.email : null)
    if (email === null) throw notFound(CONTACTS.noun)
    const topicId = query.topic_id?.toLowerCase() ?? null
    if (topicId !== null && !(await topics.find(teamId, topicId))) throw notFound(TOPICS.noun)
    return { object: 'contact' as const, id: contact?.id ?? null, url: unsubscribeUrl(context, { teamId, email, topicId }) }
  }

  return [
    operation({
      id: 'contacts.unsubscribe-link.retrieve',
      method: 'GET',
      path: '/contacts/:contact_id/unsubscribe-link',
      summary: 'Retrieve the unsubscribe link of a contact',
      description:
        'Returns a link to the page where a person chooses which emails to get. It works for any email address, so that recipients who are not contacts can unsubscribe as well. Use it for individual emails: put the link in angle brackets into the header `List-Unsubscribe`, and add the header `List-Unsubscribe-Post: List-Unsubscribe=One-Click` (RFC 8058).',
      access: 'full',
      // Anyone who has the link can change what the person gets.
      scope: 'contacts:write',
      params: ContactParams,
      query: UnsubscribeLinkQuery,
      reply: UnsubscribeLink,
      example: {
        reply: {
          object: 'contact',
          id: CONTACTS.example.id,
          url: 'http://localhost:3000/unsubscribe/1.eyJwYXlsb2FkIjp7fX0.Zm9yIGV4YW1wbGU',
        },
      },
      handle: retrieve,
    }),
  ]
})
