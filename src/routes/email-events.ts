import { notFound } from '../lib/failure.ts'
import { pageRequest } from '../lib/page-request.ts'
import { EXAMPLE_TIME, ListQuery } from '../schemas/common.ts'
import { EmailEventList } from '../schemas/email-events.ts'
import { EMAILS, EmailParams } from '../schemas/emails.ts'
import { toEmailEvent } from '../serializers/emails.ts'
import { toList } from '../serializers/list.ts'
import { type Call, operation, routes } from './operation.ts'

export const emailEventRoutes = routes(EMAILS, ({ repositories }) => {
  async function list({ teamId, params, query }: Call<{ params: typeof EmailParams; query: typeof ListQuery }>) {
    if (!(await repositories.emails.has(teamId, params.email_id))) throw notFound(EMAILS.noun)
    return toList(await repositories.notifications.listOf(teamId, params.email_id, pageRequest(query, 'always')), toEmailEvent)
  }

  return [
    operation({
      id: 'emails.events.list',
      method: 'GET',
      path: '/emails/:email_id/events',
      summary: 'List the events of an email',
      description: 'Returns the timeline of an email: what happened to it, newest first. Events are kept as long as request logs.',
      access: 'full',
      params: EmailParams,
      query: ListQuery,
      reply: EmailEventList,
      example: {
        reply: {
          object: 'list',
          has_more: false,
          data: [
            {
              id: '0193a5c2-8123-7c4d-9e5f-0a1b2c3d4e5f',
              type: 'email.delivered',
              to: ['delivered@simulator.test'],
              detail: null,
              created_at: EXAMPLE_TIME,
            },
          ],
        },
      },
      handle: list,
    }),
  ]
})
