import { notFound } from '../lib/failure.ts'
import { pageRequest } from '../lib/page-request.ts'
import { contactOfPath } from '../mail/audience/contact-addresses.ts'
import { ListQuery } from '../schemas/common.ts'
import { CONTACTS, ContactParams } from '../schemas/contacts.ts'
import { ContactEventList, EXAMPLE_CONTACT_EVENT } from '../schemas/sent-events.ts'
import { toContactEvent } from '../serializers/events.ts'
import { toList } from '../serializers/list.ts'
import { type Call, operation, routes } from './operation.ts'

export const contactEventRoutes = routes(CONTACTS, ({ repositories }) => {
  const { contacts, sentEvents } = repositories

  async function list({ teamId, params, query }: Call<{ params: typeof ContactParams; query: typeof ListQuery }>) {
    const contact = await contacts.find(teamId, contactOfPath(params))
    if (!contact) throw notFound(CONTACTS.noun)
    return toList(await sentEvents.listOf(teamId, contact, pageRequest(query, 'always')), toContactEvent)
  }

  return [
    operation({
      id: 'contacts.events.list',
      method: 'GET',
      path: '/contacts/:contact_id/events',
      summary: 'List the events of a contact',
      description:
        'Returns what was sent for a contact with `POST /events/send`, newest first, 20 by default. This includes what was sent for its address before there was a contact. Events are kept as long as request logs.',
      access: 'full',
      shows: ['events'],
      params: ContactParams,
      query: ListQuery,
      reply: ContactEventList,
      example: { reply: { object: 'list', has_more: false, data: [EXAMPLE_CONTACT_EVENT] } },
      handle: list,
    }),
  ]
})
