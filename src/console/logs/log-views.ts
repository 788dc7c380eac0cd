// What the pages of logs show, read for the team of the session.
import type { Context } from '../../context.ts'
import { isId } from '../../lib/ids.ts'
import { LINES_PER_PAGE } from '../shell/pager.ts'
import { findSender, keyName } from '../shell/senders.ts'
import type { LogListView } from './list-page.ts'
import type { LogView } from './log-page.ts'
import { isAnything, type SoughtLogs, searchOf } from './log-search.ts'

/** The newest keys, among which a person chooses. A key's page leads to its requests, too. */
const KEYS_OFFERED_MAX = 100

export function logViews({ repositories, clock }: Pick<Context, 'repositories' | 'clock'>) {
  const { apiKeys, requestLogs, logSearches, teams } = repositories

  const teamName = async (teamId: string): Promise<string> => (await teams.find(teamId))?.name ?? ''

  async function keysFor(teamId: string, soughtId: string): Promise<{ id: string; name: string }[]> {
    const { rows } = await apiKeys.list(teamId, { limit: KEYS_OFFERED_MAX, after: null, before: null })
    const offered = rows.map((key) => ({ id: key.id, name: keyName(key) }))
    if (!isId(soughtId) || offered.some(({ id }) => id === soughtId)) return offered
    const sender = await findSender(repositories, teamId, soughtId)
    return [{ id: soughtId, name: !('name' in sender) ? 'a key that was deleted' : sender.name }, ...offered]
  }

  /** The page with its form, and nothing found yet. */
  async function form(teamId: string, sought: SoughtLogs): Promise<LogListView> {
    const keys = await keysFor(teamId, sought.key)
    const findings = { rows: [], searchedMax: 0, next: null }
    return { teamName: await teamName(teamId), now: clock.now(), sought, keys, findings, after: null, problem: null }
  }

  async function newest(teamId: string, after: string | null): Promise<LogListView['findings']> {
    const { rows, hasMore } = await requestLogs.list(teamId, { limit: LINES_PER_PAGE, after, before: null })
    const last = rows.at(-1)
    return { rows, searchedMax: rows.length, next: hasMore && last ? { after: last.id, isBecauseOfBound: false } : null }
  }

  return {
    form,

    /** @throws Failure about a field. */
    async list(teamId: string, { sought, after }: { sought: SoughtLogs; after: string | null }): Promise<LogListView> {
      const search = searchOf(sought)
      const findings = isAnything(sought)
        ? await newest(teamId, after)
        : await logSearches.search(teamId, { ...search, after, limit: LINES_PER_PAGE })
      return { ...(await form(teamId, sought)), findings, after }
    },

    /** Null if the team has no such log. */
    async log(teamId: string, id: string): Promise<LogView | null> {
      const log = await requestLogs.find(teamId, id)
      if (!log) return null
      const senderId = log.personId ?? log.apiKeyId
      const sender = senderId === null ? null : await findSender(repositories, teamId, senderId)
      return { teamName: await teamName(teamId), now: clock.now(), log, sender }
    },
  }
}
