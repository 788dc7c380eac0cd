import { notFound } from '../lib/failure.ts'
import { pageRequest } from '../lib/page-request.ts'
import { EmailAttemptList } from '../schemas/attempts.ts'
import { EXAMPLE_TIME, ListQuery } from '../schemas/common.ts'
import { EMAILS, EmailParams } from '../schemas/emails.ts'
import { toEmailAttempt } from '../serializers/attempts.ts'
import { toList } from '../serializers/list.ts'
import { type Call, operation, routes } from './operation.ts'

export const emailAttemptRoutes = routes(EMAILS, ({ repositories }) => {
  async function list({ teamId, params, query }: Call<{ params: typeof EmailParams; query: typeof ListQuery }>) {
    if (!(await repositories.emails.has(teamId, params.email_id))) throw notFound(EMAILS.noun)
    return toList(await repositories.attempts.listOf(teamId, params.email_id, pageRequest(query, 'always')), toEmailAttempt)
  }

  return [
    operation({
      id: 'emails.attempts.list',
      method: 'GET',
      path: '/emails/:email_id/attempts',
      summary: 'List the attempts to deliver an email',
      description:
        'Returns the attempts to deliver an email and the replies of the mail servers, newest first. Attempts are kept as long as request logs.',
      access: 'full',
      params: EmailParams,
      query: ListQuery,
      reply: EmailAttemptList,
      example: {
        reply: {
          object: 'list',
          has_more: false,
          data: [
            {
              id: '0193a5c2-8100-7a2b-8c3d-4e5f60718293',
              recipient: 'ada@example.com',
              number: 1,
              outcome: 'delivered',
              host: 'mx.example.com',
              tls: 'TLSv1.3',
              code: 250,
              enhanced_code: '2.0.0',
              text: 'OK: queued',
              duration_ms: 184,
              started_at: EXAMPLE_TIME,
            },
          ],
        },
      },
      handle: list,
    }),
  ]
})
