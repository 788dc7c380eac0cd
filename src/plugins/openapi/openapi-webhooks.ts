// The requests that this service sends, as the document describes them: one for each type of event.
import { WEBHOOK_CAUSES, WEBHOOK_EVENT_SCHEMAS } from '../../schemas/webhook-causes.ts'
import { WEBHOOK_EXAMPLES } from '../../schemas/webhook-payloads.ts'
import { WEBHOOKS } from '../../schemas/webhooks.ts'

const EXAMPLE_TIME = '2026-11-20T09:30:00.123Z'

const HEADERS = [
  [
    'svix-id',
    'Id of the event: the same for every attempt. Remember it, and ignore an event that comes again.',
    'msg_AZOlwn1OexqcPy5dimtMEA',
  ],
  ['svix-timestamp', 'When the request was signed, in seconds since 1970. Refuse what is more than five minutes old.', '1795426200'],
  [
    'svix-signature',
    'Signatures of the id, the time and the body by the secrets of the webhook, separated by spaces: one of them must fit.',
    'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  ],
] as const

/** The part `webhooks` of the document. */
export const documentedWebhooks = (): Record<string, object> =>
  Object.fromEntries(
    WEBHOOK_EVENT_SCHEMAS.map(({ type, schema }) => [
      type,
      {
        post: {
          summary: `${type}`,
          description: WEBHOOK_CAUSES[type].happens,
          tags: [WEBHOOKS.tag.name],
          parameters: HEADERS.map(([name, description, example]) => ({
            ...{ name, in: 'header', required: true, description, example },
            schema: { type: 'string' },
          })),
          requestBody: {
            required: true,
            content: {
              'application/json': {
                schema: { $ref: `#/components/schemas/${schema.$id}` },
                example: { type, created_at: EXAMPLE_TIME, data: WEBHOOK_EXAMPLES[type] },
              },
            },
          },
          responses: {
            '2XX': { description: 'The event was received. The body of the answer means nothing.' },
            '410': { description: 'The endpoint wants no more events: the webhook is disabled.' },
            default: { description: 'The event is sent again later. So it is after no answer within 15 seconds.' },
          },
        },
      },
    ]),
  )
