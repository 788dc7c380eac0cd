import type { Static } from '@sinclair/typebox'
import { toTimestamp } from '../lib/timestamps.ts'
import type { OAuthGrantRow } from '../repositories/oauth/oauth-grants.ts'
import type { OAuthGrant } from '../schemas/oauth-grants.ts'

export const toOAuthGrant = (row: OAuthGrantRow): Static<typeof OAuthGrant> => ({
  id: row.id,
  client_id: row.clientId,
  scopes: row.scopes,
  resource: row.resource,
  created_at: toTimestamp(row.createdAt),
  revoked_at: toTimestamp(row.revokedAt),
  revoked_reason: row.revokedReason,
  client: { name: row.client.name, logo_uri: row.client.logoUri },
})
