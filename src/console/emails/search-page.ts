import { html } from '@remix-run/html-template'
import { timeElement } from '../../http/pages/document.ts'
import type { EmailFindings } from '../../modules/emails/email-searches.repository.ts'
import { type FormProblem, withCode } from '../shell/form-problem.ts'
import { lines } from './email-lines.ts'
import { listShell } from './list-page.ts'
import { type BroadcastChoice, type Sought, searchPath } from './search-form.ts'

export type SearchView = {
  teamName: string
  broadcasts: BroadcastChoice[]
  now: Date
  sought: Sought
  after: string | null
  findings: EmailFindings
  /** Why nothing was looked for. */
  problem: FormProblem | null
  publicUrl: string
}

export function searchPage({ teamName, broadcasts, now, sought, after, findings, publicUrl, problem }: SearchView): string {
  const { rows, next, searchedMax } = findings
  const found =
    rows.length > 0
      ? lines(rows, { publicUrl, now })
      : html`<p class="sheet">${problem === null ? '' : html`<span class="wrong" role="alert">${withCode(problem.sentence)}</span> `}No email found${after === null ? '' : ' here'}. <a href="/console/emails">Show all mail</a></p>`
  return listShell(
    { teamName, broadcasts, sought },
    html`${found}
${next?.isBecauseOfBound ? html`<p class="note">One search looks at ${searchedMax.toLocaleString('en')} emails. This one ended at ${timeElement(next.createdAt, now)}. ${narrower(sought)}</p>` : ''}
<nav class="pages" aria-label="Pages"><span>${after === null ? '' : html`<a href="${searchPath(sought, null)}">← Newest</a>`}</span>
<span>${next === null ? '' : html`<a href="${searchPath(sought, next.after)}" rel="next">${next.isBecauseOfBound ? 'Search older mail →' : 'Older →'}</a>`}</span></nav>`,
  )
}

/** Which other filter finds what is older. */
function narrower({ to, broadcast, since, until }: Sought): string {
  if (to !== '') return since === '' && until === '' ? 'Choose days as well: only their emails are looked at.' : 'Choose fewer days.'
  if (broadcast !== '') return 'Choose a recipient as well: it is found among all emails.'
  return since === '' && until === ''
    ? 'Choose a recipient, a broadcast or days as well: they are found among all emails.'
    : 'Choose fewer days, or a recipient or a broadcast as well: they are found among all emails.'
}
