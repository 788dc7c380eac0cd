import { notFound } from '../lib/failure.ts'
import { pageRequest } from '../lib/page-request.ts'
import {
  API_KEYS,
  ApiKeyCreate,
  ApiKeyCreated,
  ApiKeyDeletion,
  ApiKeyList,
  ApiKeyParams,
  ApiKeyReference,
  ApiKeyUpdate,
} from '../schemas/api-keys.ts'
import { WholeListQuery } from '../schemas/common.ts'
import { toApiKey } from '../serializers/api-keys.ts'
import { toList } from '../serializers/list.ts'
import { createApiKey } from '../services/create-api-key.ts'
import { type Call, operation, routes } from './operation.ts'

export const apiKeyRoutes = routes(API_KEYS, (context) => {
  const { apiKeys } = context.repositories

  async function create({ teamId, holder, body }: Call<{ body: typeof ApiKeyCreate }>) {
    return { object: 'api_key' as const, ...(await createApiKey(context, teamId, { ...body, grantId: holder.grant?.id ?? null })) }
  }

  async function list({ teamId, query }: Call<{ query: typeof WholeListQuery }>) {
    return toList(await apiKeys.list(teamId, pageRequest(query, 'optional')), toApiKey)
  }

  async function update({ teamId, params, body }: Call<{ params: typeof ApiKeyParams; body: typeof ApiKeyUpdate }>) {
    const wasFound = await apiKeys.rename(teamId, params.api_key_id, body.name)
    if (!wasFound) throw notFound(API_KEYS.noun)
    return { object: 'api_key' as const, id: params.api_key_id.toLowerCase() }
  }

  async function remove({ teamId, params }: Call<{ params: typeof ApiKeyParams }>) {
    const wasFound = await apiKeys.remove(teamId, params.api_key_id)
    if (!wasFound) throw notFound(API_KEYS.noun)
    return { object: 'api_key' as const, id: params.api_key_id.toLowerCase(), deleted: true }
  }

  return [
    operation({
      id: 'api-keys.create',
      method: 'POST',
      path: '/api-keys',
      summary: 'Create an API key',
      description:
        'Creates an API key for your team. Store the `token` right away: it is not kept and cannot be shown again. A key with `domain_id` stays when its domain is deleted, and can then send nothing.',
      access: 'full',
      status: 201,
      body: ApiKeyCreate,
      reply: ApiKeyCreated,
      example: {
        body: { name: 'Production', permission: 'sending_access' },
        reply: { object: 'api_key', id: API_KEYS.example.id, token: 're_8yXn2WqT_4hVbK9sJm3RzLcPdGf6AeUwN' },
      },
      handle: create,
    }),
    operation({
      id: 'api-keys.list',
      method: 'GET',
      path: '/api-keys',
      summary: 'List API keys',
      description:
        'Returns the API keys of the team, newest first. Without `limit`, `after` or `before`, it returns all of them, up to 1,000.',
      access: 'full',
      query: WholeListQuery,
      reply: ApiKeyList,
      example: {
        reply: {
          object: 'list',
          has_more: false,
          data: [API_KEYS.example],
        },
      },
      handle: list,
    }),
    operation({
      id: 'api-keys.update',
      method: 'PATCH',
      path: '/api-keys/:api_key_id',
      summary: 'Rename an API key',
      description: 'Changes the name of an API key. The token and the permission stay the same.',
      access: 'full',
      params: ApiKeyParams,
      body: ApiKeyUpdate,
      reply: ApiKeyReference,
      example: {
        body: { name: 'Production, blue' },
        reply: { object: 'api_key', id: API_KEYS.example.id },
      },
      handle: update,
    }),
    operation({
      id: 'api-keys.delete',
      method: 'DELETE',
      path: '/api-keys/:api_key_id',
      summary: 'Delete an API key',
      description: 'Revokes an API key immediately. Emails that were scheduled with it and are not yet due will fail.',
      access: 'full',
      params: ApiKeyParams,
      reply: ApiKeyDeletion,
      example: { reply: { object: 'api_key', id: API_KEYS.example.id, deleted: true } },
      handle: remove,
    }),
  ]
})
