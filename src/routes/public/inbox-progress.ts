// What came of an email: its recipients with their attempts, and its timeline.
import { type Html, html } from '../../lib/html.ts'
import type { InboxAttemptRow, InboxRecipientRow } from '../../repositories/captured-emails.ts'
import type { NotificationRow } from '../../repositories/notifications.ts'
import { isRecord } from '../../schemas/field-tree.ts'
import { joined, moment, stateMark } from './inbox-shell.ts'

export type Progress = {
  isCanceled: boolean
  recipients: InboxRecipientRow[]
  attempts: InboxAttemptRow[]
  notifications: NotificationRow[]
}

export const progressFragment = ({
  isCanceled,
  recipients,
  attempts,
  notifications,
}: Progress): Html => html`<section class="sheet"><h2>Recipients</h2>
<ul class="rows">${joined(
  recipients.map((one) =>
    recipientLine(
      // Canceling concerns the email as a whole: its recipients are left as they were accepted.
      isCanceled ? { ...one, state: 'canceled' } : one,
      attempts.filter(({ recipientId }) => recipientId === one.id),
    ),
  ),
)}</ul></section>
<section class="sheet"><h2>Timeline</h2>
<ol class="rows">${joined(notifications.map(notificationLine))}</ol></section>`

const recipientLine = ({ address, state }: InboxRecipientRow, attempts: InboxAttemptRow[]): Html => html`<li>
<div class="line"><span>${address}</span>${stateMark(state)}</div>
${attempts.length === 0 ? html`<p class="soft">${state === 'queued' ? 'Not tried yet.' : 'Not tried.'}</p>` : joined(attempts.map(attemptLine))}</li>`

function attemptLine({ number, outcome, host, tls, code, enhancedCode, text, durationMs, startedAt }: InboxAttemptRow): Html {
  const place = [host, tls].filter((part) => part !== null).join(', ')
  const answer = [code === null ? null : String(code), enhancedCode, text].filter((part) => part !== null).join(' ')
  return html`<p class="soft">Attempt ${String(number)}, ${moment(startedAt)}: ${outcome ?? 'running'}${place && ` at ${place}`}${durationMs === null ? '' : ` in ${durationMs} ms`}${answer && `. ${answer}`}</p>`
}

function notificationLine({ type, data, createdAt }: NotificationRow): Html {
  return html`<li><div class="line"><strong>${type.replace('email.', '').replaceAll('_', ' ')}</strong><span class="soft">${moment(createdAt)}</span></div>
${data.to.length > 0 ? html`<p class="soft">${data.to.join(', ')}</p>` : ''}${data.detail ? html`<p class="soft">${words(data.detail)}</p>` : ''}</li>`
}

/** What a detail says: its sentence first, then codes, types and times by their names. */
function words(detail: Record<string, unknown>): string {
  const facts = Object.entries(detail).flatMap(([name, value]) => (isRecord(value) ? Object.entries(value) : [[name, value] as const]))
  const isSentence = ([name]: readonly [string, unknown]) => name === 'message'
  const named = facts.filter((fact) => !isSentence(fact) && fact[1] !== null).map(([name, value]) => `${name}: ${String(value)}`)
  return [...facts.filter(isSentence).map(([, value]) => String(value)), ...named].join(' · ')
}
