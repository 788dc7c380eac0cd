// The newest emails that were made from a template, on its page.
import { html, type SafeHtml } from '@remix-run/html-template'
import { timeElement } from '../../http/pages/document.ts'
import type { EmailLineRow } from '../../modules/emails/email-searches.repository.ts'
import { outcomeSummary } from '../../modules/emails/email-states.ts'
import { outcomeMark } from '../shell/state-marks.ts'

export const emailList = (
  { rows, hasMore }: { rows: EmailLineRow[]; hasMore: boolean },
  now: Date,
): SafeHtml => html`<div class="head" id="emails"><h2>Emails made from it</h2></div>
${
  rows.length === 0
    ? html`<p class="sheet">No email was made from it yet. A program names it in <code>POST /emails</code>.</p>`
    : html`<table class="sheet list"><thead><tr><th scope="col">Email</th><th scope="col">State</th><th scope="col">Accepted</th></tr></thead>
<tbody>${rows.map((row) => line(row, now))}</tbody></table>${hasMore ? html`<p class="note">The newest ${rows.length} are shown.</p>` : ''}`
}`

const line = ({ id, to, cc, bcc, subject, lastEvent, states, createdAt }: EmailLineRow, now: Date): SafeHtml =>
  html`<tr><th scope="row"><a href="/console/emails/${id}" dir="auto">${subject || '(no subject)'}</a><div class="soft">to <bdi>${recipients([...to, ...cc, ...bcc])}</bdi></div></th>
<td>${outcomeMark(outcomeSummary(lastEvent, states))}</td><td class="soft">${timeElement(createdAt, now)}</td></tr>`

const recipients = ([first = '', ...others]: string[]): string => (others.length === 0 ? first : `${first} and ${others.length} more`)
