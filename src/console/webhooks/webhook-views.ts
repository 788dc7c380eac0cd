// What the pages of webhooks show, read for the team of the session.
import type { Context } from '../../context.ts'
import { notFound } from '../../lib/failure.ts'
import { createId, isId } from '../../lib/ids.ts'
import { PAGE_LIMIT_MAX } from '../../lib/validation/common.schema.ts'
import type { WebhookEventStatus } from '../../modules/webhooks/events/webhook-events.schema.ts'
import { findPayload, findWebhook, findWebhookEvent } from '../../modules/webhooks/events/webhook-events.service.ts'
import type { WebhookRow } from '../../modules/webhooks/webhooks.repository.ts'
import { WEBHOOKS, WEBHOOKS_PER_TEAM_MAX } from '../../modules/webhooks/webhooks.schema.ts'
import { findSigningSecret } from '../../modules/webhooks/webhooks.service.ts'
import { LINES_PER_PAGE } from '../shell/pager.ts'
import type { EventProgress, WebhookEventView } from './event-page.ts'
import type { WebhookListView } from './list-page.ts'
import type { WebhookSecretView } from './secret-page.ts'
import type { WebhookSettingsView } from './settings-page.ts'
import { NEW_WEBHOOK, settingsOf } from './webhook-forms.ts'
import type { WebhookView } from './webhook-frame.ts'
import type { WebhookEventsView } from './webhook-page.ts'

export type WantedEvents = { status: WebhookEventStatus | ''; after: string | null; before: string | null }

export const NEWEST_EVENTS: WantedEvents = { status: '', after: null, before: null }

type Dependencies = Pick<Context, 'repositories' | 'webhookSecrets' | 'clock'>
/** Ids as they stand in the address. */
type EventParams = { id: string; eventId: string }

export function webhookViews(context: Dependencies) {
  const { repositories, clock } = context

  const teamName = async (teamId: string): Promise<string> => (await repositories.teams.find(teamId))?.name ?? ''

  /** @throws Failure `notFound`, also for the webhook of another team. */
  async function find(teamId: string, id: string): Promise<WebhookRow> {
    if (!isId(id)) throw notFound(WEBHOOKS.noun)
    return findWebhook(context, { teamId, webhookId: id })
  }

  async function webhook(teamId: string, id: string): Promise<WebhookView> {
    return { webhook: await find(teamId, id), teamName: await teamName(teamId), now: clock.now(), note: '', problem: null }
  }

  async function progress(teamId: string, { id, eventId }: EventParams): Promise<EventProgress> {
    const webhook = await find(teamId, id)
    const event = await findWebhookEvent(context, { teamId, webhookId: webhook.id, eventId })
    const attempts = await repositories.webhookEvents.attemptsOf(webhook.id, event.id, { limit: PAGE_LIMIT_MAX, after: null, before: null })
    return { webhook, event, attempts, now: clock.now() }
  }

  return {
    teamName,
    find,
    webhook,
    progress,

    async list(teamId: string): Promise<WebhookListView> {
      const { rows } = await repositories.webhooks.list(teamId, { limit: WEBHOOKS_PER_TEAM_MAX, after: null, before: null })
      return {
        teamName: await teamName(teamId),
        now: clock.now(),
        rows,
        form: NEW_WEBHOOK,
        formId: createId(clock),
        problem: null,
        note: '',
      }
    },

    async events(teamId: string, id: string, { status, after, before }: WantedEvents): Promise<WebhookEventsView> {
      const view = await webhook(teamId, id)
      const request = { limit: LINES_PER_PAGE, after, before }
      const page = await repositories.webhookEvents.list(view.webhook.id, status === '' ? null : status, request)
      return { ...view, status, page, after: after ?? before, formId: createId(clock), refused: null }
    },

    async settings(teamId: string, id: string): Promise<WebhookSettingsView> {
      const view = await webhook(teamId, id)
      return { ...view, form: settingsOf(view.webhook), refusal: null }
    },

    async secret(teamId: string, id: string, { isShown }: { isShown: boolean }): Promise<WebhookSecretView> {
      const view = await webhook(teamId, id)
      const { signingSecret, oldUntil } = await findSigningSecret(context, { teamId, id: view.webhook.id })
      return { ...view, secret: isShown ? signingSecret : null, oldUntil }
    },

    async event(teamId: string, params: EventParams): Promise<WebhookEventView> {
      const known = await progress(teamId, params)
      const payload = await findPayload(context, { webhookId: known.webhook.id, messageId: known.event.id })
      return { ...known, teamName: await teamName(teamId), payload, problem: null, note: '' }
    },
  }
}
