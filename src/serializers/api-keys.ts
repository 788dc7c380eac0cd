import type { Static } from '@sinclair/typebox'
import { toTimestamp } from '../lib/timestamps.ts'
import type { ApiKeyRow } from '../repositories/team/api-keys.ts'
import type { ApiKey } from '../schemas/api-keys.ts'

export const toApiKey = (row: ApiKeyRow): Static<typeof ApiKey> => ({
  id: row.id,
  name: row.name,
  created_at: toTimestamp(row.createdAt),
  last_used_at: toTimestamp(row.lastUsedAt),
})
