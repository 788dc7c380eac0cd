import { html, type SafeHtml } from '@remix-run/html-template'
import type { Page } from '../../repositories/page.ts'
import type { SectionAddress } from './sections.ts'

/** How many lines a list shows at once. */
export const LINES_PER_PAGE = 50

/** The links between the pages of a list. `after`: the id after which this page begins; null if it is the first. */
export function pager(
  { rows, hasMore }: Page<{ id: string }>,
  { address, after }: { address: SectionAddress; after: string | null },
): SafeHtml {
  const [first, last] = [rows.at(0)?.id, rows.at(-1)?.id]
  const newer = first === undefined ? address : `${address}?before=${first}`
  return html`<nav class="pages" aria-label="Pages"><span>${after === null ? '' : html`<a href="${newer}" rel="prev">← Newer</a>`}</span>
<span>${hasMore && last !== undefined ? html`<a href="${address}?after=${last}" rel="next">Older →</a>` : ''}</span></nav>`
}
