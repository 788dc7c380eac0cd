// The first team and its first key: what an empty installation begins with.
import type { Context } from '../context.ts'
import { createApiToken, digestOf } from '../lib/tokens.ts'

/** @returns the token of a key that was made just now because there was no team yet; null otherwise. */
export async function ensureFirstTeam({ repositories, config }: Pick<Context, 'repositories' | 'config'>): Promise<string | null> {
  const { team, isNew } = await repositories.teams.ensureFirst('First team')
  if (config.bootstrapApiKey !== null) {
    await repositories.apiKeys.ensure(team.id, { name: 'Bootstrap', permission: 'full_access', digest: digestOf(config.bootstrapApiKey) })
    return null
  }
  if (!isNew) return null
  const token = createApiToken()
  await repositories.apiKeys.create(team.id, { name: 'First key', permission: 'full_access', digest: digestOf(token) })
  return token
}
