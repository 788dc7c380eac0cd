import { notFound } from '../lib/failure.ts'
import { pageRequest } from '../lib/page-request.ts'
import { contactOfPath } from '../mail/audience/contact-addresses.ts'
import { WholeListQuery } from '../schemas/common.ts'
import { ContactTopicList, ContactTopicsReference, ContactTopicsUpdate } from '../schemas/contact-topics.ts'
import { CONTACTS, ContactParams } from '../schemas/contacts.ts'
import { TOPICS } from '../schemas/topics.ts'
import { toContactTopic } from '../serializers/contact-topics.ts'
import { toList } from '../serializers/list.ts'
import { chooseTopics } from '../services/choose-topics.ts'
import { type Call, operation, routes } from './operation.ts'

export const contactTopicRoutes = routes(CONTACTS, (context) => {
  const { contacts, contactTopics } = context.repositories

  async function list({ teamId, params, query }: Call<{ params: typeof ContactParams; query: typeof WholeListQuery }>) {
    const contact = await contacts.find(teamId, contactOfPath(params))
    if (!contact) throw notFound(CONTACTS.noun)
    return toList(await contactTopics.list(teamId, contact.id, pageRequest(query, 'optional')), toContactTopic)
  }

  async function update({ teamId, params, body }: Call<{ params: typeof ContactParams; body: typeof ContactTopicsUpdate }>) {
    // The array is named as the client sent it.
    const [field, choices] = Array.isArray(body) ? ['', body] : ['topics', body.topics]
    const result = await chooseTopics(context, teamId, { reference: contactOfPath(params), choices, field })
    return { object: 'contact_topics' as const, id: result.id, contact_id: result.id, topics: result.topics }
  }

  return [
    operation({
      id: 'contacts.topics.list',
      method: 'GET',
      path: '/contacts/:contact_id/topics',
      summary: 'List the topics of a contact',
      description:
        'Returns every topic of the team with the subscription of the contact: its own choice, or the default of the topic if it made none. A contact who unsubscribed from all bulk email gets no emails of any topic, regardless of these subscriptions. Without `limit`, `after` or `before`, it returns all topics.',
      access: 'full',
      params: ContactParams,
      query: WholeListQuery,
      reply: ContactTopicList,
      example: {
        reply: {
          object: 'list',
          has_more: false,
          data: [
            {
              id: TOPICS.example.id,
              name: 'Weekly newsletter',
              description: 'What happened, every Friday.',
              subscription: 'opt_in',
            },
          ],
        },
      },
      handle: list,
    }),
    operation({
      id: 'contacts.topics.update',
      method: 'PATCH',
      path: '/contacts/:contact_id/topics',
      summary: 'Update the topics of a contact',
      description:
        'Sets the choices of a contact about the given topics; other topics are not changed. `opt_in` subscribes the contact again after an opt-out. Either all choices are set or none.',
      access: 'full',
      params: ContactParams,
      body: ContactTopicsUpdate,
      reply: ContactTopicsReference,
      example: {
        body: [{ id: TOPICS.example.id, subscription: 'opt_out' }],
        reply: {
          object: 'contact_topics',
          id: CONTACTS.example.id,
          contact_id: CONTACTS.example.id,
          topics: [{ id: TOPICS.example.id, subscription: 'opt_out' }],
        },
      },
      handle: update,
    }),
  ]
})
