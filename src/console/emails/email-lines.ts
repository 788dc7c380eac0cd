// The lines of the list, on their page, or alone for a page that is open.
import { html, type SafeHtml } from '@remix-run/html-template'
import { timeElement } from '../../http/pages/document.ts'
import type { EmailLineRow } from '../../modules/emails/email-searches.repository.ts'
import { outcomeSummary } from '../../modules/emails/email-states.ts'
import { lineText, PART_LENGTH_MAX } from '../shell/line-text.ts'
import { outcomeMark } from '../shell/state-marks.ts'

export type Surroundings = { publicUrl: string; now: Date }

/** The emails of the page; if there are none, how to send the first. */
export function lines(rows: EmailLineRow[], { publicUrl, now }: Surroundings): SafeHtml {
  return rows.length === 0 ? nothingYet(publicUrl) : html`<ul class="emails">${rows.map((row) => line(row, now))}</ul>`
}

/** Draws the lines with the id that they have on their page. */
export const linesFragment = (rows: EmailLineRow[], surroundings: Surroundings): SafeHtml =>
  html`<div id="lines">${lines(rows, surroundings)}</div>`

const line = ({ id, from, to, cc, bcc, subject, lastEvent, states, attachmentCount, createdAt }: EmailLineRow, now: Date): SafeHtml =>
  html`<li id="${id}"><a href="/console/emails/${id}"><span class="what"><span class="subject" dir="auto">${lineText(subject || '(no subject)')}</span> ${attachmentCount > 0 ? html`<span class="soft">${filesCount(attachmentCount)}</span>` : ''}</span> <span class="who"><bdi>${lineText(from, PART_LENGTH_MAX)}</bdi> to <bdi>${recipients([...to, ...cc, ...bcc])}</bdi></span> ${outcomeMark(outcomeSummary(lastEvent, states))} ${timeElement(createdAt, now)}</a></li>`

function recipients([first = '', ...others]: string[]): string {
  const shown = lineText(first, PART_LENGTH_MAX)
  return others.length === 0 ? shown : `${shown} and ${others.length} more`
}

const filesCount = (count: number): string => (count === 1 ? '1 file' : `${count} files`)

const nothingYet = (publicUrl: string): SafeHtml => html`<section class="sheet">
<h2>No mail yet</h2>
<p>Emails that your team sends appear here. Send one:</p>
<pre class="code" tabindex="0" role="region" aria-label="Example">curl ${publicUrl}/emails \\
  -H 'Authorization: Bearer YOUR_API_KEY' \\
  -H 'Content-Type: application/json' \\
  -d '{"from": "Me &lt;me@example.com&gt;", "to": "you@example.com", "subject": "Hello", "html": "&lt;p&gt;It works.&lt;/p&gt;"}'</pre>
</section>`
