import { html, type SafeHtml } from '@remix-run/html-template'
import { timeElement } from '../../http/pages/document.ts'
import type { EmailRow } from '../../modules/emails/emails.repository.ts'
import { toEmail } from '../../modules/emails/emails.routes.ts'
import { relationFacts, type ShownRelations } from './email-relations.ts'

/** The facts of an email: who writes to whom, when, and under which names. */
export const emailFacts = (email: EmailRow, relations: ShownRelations, now: Date): SafeHtml => html`<dl>
${fact('From', [email.from])}${fact('To', email.to)}${fact('Cc', email.cc)}${fact('Bcc', email.bcc)}${fact('Reply to', email.replyTo)}
<dt>Accepted</dt><dd>${timeElement(email.createdAt, now)}</dd>
${email.scheduledAt === null ? '' : html`<dt>Scheduled for</dt><dd>${timeElement(email.scheduledAt, now)}</dd>`}
${relationFacts(relations)}
${requests(email, relations)}${tags(email)}<dt>Id</dt><dd class="code">${email.id}</dd>
</dl>`

const MINUTE_MS = 60_000

/**
 * Links the requests that name the email, and the requests of the minute in which it was accepted, because the one that sent it says its id only in
 * the answer.
 */
function requests({ id, createdAt }: EmailRow, relations: ShownRelations): SafeHtml {
  const way = wayOf(relations)
  const until = minuteOf(new Date(createdAt.getTime() + MINUTE_MS))
  const sending = way && String(new URLSearchParams({ ...way, from: minuteOf(createdAt), until }))
  const naming = String(new URLSearchParams({ path: `/emails/${id}` }))
  return html`<dt>Requests</dt><dd>${sending === null ? '' : html`<a href="/console/logs?${sending}">when it was accepted</a>, `}<a href="/console/logs?${naming}">about it since</a></dd>`
}

/** Null if no request made it: it is of a broadcast or an automation. */
function wayOf({ isHandedIn, broadcast, sender }: ShownRelations): { path: string; method: string } | null {
  if (isHandedIn) return { path: '/submission', method: 'SMTP' }
  return broadcast === null && sender !== null ? { path: '/emails', method: 'POST' } : null
}

const minuteOf = (time: Date): string => time.toISOString().slice(0, 16)

/** How many are shown at once. The others are shown on request. */
const VALUES_SHOWN_MAX = 3

function fact(name: string, values: string[]): SafeHtml {
  if (values.length === 0) return html``
  if (values.length <= VALUES_SHOWN_MAX) return html`<dt>${name}</dt><dd dir="auto">${values.join(', ')}</dd>`
  const first = values.slice(0, VALUES_SHOWN_MAX).join(', ')
  const others = values.slice(VALUES_SHOWN_MAX)
  return html`<dt>${name}</dt><dd dir="auto">${first} <details><summary>and ${others.length} more</summary>${others.join(', ')}</details></dd>`
}

function tags(email: EmailRow): SafeHtml {
  const given = toEmail(email).tags
  if (given.length === 0) return html``
  return html`<dt>Tags</dt><dd>${given.map(({ name, value }) => html`<span class="tag">${name}: ${value}</span> `)}</dd>`
}
