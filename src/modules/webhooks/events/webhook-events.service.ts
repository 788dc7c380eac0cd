// What a webhook was told, and telling it again. Each fails with `notFound` if the team has no such webhook or event.
import type { Static } from '@sinclair/typebox'
import type { PlatformContext } from '../../../http/platform.context.ts'
import { DAY_MS } from '../../../lib/clock.ts'
import { Failure, invalid, notFound } from '../../../lib/failure.ts'
import { createId, idOfShort, idTime } from '../../../lib/ids.ts'
import { toWebhookPayload } from '../payloads/webhook-payloads.ts'
import type { Replayed } from '../sending/pending-messages.repository.ts'
import type { WebhooksContext } from '../webhooks.context.ts'
import type { WebhookRow } from '../webhooks.repository.ts'
import { WEBHOOKS, type WebhookEventType } from '../webhooks.schema.ts'
import type { WebhookEventRow } from './webhook-events.repository.ts'
import { REPLAYED_EVERY_MS, REPLAYED_MAX, WEBHOOK_EVENTS, type WebhookEvent, webhookEventId } from './webhook-events.schema.ts'

type Context = PlatformContext & WebhooksContext

type Dependencies = Pick<Context, 'repositories' | 'clock' | 'config' | 'wakeWorkers'>
type Readers = Pick<Context, 'repositories'>
export type WebhookOfTeam = { teamId: string; webhookId: string }
/** `eventId`: as it is on the wire. */
export type WebhookEventOfTeam = WebhookOfTeam & { eventId: string }

/** @param noun what was asked for */
export async function findWebhook(
  { repositories }: Readers,
  { teamId, webhookId }: WebhookOfTeam,
  noun: string = WEBHOOKS.noun,
): Promise<WebhookRow> {
  const webhook = await repositories.webhooks.find(teamId, webhookId)
  if (!webhook) throw notFound(noun)
  return webhook
}

/** The id of the row that is called so on the wire; null if nothing is. */
export const rowIdOfEvent = (eventId: string): string | null =>
  eventId.startsWith(EVENT_ID_PREFIX) ? idOfShort(eventId.slice(EVENT_ID_PREFIX.length)) : null

const EVENT_ID_PREFIX = 'msg_'

export async function findWebhookEvent(dependencies: Readers, reference: WebhookEventOfTeam): Promise<WebhookEventRow> {
  const { id } = await findWebhook(dependencies, reference, WEBHOOK_EVENTS.noun)
  const event = await dependencies.repositories.webhookEvents.find(id, existingId(reference))
  if (!event) throw notFound(WEBHOOK_EVENTS.noun)
  return event
}

/** What is sent for an event; null if what happened is no longer kept. */
export async function findPayload(
  { repositories }: Readers,
  { webhookId, messageId }: { webhookId: string; messageId: string },
): Promise<Static<typeof WebhookEvent>['payload']> {
  const contents = await repositories.webhookContents.ofAcrossTeams([{ webhookId, messageId }])
  const content = contents.get(messageId)
  return content ? toWebhookPayload(content) : null
}

/** @throws Failure `gone` for an event that is no longer kept, `validation` if nothing can be sent to the webhook. */
export async function replayEvent(
  { repositories, clock, config, wakeWorkers }: Dependencies,
  reference: WebhookEventOfTeam,
): Promise<string> {
  const webhook = await findWebhook({ repositories }, reference, WEBHOOK_EVENTS.noun)
  const id = existingId(reference)
  if (idTime(id).getTime() < clock.now().getTime() - config.logRetentionDays * DAY_MS)
    throw new Failure('gone', `Events are kept for ${config.logRetentionDays} days. This one can no longer be sent.`)
  checkSendable(webhook)
  if (!(await repositories.waitingWebhookMessages.replay(webhook.id, id, clock.now()))) throw notFound(WEBHOOK_EVENTS.noun)
  wakeWorkers()
  return webhookEventId(id)
}

/** Queues again what was given up since then: a bounded number. @throws Failure `validation` if nothing can be sent to the webhook. */
export async function replayFailed(
  { repositories, clock, wakeWorkers }: Dependencies,
  reference: WebhookOfTeam,
  since: Date,
): Promise<Replayed> {
  const webhook = await findWebhook({ repositories }, reference)
  checkSendable(webhook)
  const limits = { now: clock.now(), max: REPLAYED_MAX, everyMs: REPLAYED_EVERY_MS }
  const replayed = await repositories.waitingWebhookMessages.replaySince(webhook.id, since, limits)
  wakeWorkers()
  return replayed
}

/** Returns the id of the sample on the wire. Without an endpoint it is in the feed. @throws Failure `validation` if the webhook is disabled; FormUsed. */
export async function sendSample(
  { repositories, clock, wakeWorkers }: Dependencies,
  reference: WebhookOfTeam,
  type: WebhookEventType,
  formId?: string,
): Promise<string> {
  const webhook = await findWebhook({ repositories }, reference)
  checkEnabled(webhook)
  const messageId = createId(clock)
  const test = { messageId, teamId: reference.teamId, type }
  if (!(await repositories.waitingWebhookMessages.addTest(webhook.id, test, { now: clock.now(), formId }))) throw notFound(WEBHOOKS.noun)
  wakeWorkers()
  return webhookEventId(messageId)
}

/** Only what is enabled and has an endpoint can be sent to. */
function checkSendable(webhook: WebhookRow): void {
  if (webhook.endpoint === null) throw invalid('This webhook has no endpoint: read its events from its feed.')
  checkEnabled(webhook)
}

function checkEnabled({ status }: WebhookRow): void {
  if (status === 'disabled') throw invalid('This webhook is disabled. Enable it first.')
}

function existingId({ eventId }: WebhookEventOfTeam): string {
  const id = rowIdOfEvent(eventId)
  if (id === null) throw notFound(WEBHOOK_EVENTS.noun)
  return id
}
