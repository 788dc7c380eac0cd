// What an event of a webhook is about, with its page.
import { html, type SafeHtml } from '@remix-run/html-template'
import type { WebhookEventRow } from '../../modules/webhooks/events/webhook-events.repository.ts'

/** Keyed by the beginning of the type. `email.received` comes before the other types of emails. A suppression has no page of its own. */
const SUBJECTS: [beginning: string, name: string, section: string][] = [
  ['email.received', 'Received email', 'received'],
  ['email.', 'Email', 'emails'],
  ['contact.', 'Contact', 'contacts'],
  ['topic.', 'Topic', 'topics'],
  ['domain.', 'Domain', 'domains'],
]

/** Nothing for a sample, which is about no record, and for a record that was deleted. */
export function eventSubject({ type, subjectId, isTest }: Pick<WebhookEventRow, 'type' | 'subjectId' | 'isTest'>): SafeHtml {
  const [, name = '', section] = SUBJECTS.find(([beginning]) => type.startsWith(beginning)) ?? []
  if (section === undefined || isTest || type.endsWith('.deleted')) return html``
  return html`<dt>${name}</dt><dd><a href="/console/${section}/${subjectId}">the ${name.toLowerCase()}</a></dd>`
}
