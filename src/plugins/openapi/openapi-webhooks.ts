// The requests that this service sends, as the document describes them: one for each type of event.

import { HOUR_MS } from '../../lib/clock.ts'
import { EXAMPLE_EVENT_ID } from '../../modules/webhooks/events/webhook-events.schema.ts'
import { WEBHOOK_CAUSES, WEBHOOK_EVENT_SCHEMAS } from '../../modules/webhooks/payloads/webhook-causes.ts'
import { EXAMPLE_TIME_ISO, WEBHOOK_EXAMPLES } from '../../modules/webhooks/payloads/webhook-payloads.schema.ts'
import { LONGEST_WAIT_MS } from '../../modules/webhooks/sending/retry-schedule.ts'
import { SIGNED_HEADER_PREFIXES, secretOfShown, signedHeaders } from '../../modules/webhooks/webhook-secrets.ts'
import { EXAMPLE_SECRET, WEBHOOKS } from '../../modules/webhooks/webhooks.schema.ts'

const HEADERS = {
  id: 'Id of the event: the same for every attempt. Store it, and ignore an event that arrives again.',
  timestamp: 'When the request was signed, in seconds since 1970. Refuse a request that is more than five minutes off.',
  signature: 'Signatures of the id, the time and the body with the secrets of the webhook, separated by spaces. One of them must match.',
}

const RETRIED = 'The event is retried, unless this was its last attempt.'
const LATER = `${RETRIED} \`retry-after\` can ask for a longer wait, of up to ${LONGEST_WAIT_MS / HOUR_MS} hours.`
const RETRY_AFTER = { description: 'How many seconds to wait, or until when.', schema: { type: 'string' }, example: '120' }

/** The part `webhooks` of the document. */
export const documentedWebhooks = (): Record<string, object> =>
  Object.fromEntries(
    WEBHOOK_EVENT_SCHEMAS.map(({ type, schema }) => {
      const example = { type, created_at: EXAMPLE_TIME_ISO, data: WEBHOOK_EXAMPLES[type] }
      return [
        type,
        {
          post: {
            operationId: `webhooks.receive.${type.replaceAll('_', '-')}`,
            summary: type,
            description: WEBHOOK_CAUSES[type],
            tags: [WEBHOOKS.tag.name],
            security: [],
            parameters: webhookParameters(example),
            requestBody: {
              required: true,
              content: { 'application/json': { schema: { $ref: `#/components/schemas/${schema.$id}` }, example } },
            },
            responses: {
              '2XX': { description: 'The event was received. The body of the answer is ignored.' },
              '410': { description: 'The endpoint refuses all further events: the webhook is disabled.' },
              '429': { description: LATER, headers: { 'Retry-After': RETRY_AFTER } },
              '503': { description: LATER, headers: { 'Retry-After': RETRY_AFTER } },
              default: { description: `${RETRIED} No answer within 15 seconds counts as a failure.` },
            },
          },
        },
      ]
    }),
  )

/** The signature of an example can be verified with the secret that the document shows. */
function webhookParameters(example: object): object[] {
  const seconds = Math.floor(Date.parse(EXAMPLE_TIME_ISO) / 1_000)
  const examples = signedHeaders([secretOfShown(EXAMPLE_SECRET)], { id: EXAMPLE_EVENT_ID, seconds, body: JSON.stringify(example) })
  return SIGNED_HEADER_PREFIXES.flatMap((prefix) =>
    Object.entries(HEADERS).map(([name, description]) => ({
      ...{ name: prefix + name, in: 'header', required: true, schema: { type: 'string' } },
      description: prefix === 'svix-' ? description : `Same as \`svix-${name}\`, under the name of Standard Webhooks.`,
      example: examples[prefix + name],
    })),
  )
}
