import { expect, it } from 'vitest'
import { receivedListPage } from '../../../src/console/received/list-page.ts'
import { pager } from '../../../src/console/shell/pager.ts'

const ids = (...ends: number[]) => ends.map((end) => ({ id: `01930000-0000-7000-8000-00000000000${end}` }))
const id = (end: number) => ids(end)[0]?.id ?? ''

/** Where the links of a page lead, without the address. */
const linksOf = (text: string) =>
  Object.fromEntries([...text.matchAll(/href="\/list\??([^"]*)" rel="(prev|next)"/g)].map(([, query, rel]) => [rel, query]))

it.each([
  ['the first page of several', { rows: ids(9, 8), hasMore: true }, {}, { next: `after=${id(8)}` }],
  ['one between two others', { rows: ids(7, 6), hasMore: true }, { after: id(8) }, { prev: `before=${id(7)}`, next: `after=${id(6)}` }],
  ['the last one', { rows: ids(5), hasMore: false }, { after: id(6) }, { prev: `before=${id(5)}` }],
  ['a search that found nothing yet', { rows: [], hasMore: true, searchedTo: id(4) }, {}, { next: `after=${id(4)}` }],
  ['a search that found little', { rows: ids(9), hasMore: true, searchedTo: id(4) }, {}, { next: `after=${id(4)}` }],
  [
    'a search that found nothing newer yet',
    { rows: [], hasMore: true, searchedTo: id(8) },
    { after: id(3), before: id(3) },
    { prev: `before=${id(8)}`, next: `after=${id(4)}` },
  ],
])(
  '%s has links to the pages before and after it',
  (_, page, { after = null, before = null }: { after?: string | null; before?: string | null }, links) =>
    expect(linksOf(pager(page, { address: '/list', after, before }).toString())).toEqual(links),
)

it('a search of received mail that ended at its bound does not say that there is none, and leads to older mail', () => {
  const page = { rows: [], hasMore: true, searchedTo: id(4) }
  const sought = { to: 'a@example.com', from: 'b@example.com' }
  const text = receivedListPage({ teamName: 'Acme', now: new Date(), page, after: null, before: null, sought, ownAddress: null })
  expect(text).toContain('No such email was found among those that were searched.')
  expect(text).not.toContain('No such email was received.')
  expect(text).toContain(`after=${id(4)}" rel="next"`)
})
