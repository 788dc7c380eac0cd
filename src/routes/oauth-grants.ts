import { notFound } from '../lib/failure.ts'
import { pageRequest } from '../lib/page-request.ts'
import { toTimestamp } from '../lib/timestamps.ts'
import { EXAMPLE_TIME, WholeListQuery } from '../schemas/common.ts'
import { OAUTH_GRANTS, OAuthGrantList, OAuthGrantParams, OAuthGrantRevocation } from '../schemas/oauth-grants.ts'
import { toList } from '../serializers/list.ts'
import { toOAuthGrant } from '../serializers/oauth-grants.ts'
import { type Call, operation, routes } from './operation.ts'

export const oauthGrantRoutes = routes(OAUTH_GRANTS, ({ repositories }) => {
  const { oauthGrants } = repositories

  async function list({ teamId, query }: Call<{ query: typeof WholeListQuery }>) {
    return toList(await oauthGrants.list(teamId, pageRequest(query, 'optional')), toOAuthGrant)
  }

  async function revoke({ teamId, params }: Call<{ params: typeof OAuthGrantParams }>) {
    const id = params.oauth_grant_id.toLowerCase()
    const revokedAt = await oauthGrants.revoke(teamId, id, REVOKED_FROM_API)
    if (revokedAt === null) throw notFound(OAUTH_GRANTS.noun)
    return { object: 'oauth_grant' as const, id, revoked_at: toTimestamp(revokedAt), revoked_reason: REVOKED_FROM_API }
  }

  return [
    operation({
      id: 'oauth-grants.list',
      method: 'GET',
      path: '/oauth/grants',
      summary: 'List OAuth grants',
      description:
        'Returns the access that the team has given to other programs, newest first, including what has ended. Without `limit`, `after` or `before`, it returns all of them, up to 1,000.',
      access: 'full',
      query: WholeListQuery,
      reply: OAuthGrantList,
      example: { reply: { object: 'list', has_more: false, data: [OAUTH_GRANTS.example] } },
      handle: list,
    }),
    operation({
      id: 'oauth-grants.delete',
      method: 'DELETE',
      path: '/oauth/grants/:oauth_grant_id',
      summary: 'Revoke an OAuth grant',
      description:
        'Ends the access of a program: its tokens stop working, and emails that it has scheduled fail. The grant stays in the list. The answer is a 404 if the grant has ended already.',
      access: 'full',
      params: OAuthGrantParams,
      reply: OAuthGrantRevocation,
      example: {
        reply: { object: 'oauth_grant', id: OAUTH_GRANTS.example.id, revoked_at: EXAMPLE_TIME, revoked_reason: REVOKED_FROM_API },
      },
      handle: revoke,
    }),
  ]
})

const REVOKED_FROM_API = 'revoked_from_api'
