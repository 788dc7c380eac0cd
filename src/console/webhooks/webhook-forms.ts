// The forms of a webhook. They stand for the bodies of the API's operations, and are judged as those are.
import { type Static, Type } from '@sinclair/typebox'
import { createBodyReader } from '../../lib/validation/body-validator.ts'
import { WebhookTest } from '../../modules/webhooks/events/webhook-events.schema.ts'
import type { WebhookRow } from '../../modules/webhooks/webhooks.repository.ts'
import { CONCURRENCY_DEFAULT, WEBHOOK_EVENT_TYPES, WebhookCreate, WebhookUpdate } from '../../modules/webhooks/webhooks.schema.ts'

/** As a browser sends it: `endpoint`, `concurrency`, and a box with the name of each type of event. A box that is not ticked is absent. */
export const WebhookForm = Type.Record(Type.String(), Type.String())
export type WebhookForm = Static<typeof WebhookForm>

export const NEW_WEBHOOK: WebhookForm = { endpoint: '', concurrency: String(CONCURRENCY_DEFAULT) }

export const settingsOf = ({ endpoint, events, isOrdered, concurrency }: WebhookRow): WebhookForm => ({
  endpoint: endpoint ?? '',
  concurrency: String(concurrency),
  ...(isOrdered && { ordered: 'on' }),
  ...Object.fromEntries(events.map((type) => [type, 'on'])),
})

/**
 * Without an endpoint, the events are only read from the feed.
 *
 * @throws Failure with the sentence of the API.
 */
export const webhookCreateOf = (form: WebhookForm): Static<typeof WebhookCreate> =>
  readCreate({ endpoint: typed(form.endpoint) || null, ...choicesOf(form) })

/**
 * An empty endpoint is left out if there was none before. Otherwise it is refused, as it cannot be removed.
 *
 * @throws Failure with the sentence of the API.
 */
export const webhookUpdateOf = (form: WebhookForm, { endpoint }: WebhookRow): Static<typeof WebhookUpdate> => {
  const wanted = typed(form.endpoint)
  return readUpdate({ ...((wanted !== '' || endpoint !== null) && { endpoint: wanted || null }), ...choicesOf(form) })
}

/** @throws Failure with the sentence of the API. */
export const sampleOf = ({ type }: WebhookForm): Static<typeof WebhookTest> => readSample({ type })

const readCreate = createBodyReader(WebhookCreate)
const readUpdate = createBodyReader(WebhookUpdate)
const readSample = createBodyReader(WebhookTest)

const typed = (text: string | undefined): string => (text ?? '').trim()

/** What is no number is refused as the API refuses a text. */
function choicesOf(form: WebhookForm) {
  const concurrency = typed(form.concurrency)
  return {
    events: WEBHOOK_EVENT_TYPES.filter((type) => form[type] === 'on'),
    ordered: form.ordered === 'on',
    ...(concurrency !== '' && { concurrency: Number(concurrency) }),
  }
}
