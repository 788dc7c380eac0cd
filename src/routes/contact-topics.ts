import type { Context } from '../context.ts'
import { referenceSentence, refuseRepeated } from '../lib/audience/audience-fields.ts'
import { invalid, notFound } from '../lib/failure.ts'
import { pageRequest } from '../lib/page-request.ts'
import { contactOfPath } from '../mail/audience/contact-addresses.ts'
import { ListQuery } from '../schemas/common.ts'
import { ContactTopicList, ContactTopicsReference, ContactTopicsUpdate } from '../schemas/contact-topics.ts'
import { ContactParams } from '../schemas/contacts.ts'
import { toContactTopic } from '../serializers/contact-topics.ts'
import { toList } from '../serializers/list.ts'
import { EXAMPLE_CONTACT_ID, EXAMPLE_TOPIC_ID } from './examples.ts'
import { type Call, type Operation, operation } from './operation.ts'

export function contactTopicRoutes({ repositories }: Context): Operation[] {
  const { contacts, contactTopics } = repositories

  async function list({ teamId, params, query }: Call<{ params: typeof ContactParams; query: typeof ListQuery }>) {
    const contact = await contacts.find(teamId, contactOfPath(params))
    if (!contact) throw notFound('Contact')
    return toList(await contactTopics.list(teamId, contact.id, pageRequest(query, 'optional')), toContactTopic)
  }

  async function update({ teamId, params, body }: Call<{ params: typeof ContactParams; body: typeof ContactTopicsUpdate }>) {
    // The array is named as the client sent it.
    const [field, choices] = Array.isArray(body) ? ['', body] : ['topics', body.topics]
    refuseRepeated(choices, field)
    const result = await contactTopics.set(teamId, contactOfPath(params), choices)
    if (!result) throw notFound('Contact')
    if ('problem' in result) throw invalid(referenceSentence(result, { topics: field }))
    return { object: 'contact_topics' as const, id: result.id, contact_id: result.id, topics: result.topics }
  }

  return [
    operation({
      id: 'contacts.topics.list',
      method: 'GET',
      path: '/contacts/:contact_id/topics',
      tag: 'Contacts',
      summary: 'List the topics of a contact',
      description:
        'Returns every topic of the team with the subscription of the contact: its own choice, or the default of the topic if it made none. A contact who unsubscribed from all bulk email gets no emails of any topic, regardless of these subscriptions. Without `limit`, `after` or `before`, it returns all topics.',
      access: 'full',
      params: ContactParams,
      query: ListQuery,
      reply: ContactTopicList,
      example: {
        reply: {
          object: 'list',
          has_more: false,
          data: [
            {
              id: EXAMPLE_TOPIC_ID,
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
      tag: 'Contacts',
      summary: 'Update the topics of a contact',
      description:
        'Sets the choices of a contact about the given topics; other topics are not changed. Here, `opt_in` subscribes the contact again after an opt-out. Either all choices are set or none.',
      access: 'full',
      params: ContactParams,
      body: ContactTopicsUpdate,
      reply: ContactTopicsReference,
      example: {
        body: [{ id: EXAMPLE_TOPIC_ID, subscription: 'opt_out' }],
        reply: {
          object: 'contact_topics',
          id: EXAMPLE_CONTACT_ID,
          contact_id: EXAMPLE_CONTACT_ID,
          topics: [{ id: EXAMPLE_TOPIC_ID, subscription: 'opt_out' }],
        },
      },
      handle: update,
    }),
  ]
}
