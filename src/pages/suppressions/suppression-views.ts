// What the page of suppressions shows, read for the team of the session.
import type { Context } from '../../context.ts'
import { contactAddress, partOfContactAddress } from '../../mail/audience/contact-addresses.ts'
import { LINES_PER_PAGE } from '../shell/pager.ts'
import type { SuppressionListView } from './list-page.ts'
import { originOf, type Sought } from './search-form.ts'

export type Wanted = { sought: Sought; after: string | null; before: string | null }

export const FIRST_PAGE: Wanted = { sought: { words: '', origin: '' }, after: null, before: null }

type Found = Pick<SuppressionListView, 'rows' | 'older' | 'newer' | 'searchedMax'>

export function suppressionViews({ repositories, clock }: Pick<Context, 'repositories' | 'clock'>) {
  const { suppressions, teams } = repositories

  async function page(teamId: string, { sought, after, before }: Wanted): Promise<Found> {
    const { rows, hasMore } = await suppressions.list(teamId, originOf(sought), { limit: LINES_PER_PAGE, after, before })
    const [first, last] = [rows.at(0)?.id, rows.at(-1)?.id]
    const isFirst = after === null && !(before !== null && hasMore)
    return {
      rows,
      older: last !== undefined && (hasMore || before !== null) ? { after: last } : null,
      newer: isFirst ? null : first === undefined ? 'first page' : { before: first },
      searchedMax: null,
    }
  }

  async function search(teamId: string, { sought, after }: Wanted): Promise<Found> {
    const origin = originOf(sought)
    const newer = after === null ? null : ('first page' as const)
    // A whole address has an index.
    const email = contactAddress(sought.words)
    if (typeof email === 'string') {
      const found = await suppressions.find(teamId, { email })
      return { rows: found && (origin === null || found.origin === origin) ? [found] : [], older: null, newer, searchedMax: null }
    }
    const part = partOfContactAddress(sought.words)
    const { rows, next, searchedMax } = await suppressions.search(teamId, { part, origin, after, limit: LINES_PER_PAGE })
    return { rows, older: next === null ? null : { after: next }, newer, searchedMax }
  }

  return {
    async list(teamId: string, wanted: Wanted): Promise<SuppressionListView> {
      const found = await (wanted.sought.words === '' ? page(teamId, wanted) : search(teamId, wanted))
      const teamName = (await teams.find(teamId))?.name ?? ''
      return { ...found, teamName, now: clock.now(), sought: wanted.sought, typed: '', problem: null, imported: null, note: '' }
    },
  }
}
