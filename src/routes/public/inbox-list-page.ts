import { createHash } from 'node:crypto'
import { type Html, html } from '../../lib/html.ts'
import type { InboxLineRow } from '../../repositories/captured-emails.ts'
import type { Page } from '../../repositories/page.ts'
import { joined, moment, shell, stateMark } from './inbox-shell.ts'

export type ListView = {
  teamName: string
  page: Page<InboxLineRow>
  /** The id after which this page begins; null: it is the first, and new mail appears on it. */
  after: string | null
  publicUrl: string
}

export function listPage({ teamName, page, after, publicUrl }: ListView): string {
  const content = lines(page.rows, publicUrl)
  const list =
    after === null
      ? html`<div data-live="/inbox/lines" data-version="${fragmentVersion(content)}" data-announce="yes">${content}</div>`
      : html`<div>${page.rows.length > 0 ? content : html`<p class="sheet">There is no older mail.</p>`}</div>`
  return shell({
    title: 'Inbox',
    section: 'inbox',
    teamName,
    main: html`<div class="head"><h1>Inbox</h1><p class="note" role="status"></p></div>
${list}
${pager(page, after)}`,
  })
}

/** The emails of the page; without any, how to send the first. */
export function lines(rows: InboxLineRow[], publicUrl: string): Html {
  return rows.length === 0 ? nothingYet(publicUrl) : html`<ul class="emails">${joined(rows.map(line))}</ul>`
}

/** As an ETag: the page asks with it whether anything has changed. */
export const fragmentVersion = (fragment: Html): string =>
  `"${createHash('sha256').update(fragment.text).digest('base64url').slice(0, 22)}"`

const line = ({ id, to, subject, lastEvent, attachmentCount, createdAt }: InboxLineRow): Html =>
  html`<li id="${id}"><a href="/inbox/${id}"><span class="to" dir="auto">${recipients(to)}</span> <span class="what"><span class="subject" dir="auto">${subject || '(no subject)'}</span> ${attachmentCount > 0 ? html`<span class="soft">${filesCount(attachmentCount)}</span>` : ''}</span> ${stateMark(lastEvent)} ${moment(createdAt)}</a></li>`

const recipients = ([first = '', ...others]: string[]): string => (others.length === 0 ? first : `${first} and ${others.length} more`)

const filesCount = (count: number): string => (count === 1 ? '1 file' : `${count} files`)

function pager({ rows, hasMore }: Page<InboxLineRow>, after: string | null): Html {
  const [first, last] = [rows.at(0)?.id, rows.at(-1)?.id]
  const newer = first === undefined ? '/inbox' : `/inbox?before=${first}`
  return html`<nav class="pages" aria-label="Pages"><span>${after === null ? '' : html`<a href="${newer}" rel="prev">← Newer</a>`}</span>
<span>${hasMore && last !== undefined ? html`<a href="/inbox?after=${last}" rel="next">Older →</a>` : ''}</span></nav>`
}

const nothingYet = (publicUrl: string): Html => html`<section class="sheet">
<h2>No mail yet</h2>
<p>Emails that your team sends appear here. Send one:</p>
<pre class="code" tabindex="0" role="region" aria-label="Example">curl ${publicUrl}/emails \\
  -H 'Authorization: Bearer YOUR_API_KEY' \\
  -H 'Content-Type: application/json' \\
  -d '{"from": "Me &lt;me@example.com&gt;", "to": "you@example.com", "subject": "Hello", "html": "&lt;p&gt;It works.&lt;/p&gt;"}'</pre>
</section>`
