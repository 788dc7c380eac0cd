// What the pages of API keys show, read for the team of the session.
import type { Context } from '../../context.ts'
import { notFound } from '../../lib/failure.ts'
import { createId, isId } from '../../lib/ids.ts'
import type { PageRequest } from '../../lib/page-request.ts'
import type { ApiKeyRow } from '../../modules/accounts/api-keys.repository.ts'
import { API_KEYS } from '../../modules/accounts/api-keys.schema.ts'
import type { Session } from '../../modules/accounts/sessions/sessions.service.ts'
import { LINES_PER_PAGE } from '../shell/pager.ts'
import { newKeyForm } from './key-forms.ts'
import type { KeyView } from './key-page.ts'
import type { ShownKey } from './key-words.ts'
import type { KeyListView } from './list-page.ts'

export function keyViews({ repositories, clock }: Pick<Context, 'repositories' | 'clock'>) {
  const { apiKeys, domains, teams } = repositories

  const teamName = async (teamId: string): Promise<string> => (await teams.find(teamId))?.name ?? ''

  const shown = async (teamId: string, key: ApiKeyRow): Promise<ShownKey> => ({
    ...key,
    domainName: key.domainId === null ? null : await domains.nameOf(teamId, key.domainId),
  })

  /** @throws Failure `notFound`, also for the key of another team. */
  async function find(teamId: string, id: string): Promise<ShownKey> {
    const key = isId(id) ? await apiKeys.find(teamId, id.toLowerCase()) : null
    if (!key) throw notFound(API_KEYS.noun)
    return shown(teamId, key)
  }

  return {
    teamName,
    find,

    async list({ teamId }: Session, { after, before }: Pick<PageRequest, 'after' | 'before'>): Promise<KeyListView> {
      const page = await apiKeys.list(teamId, { limit: LINES_PER_PAGE, after, before })
      const rows = await Promise.all(page.rows.map((key) => shown(teamId, key)))
      const common = { teamName: await teamName(teamId), now: clock.now(), problem: null, note: '' }
      return { ...common, page: { ...page, rows }, after: after ?? before, form: newKeyForm(createId(clock)) }
    },

    async key({ teamId }: Session, id: string): Promise<KeyView> {
      const key = await find(teamId, id)
      const common = { teamName: await teamName(teamId), now: clock.now(), problem: null, note: '' }
      return { ...common, key, typedName: key.name }
    },

    isLastWithFullAccess: (teamId: string, { id }: ShownKey): Promise<boolean> => apiKeys.isLastWithFullAccess(teamId, id),
  }
}
