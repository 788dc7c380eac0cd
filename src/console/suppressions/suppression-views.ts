// What the page of suppressions shows, read for the team of the session.
import type { Context } from '../../context.ts'
import { contactAddress, partOfContactAddress } from '../../mail/address-forms.ts'
import type { SuppressionRow } from '../../modules/suppressions/suppression-changes.repository.ts'
import { type FoundLines, listLines, searchLines } from '../shell/found-lines.ts'
import { LINES_PER_PAGE } from '../shell/pager.ts'
import type { SuppressionListView } from './list-page.ts'
import { originOf, type Sought } from './search-form.ts'

export type Wanted = { sought: Sought; after: string | null; before: string | null }

export const FIRST_PAGE: Wanted = { sought: { words: '', origin: '' }, after: null, before: null }

export function suppressionViews({ repositories, clock }: Pick<Context, 'repositories' | 'clock'>) {
  const { suppressions, teams } = repositories

  const page = async (teamId: string, { sought, after, before }: Wanted): Promise<FoundLines<SuppressionRow>> =>
    listLines(await suppressions.list(teamId, originOf(sought), { limit: LINES_PER_PAGE, after, before }), { after, before })

  async function search(teamId: string, { sought, after }: Wanted): Promise<FoundLines<SuppressionRow>> {
    const origin = originOf(sought)
    // A whole address has an index.
    const email = contactAddress(sought.words)
    if (typeof email === 'string') {
      const found = await suppressions.find(teamId, { email })
      return searchLines(
        { rows: found && (origin === null || found.origin === origin) ? [found] : [], next: null, searchedMax: null },
        { after },
      )
    }
    const part = partOfContactAddress(sought.words)
    return searchLines(await suppressions.search(teamId, { part, origin, after, limit: LINES_PER_PAGE }), { after })
  }

  return {
    async list(teamId: string, wanted: Wanted): Promise<SuppressionListView> {
      const found = await (wanted.sought.words === '' ? page(teamId, wanted) : search(teamId, wanted))
      const teamName = (await teams.find(teamId))?.name ?? ''
      return { ...found, teamName, now: clock.now(), sought: wanted.sought, typed: '', problem: null, imported: null, note: '' }
    },
  }
}
