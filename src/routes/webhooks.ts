import type { Static } from '@sinclair/typebox'
import { notFound } from '../lib/failure.ts'
import { pageRequest } from '../lib/page-request.ts'
import { EXAMPLE_TIME, ListQuery } from '../schemas/common.ts'
import {
  CONCURRENCY_DEFAULT,
  EXAMPLE_SECRET,
  OLD_SECRET_HOURS,
  WEBHOOKS,
  WEBHOOKS_PER_TEAM_MAX,
  Webhook,
  WebhookCreate,
  WebhookCreated,
  WebhookDeletion,
  WebhookList,
  WebhookParams,
  WebhookReference,
  WebhookUpdate,
} from '../schemas/webhooks.ts'
import { toList } from '../serializers/list.ts'
import { toWebhook, toWebhookSummary } from '../serializers/webhooks.ts'
import { createWebhook, deleteWebhook, rotateSigningSecret, signingSecretOf, updateWebhook } from '../services/change-webhook.ts'
import { type Call, operation, routes } from './operation.ts'

export const webhookRoutes = routes(WEBHOOKS, (context) => {
  const { webhooks } = context.repositories

  async function create({ teamId, body }: Call<{ body: typeof WebhookCreate }>) {
    const { id, signingSecret } = await createWebhook(context, teamId, body)
    return { object: 'webhook' as const, id, signing_secret: signingSecret }
  }

  async function list({ teamId, query }: Call<{ query: typeof ListQuery }>) {
    return toList(await webhooks.list(teamId, pageRequest(query, 'optional')), toWebhookSummary)
  }

  async function retrieve({ teamId, params }: Call<{ params: typeof WebhookParams }>) {
    const webhook = await webhooks.find(teamId, params.webhook_id)
    if (!webhook) throw notFound(WEBHOOKS.noun)
    const { signingSecret } = await signingSecretOf(context, { teamId, id: webhook.id })
    return toWebhook(webhook, signingSecret)
  }

  async function update({ teamId, params, body }: Call<{ params: typeof WebhookParams; body: typeof WebhookUpdate }>) {
    const id = idOf(params)
    await updateWebhook(context, { teamId, id }, body)
    return { object: 'webhook' as const, id }
  }

  async function remove({ teamId, params }: Call<{ params: typeof WebhookParams }>) {
    const id = idOf(params)
    await deleteWebhook(context, { teamId, id })
    return { object: 'webhook' as const, id, deleted: true }
  }

  async function rotateSecret({ teamId, params }: Call<{ params: typeof WebhookParams }>) {
    const id = idOf(params)
    return { object: 'webhook' as const, id, signing_secret: await rotateSigningSecret(context, { teamId, id }) }
  }

  return [
    operation({
      id: 'webhooks.create',
      method: 'POST',
      path: '/webhooks',
      summary: 'Create a webhook',
      description: `Creates a webhook: from now on, events of these types are sent to its endpoint, signed with its secret. A team can have at most ${WEBHOOKS_PER_TEAM_MAX} webhooks.`,
      access: 'full',
      status: 201,
      body: WebhookCreate,
      reply: WebhookCreated,
      example: {
        body: { endpoint: 'https://example.com/webhooks', events: ['email.delivered', 'email.bounced'] },
        reply: { object: 'webhook', id: WEBHOOKS.example.id, signing_secret: EXAMPLE_SECRET },
      },
      handle: create,
    }),
    operation({
      id: 'webhooks.list',
      method: 'GET',
      path: '/webhooks',
      summary: 'List webhooks',
      description: 'Returns the webhooks of the team, newest first. Without `limit`, all of them.',
      access: 'full',
      query: ListQuery,
      reply: WebhookList,
      example: { reply: { object: 'list', has_more: false, data: [WEBHOOKS.example] } },
      handle: list,
    }),
    operation({
      id: 'webhooks.retrieve',
      method: 'GET',
      path: '/webhooks/:webhook_id',
      summary: 'Retrieve a webhook',
      description:
        'Returns a webhook with its secret, and its health. Anyone who has the secret can sign messages, so an access token needs `webhooks:write`.',
      access: 'full',
      scope: 'webhooks:write',
      params: WebhookParams,
      reply: Webhook,
      example: {
        reply: {
          object: 'webhook',
          ...WEBHOOKS.example,
          ...{ signing_secret: EXAMPLE_SECRET, ordered: false, concurrency: CONCURRENCY_DEFAULT },
          ...{ last_success_at: EXAMPLE_TIME, last_failure_at: null, failing_since: null, disabled_reason: null },
        },
      },
      handle: retrieve,
    }),
    operation({
      id: 'webhooks.update',
      method: 'PATCH',
      path: '/webhooks/:webhook_id',
      summary: 'Update a webhook',
      description:
        'Changes a webhook. While it is disabled, no events are kept for it, and waiting ones fail; they can be replayed once it is enabled again.',
      access: 'full',
      params: WebhookParams,
      body: WebhookUpdate,
      reply: WebhookReference,
      example: { body: { status: 'disabled' }, reply: { object: 'webhook', id: WEBHOOKS.example.id } },
      handle: update,
    }),
    operation({
      id: 'webhooks.delete',
      method: 'DELETE',
      path: '/webhooks/:webhook_id',
      summary: 'Delete a webhook',
      description: 'Deletes a webhook. Nothing more is sent to its endpoint; events that wait are dropped.',
      access: 'full',
      params: WebhookParams,
      reply: WebhookDeletion,
      example: { reply: { object: 'webhook', id: WEBHOOKS.example.id, deleted: true } },
      handle: remove,
    }),
    operation({
      id: 'webhooks.signing-secret.rotate',
      method: 'POST',
      path: '/webhooks/:webhook_id/signing-secret/rotate',
      summary: 'Rotate the signing secret of a webhook',
      description: `Creates a new secret and returns it. For ${OLD_SECRET_HOURS} hours, events are signed with both, so that you can change it in your program without losing any. During this time the secret cannot be rotated again: the answer is a 422 that says until when.`,
      access: 'full',
      params: WebhookParams,
      reply: WebhookCreated,
      example: { reply: { object: 'webhook', id: WEBHOOKS.example.id, signing_secret: EXAMPLE_SECRET } },
      handle: rotateSecret,
    }),
  ]
})

/** As it is stored: the answer repeats it. */
const idOf = ({ webhook_id }: Static<typeof WebhookParams>): string => webhook_id.toLowerCase()
