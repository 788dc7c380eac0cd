import type { Static } from '@sinclair/typebox'
import { declareOperations, type Routes } from '../../../http/operation.ts'
import { toList } from '../../../http/resource.ts'
import { invalid, notFound } from '../../../lib/failure.ts'
import { pageRequest } from '../../../lib/page-request.ts'
import { WholeListQuery } from '../../../lib/validation/common.schema.ts'
import { contactOfPath } from '../../../mail/address-forms.ts'
import type { AudienceContext } from '../audience.context.ts'
import { referenceSentence, type Subscription } from '../audience-fields.ts'
import type { ContactReference } from '../contacts/contact-rows.repository.ts'
import {
  CONTACTS,
  ContactParams,
  type ContactTopic,
  ContactTopicList,
  ContactTopicsReference,
  ContactTopicsUpdate,
} from '../contacts/contacts.schema.ts'
import type { ContactTopicRow } from './contact-topics.repository.ts'
import { TOPICS } from './topics.schema.ts'

type Context = AudienceContext

export const toContactTopic = (row: ContactTopicRow): Static<typeof ContactTopic> => ({
  id: row.id,
  name: row.name,
  description: row.description,
  subscription: row.subscription,
})

type Choices = { id: string; subscription: Subscription }[]

/**
 * Sets what a contact chose about topics: all choices or none.
 *
 * @param field what the caller calls the choices; empty if they are the whole body
 * @throws Failure if there is no such contact, or about the first topic that is wrong
 */
export async function chooseTopics(
  { repositories }: Pick<Context, 'repositories'>,
  teamId: string,
  { reference, choices, field }: { reference: ContactReference; choices: Choices; field: string },
): Promise<{ id: string; topics: Choices }> {
  const result = await repositories.contactTopics.set(teamId, reference, choices)
  if (!result) throw notFound(CONTACTS.noun)
  if ('problem' in result) throw invalid(referenceSentence(result, { topics: field }))
  return result
}

const operation = declareOperations(CONTACTS)

export const contactTopicRoutes: Routes<Context> = async (app, { context }) => {
  const { contacts, contactTopics } = context.repositories

  app.get(
    '/contacts/:contact_id/topics',
    operation({
      id: 'contacts.topics.list',
      summary: 'List the topics of a contact',
      description:
        'Returns every topic of the team with the subscription of the contact: its own choice, or the default of the topic if it made none. A contact who unsubscribed from all bulk email gets no emails of any topic, regardless of these subscriptions. Without `limit`, `after` or `before`, it returns all topics.',
      access: 'full',
      audit: 'never',
      params: ContactParams,
      query: WholeListQuery,
      reply: { 200: ContactTopicList },
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
    }),
    async ({ teamId, params, query }) => {
      const contact = await contacts.find(teamId, contactOfPath(params))
      if (!contact) throw notFound(CONTACTS.noun)
      return toList(await contactTopics.list(teamId, contact.id, pageRequest(query, 'optional')), toContactTopic)
    },
  )

  app.patch(
    '/contacts/:contact_id/topics',
    operation({
      id: 'contacts.topics.update',
      summary: 'Update the topics of a contact',
      description:
        'Sets the choices of a contact about the given topics; other topics are not changed. `opt_in` subscribes the contact again after an opt-out. Either all choices are set or none.',
      access: 'full',
      audit: 'people',
      scope: 'contacts:subscriptions',
      params: ContactParams,
      body: ContactTopicsUpdate,
      reply: { 200: ContactTopicsReference },
      example: {
        body: [{ id: TOPICS.example.id, subscription: 'opt_out' }],
        reply: {
          object: 'contact_topics',
          id: CONTACTS.example.id,
          contact_id: CONTACTS.example.id,
          topics: [{ id: TOPICS.example.id, subscription: 'opt_out' }],
        },
      },
    }),
    async ({ teamId, params, body }) => {
      // The array is named as the client sent it.
      const [field, choices] = Array.isArray(body) ? ['', body] : ['topics', body.topics]
      const result = await chooseTopics(context, teamId, { reference: contactOfPath(params), choices, field })
      return { object: 'contact_topics' as const, id: result.id, contact_id: result.id, topics: result.topics }
    },
  )
}
