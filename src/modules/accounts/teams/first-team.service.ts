// Creates the first team and its first key in an empty installation.

import type { PlatformContext } from '../../../http/platform.context.ts'
import { createApiToken, digestToken } from '../../../lib/ids.ts'
import type { AccountsContext } from '../accounts.context.ts'

type Context = PlatformContext & AccountsContext

/** @returns the token of a key that was just made because there was no team yet; null otherwise. */
export async function ensureFirstTeam({ repositories, config }: Pick<Context, 'repositories' | 'config'>): Promise<string | null> {
  const token = config.bootstrapApiKey ?? createApiToken()
  const key = {
    name: config.bootstrapApiKey === null ? 'First key' : 'Bootstrap',
    permission: 'full_access' as const,
    digest: digestToken(token),
  }
  const { team, isNew } = await repositories.teams.ensureFirst('First team', key)
  if (config.bootstrapApiKey === null) return isNew ? token : null
  await repositories.apiKeys.ensure(team.id, key)
  return null
}
