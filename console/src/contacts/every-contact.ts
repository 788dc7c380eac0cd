import { answer, api } from '../api/client'
import type { EachItem } from '../api/each'

/** One act on more would run for many minutes. */
export const CHOSEN_MAX = 1_000
const PAGE_MAX = 100

/** The contacts that a filter finds, the newest first, and whether there are more than can be chosen at once. */
export async function everyContact(filters: { search?: string; segment_id?: string }): Promise<{ items: EachItem[]; isMore: boolean }> {
  const items: EachItem[] = []
  let after: string | undefined
  while (items.length < CHOSEN_MAX) {
    const page = await answer(api.GET('/contacts', { params: { query: { ...filters, limit: PAGE_MAX, ...(after && { after }) } } }))
    items.push(...page.data.map(({ id, email }) => ({ id, name: email })))
    after = page.searched_to ?? page.data.at(-1)?.id
    if (!page.has_more || after === undefined) return { items, isMore: false }
  }
  return { items, isMore: true }
}
