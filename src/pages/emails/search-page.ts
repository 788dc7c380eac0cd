import { html } from '@remix-run/html-template'
import type { EmailFindings } from '../../repositories/emails/email-lines.ts'
import { moment } from '../shell/moments.ts'
import { lines } from './email-lines.ts'
import { listShell } from './list-page.ts'
import { type Sought, searchPath } from './search-form.ts'

export type SearchView = {
  teamName: string
  now: Date
  sought: Sought
  after: string | null
  findings: EmailFindings
  publicUrl: string
}

export function searchPage({ teamName, now, sought, after, findings, publicUrl }: SearchView): string {
  const { rows, next, searchedMax } = findings
  const found =
    rows.length > 0
      ? lines(rows, { publicUrl, now })
      : html`<p class="sheet">No email found${after === null ? '' : ' here'}. <a href="/console/emails">Show all mail</a></p>`
  return listShell(
    teamName,
    sought,
    html`${found}
${next?.isBecauseOfBound ? html`<p class="note">One search looks at ${searchedMax.toLocaleString('en')} emails. This one ended at ${moment(next.createdAt, now)}.</p>` : ''}
<nav class="pages" aria-label="Pages"><span>${after === null ? '' : html`<a href="${searchPath(sought, null)}">← Newest</a>`}</span>
<span>${next === null ? '' : html`<a href="${searchPath(sought, next.after)}" rel="next">${next.isBecauseOfBound ? 'Search older mail →' : 'Older →'}</a>`}</span></nav>`,
  )
}
