// What the pages of domains show, read for the team of the session.
import type { Context } from '../../context.ts'
import { notFound } from '../../lib/failure.ts'
import { isId } from '../../lib/ids.ts'
import { type PageRequest, pageRequest } from '../../lib/page-request.ts'
import type { DomainWithRecords } from '../../modules/domains/domain-rows.repository.ts'
import { DOMAINS } from '../../modules/domains/domains.schema.ts'
import { isNeeded } from '../../modules/domains/records/wanted-records.ts'
import { LINES_PER_PAGE } from '../shell/pager.ts'
import { NEW_DOMAIN, settingsOf } from './domain-forms.ts'
import type { DomainView } from './domain-page.ts'
import type { DomainListView } from './list-page.ts'

export const FIRST_PAGE = { limit: LINES_PER_PAGE, after: null, before: null }

export function domainViews({ repositories, clock }: Pick<Context, 'repositories' | 'clock'>) {
  const teamName = async (teamId: string): Promise<string> => (await repositories.teams.find(teamId))?.name ?? ''

  /**
   * Returns the records that have to be published too.
   * @throws Failure `notFound`, also for the domain of another team.
   */
  async function find(teamId: string, id: string): Promise<DomainWithRecords> {
    const domain = isId(id) ? await repositories.domains.find(teamId, id) : null
    if (!domain) throw notFound(DOMAINS.noun)
    return { ...domain, records: domain.records.filter(isNeeded) }
  }

  return {
    teamName,
    find,

    async list(teamId: string, request: PageRequest): Promise<DomainListView> {
      const page = await repositories.domains.list(teamId, request)
      return {
        teamName: await teamName(teamId),
        now: clock.now(),
        page,
        after: request.after ?? request.before,
        form: NEW_DOMAIN,
        problem: null,
        note: '',
      }
    },

    async domain(teamId: string, id: string): Promise<DomainView> {
      const domain = await find(teamId, id)
      return { teamName: await teamName(teamId), now: clock.now(), domain, settings: settingsOf(domain), refused: null, note: '' }
    },
  }
}

export const listRequest = (query: { after?: string; before?: string }): PageRequest =>
  pageRequest({ ...query, limit: LINES_PER_PAGE }, 'optional')
