import type { Static } from '@sinclair/typebox'
import { declareOperations, type Routes } from '../../http/operation.ts'
import { plainResource } from '../../http/plain-resource.ts'
import type { PlatformContext } from '../../http/platform.context.ts'
import { toTimestamp } from '../../lib/clock.ts'
import { EXAMPLE_TIME, ListQuery } from '../../lib/validation/common.schema.ts'
import type { AccountsContext } from '../accounts/accounts.context.ts'
import type { WebhooksContext } from './webhooks.context.ts'
import type { WebhookRow } from './webhooks.repository.ts'
import {
  CONCURRENCY_DEFAULT,
  EXAMPLE_SECRET,
  OLD_SECRET_HOURS,
  WEBHOOK_LIMIT,
  WEBHOOKS,
  Webhook,
  WebhookCreate,
  WebhookCreated,
  WebhookDeletion,
  WebhookList,
  WebhookParams,
  WebhookReference,
  type WebhookSummary,
  WebhookUpdate,
} from './webhooks.schema.ts'
import {
  createWebhook,
  deleteWebhook,
  findSigningSecret,
  requireReaderOfEvents,
  rotateSigningSecret,
  updateWebhook,
} from './webhooks.service.ts'

type Context = PlatformContext & WebhooksContext & AccountsContext

export const toWebhookSummary = ({ id, endpoint, events, status, createdAt }: WebhookRow): Static<typeof WebhookSummary> => ({
  id,
  endpoint,
  events,
  status,
  created_at: toTimestamp(createdAt),
})

export const toWebhook = (row: WebhookRow, signingSecret: string): Static<typeof Webhook> => ({
  object: 'webhook',
  ...toWebhookSummary(row),
  signing_secret: signingSecret,
  ordered: row.isOrdered,
  concurrency: row.concurrency,
  last_success_at: toTimestamp(row.lastSuccessAt),
  last_failure_at: toTimestamp(row.lastFailureAt),
  failing_since: toTimestamp(row.failingSince),
  disabled_reason: row.disabledReason,
})

const operation = declareOperations(WEBHOOKS)
const webhook = plainResource(WEBHOOKS, 'webhook')

export const webhookRoutes: Routes<Context> = async (app, { context }) => {
  const { webhooks } = context.repositories

  app.post(
    '/webhooks',
    operation({
      id: 'webhooks.create',
      summary: 'Create a webhook',
      description: `Creates a webhook: from now on, events of these types are sent to its endpoint, signed with its secret. ${WEBHOOK_LIMIT.sentence}.`,
      access: 'full',
      audit: 'always',
      body: WebhookCreate,
      reply: { 201: WebhookCreated },
      example: {
        body: { endpoint: 'https://example.com/webhooks', events: ['email.delivered', 'email.bounced'] },
        reply: { ...webhook.examples.reference, signing_secret: EXAMPLE_SECRET },
      },
    }),
    async ({ teamId, caller, body }) => {
      await requireReaderOfEvents(context, caller, body)
      const { id, signingSecret } = await createWebhook(context, teamId, body)
      return webhook.reference({ id, signing_secret: signingSecret })
    },
  )

  app.get(
    '/webhooks',
    operation({
      id: 'webhooks.list',
      summary: 'List webhooks',
      description: 'Returns the webhooks of the team, newest first. Without `limit`, all of them.',
      access: 'full',
      audit: 'never',
      query: ListQuery,
      reply: { 200: WebhookList },
      example: { reply: webhook.examples.list },
    }),
    webhook.list(webhooks.list, toWebhookSummary, 'optional'),
  )

  app.get(
    '/webhooks/:webhook_id',
    operation({
      id: 'webhooks.retrieve',
      summary: 'Retrieve a webhook',
      description:
        'Returns a webhook with its secret, and its health. Anyone who has the secret can sign messages, so an access token needs `webhooks:write`.',
      access: 'full',
      audit: 'never',
      scope: 'webhooks:write',
      params: WebhookParams,
      reply: { 200: Webhook },
      example: {
        reply: {
          object: 'webhook',
          ...WEBHOOKS.example,
          ...{ signing_secret: EXAMPLE_SECRET, ordered: false, concurrency: CONCURRENCY_DEFAULT },
          ...{ last_success_at: EXAMPLE_TIME, last_failure_at: null, failing_since: null, disabled_reason: null },
        },
      },
    }),
    async ({ teamId, params }) => {
      const row = webhook.found(await webhooks.find(teamId, params.webhook_id))
      const { signingSecret } = await findSigningSecret(context, { teamId, id: row.id })
      return toWebhook(row, signingSecret)
    },
  )

  app.patch(
    '/webhooks/:webhook_id',
    operation({
      id: 'webhooks.update',
      summary: 'Update a webhook',
      description:
        'Changes a webhook. While it is disabled, no events are kept for it, and waiting ones fail; they can be replayed once it is enabled again.',
      access: 'full',
      audit: 'always',
      params: WebhookParams,
      body: WebhookUpdate,
      reply: { 200: WebhookReference },
      example: { body: { status: 'disabled' }, reply: webhook.examples.reference },
    }),
    async ({ teamId, caller, params, body }) => {
      await requireReaderOfEvents(context, caller, body, idOf(params))
      return webhook.reference(await updateWebhook(context, { teamId, id: idOf(params) }, body))
    },
  )

  app.delete(
    '/webhooks/:webhook_id',
    operation({
      id: 'webhooks.delete',
      summary: 'Delete a webhook',
      description: 'Deletes a webhook. Nothing more is sent to its endpoint; events that wait are dropped.',
      access: 'full',
      audit: 'always',
      params: WebhookParams,
      reply: { 200: WebhookDeletion },
      example: { reply: webhook.examples.deletion },
    }),
    async ({ teamId, params }) => webhook.deletion(await deleteWebhook(context, { teamId, id: idOf(params) })),
  )

  app.post(
    '/webhooks/:webhook_id/signing-secret/rotate',
    operation({
      id: 'webhooks.signing-secret.rotate',
      summary: 'Rotate the signing secret of a webhook',
      description: `Creates a new secret and returns it. For ${OLD_SECRET_HOURS} hours, events are signed with both, so that you can change it in your program without losing any. During this time the secret cannot be rotated again: the response is a 422 that says until when.`,
      access: 'full',
      audit: 'always',
      params: WebhookParams,
      reply: { 200: WebhookCreated },
      example: { reply: { ...webhook.examples.reference, signing_secret: EXAMPLE_SECRET } },
    }),
    async ({ teamId, params }) => {
      const id = idOf(params)
      return webhook.reference({ id, signing_secret: await rotateSigningSecret(context, { teamId, id }) })
    },
  )
}

/** As it is stored: the answer repeats it. */
const idOf = ({ webhook_id }: Static<typeof WebhookParams>): string => webhook_id.toLowerCase()
