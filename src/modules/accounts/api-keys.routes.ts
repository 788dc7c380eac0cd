import type { Static } from '@sinclair/typebox'
import { type Caller, declareOperations, type Routes } from '../../http/operation.ts'
import { plainResource } from '../../http/plain-resource.ts'
import type { PlatformContext } from '../../http/platform.context.ts'
import { toList } from '../../http/resource.ts'
import { toTimestamp } from '../../lib/clock.ts'
import { pageRequest } from '../../lib/page-request.ts'
import { WholeListQuery } from '../../lib/validation/common.schema.ts'
import type { DomainsContext } from '../domains/domains.context.ts'
import type { AccountsContext } from './accounts.context.ts'
import { type ApiKeyRow, permissionOf } from './api-keys.repository.ts'
import {
  API_KEYS,
  type ApiKey,
  ApiKeyCreate,
  ApiKeyCreated,
  ApiKeyDeletion,
  ApiKeyList,
  ApiKeyParams,
  ApiKeyReference,
  ApiKeyUpdate,
} from './api-keys.schema.ts'
import { createApiKey } from './api-keys.service.ts'
import { mayRead, type Scoped } from './scopes.ts'
import { requireConfirmation } from './sessions/confirmation.ts'

type Context = PlatformContext & DomainsContext & AccountsContext

/** @param addresses those of persons, by their ids */
export const apiKeyFor =
  (reader: Scoped, addresses: ReadonlyMap<string, string>) =>
  (row: ApiKeyRow): Static<typeof ApiKey> => ({
    id: row.id,
    name: row.name,
    created_at: toTimestamp(row.createdAt),
    last_used_at: toTimestamp(row.lastUsedAt),
    permission: permissionOf(row),
    domain_id: row.domainId,
    oauth_grant_id: row.grantId,
    person: mayRead(reader, 'members') && row.personId !== null ? { id: row.personId, email: addresses.get(row.personId) ?? null } : null,
  })

const operation = declareOperations(API_KEYS)
const apiKey = plainResource(API_KEYS, 'api_key')

export const apiKeyRoutes: Routes<Context> = async (app, { context }) => {
  const { apiKeys, persons } = context.repositories

  /** A key that a key makes is of the same person: it may read no more than the first. */
  async function makerOf({ teamId, apiKeyId, scopes, person, grant }: Caller): Promise<string | null> {
    if (person) return person.id
    if (grant) return grant.personId
    return scopes ? null : apiKeys.makerOf(teamId, apiKeyId)
  }

  app.post(
    '/api-keys',
    operation({
      id: 'api-keys.create',
      confirms: 'when the key has full access',
      summary: 'Create an API key',
      description:
        'Creates an API key for your team. Store the `token` right away: it is not kept and cannot be shown again. A key with `domain_id` stays when its domain is deleted, and can then send nothing.',
      access: 'full',
      audit: 'always',
      body: ApiKeyCreate,
      reply: { 201: ApiKeyCreated },
      example: {
        body: { name: 'Production', permission: 'sending_access' },
        reply: { ...apiKey.examples.reference, token: 're_8yXn2WqT_4hVbK9sJm3RzLcPdGf6AeUwN' },
      },
    }),
    async ({ teamId, caller, body }) => {
      if ((body.permission ?? 'full_access') === 'full_access') requireConfirmation(caller, context)
      return apiKey.reference(
        await createApiKey(context, teamId, {
          ...body,
          grantId: caller.grant?.id ?? null,
          personId: await makerOf(caller),
        }),
      )
    },
  )

  app.get(
    '/api-keys',
    operation({
      id: 'api-keys.list',
      summary: 'List API keys',
      description:
        'Returns the API keys of the team, newest first. Without `limit`, `after` or `before`, it returns all of them, up to 1,000.',
      access: 'full',
      audit: 'never',
      query: WholeListQuery,
      reply: { 200: ApiKeyList },
      example: { reply: apiKey.examples.list },
    }),
    async ({ caller, teamId, query }) => {
      const page = await apiKeys.list(teamId, pageRequest(query, 'optional'))
      return toList(page, apiKeyFor(caller, await persons.addressesAcrossTeams(page.rows.flatMap(({ personId }) => personId ?? []))))
    },
  )

  app.patch(
    '/api-keys/:api_key_id',
    operation({
      id: 'api-keys.update',
      summary: 'Rename an API key',
      description: 'Changes the name of an API key. The token and the permission stay the same.',
      access: 'full',
      audit: 'always',
      params: ApiKeyParams,
      body: ApiKeyUpdate,
      reply: { 200: ApiKeyReference },
      example: {
        body: { name: 'Production, blue' },
        reply: apiKey.examples.reference,
      },
    }),
    async ({ teamId, params, body }) => apiKey.reference(await apiKeys.rename(teamId, params.api_key_id, body.name)),
  )

  app.delete(
    '/api-keys/:api_key_id',
    operation({
      id: 'api-keys.delete',
      summary: 'Delete an API key',
      description: 'Revokes an API key immediately. Emails that were scheduled with it and are not yet due will fail.',
      access: 'full',
      audit: 'always',
      params: ApiKeyParams,
      reply: { 200: ApiKeyDeletion },
      example: { reply: apiKey.examples.deletion },
    }),
    async ({ teamId, params }) => apiKey.deletion(await apiKeys.deleteApiKey(teamId, params.api_key_id)),
  )
}
