import type { Static } from '@sinclair/typebox'
import { declareOperations, type Routes } from '../../http/operation.ts'
import { toList } from '../../http/resource.ts'
import { toTimestamp } from '../../lib/clock.ts'
import { notFound } from '../../lib/failure.ts'
import { pageRequest } from '../../lib/page-request.ts'
import { EXAMPLE_TIME, WholeListQuery } from '../../lib/validation/common.schema.ts'
import type { OAuthGrantRow } from './grants.repository.ts'
import { OAUTH_GRANTS, type OAuthGrant, OAuthGrantList, OAuthGrantParams, OAuthGrantRevocation } from './grants.schema.ts'
import type { OauthContext } from './oauth.context.ts'

type Context = OauthContext

export const toOAuthGrant = (row: OAuthGrantRow): Static<typeof OAuthGrant> => ({
  id: row.id,
  client_id: row.clientId,
  scopes: row.scopes,
  resource: row.resource,
  created_at: toTimestamp(row.createdAt),
  last_used_at: toTimestamp(row.lastUsedAt),
  revoked_at: toTimestamp(row.revokedAt),
  revoked_reason: row.revokedReason,
  client: { name: row.client.name, logo_uri: row.client.logoUri },
  allowed_by: row.allowedBy,
})

const operation = declareOperations(OAUTH_GRANTS)

export const oauthGrantRoutes: Routes<Context> = async (app, { context: { repositories } }) => {
  const { oauthGrants } = repositories

  app.get(
    '/oauth/grants',
    operation({
      id: 'oauth-grants.list',
      summary: 'List OAuth grants',
      description:
        'Returns the access that the team has given to other programs, newest first, including what has ended. Without `limit`, `after` or `before`, it returns all of them, up to 1,000.',
      access: 'full',
      audit: 'never',
      query: WholeListQuery,
      reply: { 200: OAuthGrantList },
      example: { reply: { object: 'list', has_more: false, data: [OAUTH_GRANTS.example] } },
    }),
    async ({ teamId, query }) => {
      return toList(await oauthGrants.list(teamId, pageRequest(query, 'optional')), toOAuthGrant)
    },
  )

  app.delete(
    '/oauth/grants/:oauth_grant_id',
    operation({
      id: 'oauth-grants.delete',
      summary: 'Revoke an OAuth grant',
      description:
        'Ends the access of a program: its tokens stop working, and emails that it has scheduled fail. The grant stays in the list. The response is a 404 if the grant has ended already.',
      access: 'full',
      audit: 'always',
      params: OAuthGrantParams,
      reply: { 200: OAuthGrantRevocation },
      example: {
        reply: { object: 'oauth_grant', id: OAUTH_GRANTS.example.id, revoked_at: EXAMPLE_TIME, revoked_reason: REVOKED_FROM_API },
      },
    }),
    async ({ teamId, params }) => {
      const id = params.oauth_grant_id.toLowerCase()
      const revokedAt = await oauthGrants.revoke(teamId, id, REVOKED_FROM_API)
      if (revokedAt === null) throw notFound(OAUTH_GRANTS.noun)
      return { object: 'oauth_grant' as const, id, revoked_at: toTimestamp(revokedAt), revoked_reason: REVOKED_FROM_API }
    },
  )
}

const REVOKED_FROM_API = 'revoked_from_api'
