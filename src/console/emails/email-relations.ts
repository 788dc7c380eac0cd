// What an email has to do with other records, as facts with links.
import { html, type SafeHtml } from '@remix-run/html-template'
import { includesScope } from '../../modules/accounts/scopes.ts'
import type { Session } from '../../modules/accounts/sessions/sessions.service.ts'
import { type Sender, senderWords } from '../shell/senders.ts'
import type { EmailRelations } from './relations.repository.ts'

export type ShownRelations = EmailRelations & {
  /** Null if an automation sent it. */
  sender: Sender | null
}

const SECTIONS = { key: 'api-keys', grant: 'oauth', person: 'members' } as const

/** Leaves out what the role of the person who looks may not read. */
export function relationsFor({ scopes }: Pick<Session, 'scopes'>, relations: ShownRelations): ShownRelations {
  const may = (section: string): boolean => includesScope(scopes, `${section}:read`)
  const { template, run, contacts: all, answers: received, sender } = relations
  const isNamed = sender === null || sender.kind === 'gone' || sender.kind === 'unnamed' || may(SECTIONS[sender.kind])
  return {
    ...relations,
    template: may('templates') ? template : null,
    run: may('automations') ? run : null,
    contacts: may('contacts') ? all : [],
    answers: may('received-emails') ? received : [],
    sender: isNamed ? sender : { kind: 'unnamed', id: sender.id },
  }
}

/** More are among the recipients. */
const CONTACTS_SHOWN_MAX = 5
/** The newest. */
const ANSWERS_SHOWN_MAX = 20

export const relationFacts = (relations: ShownRelations): SafeHtml => html`${origin(relations)}${contacts(relations)}${answers(relations)}`

function origin({ broadcast, template, run, newestRuns, sender }: ShownRelations): SafeHtml {
  const made =
    template === null
      ? ''
      : html`<dt>Made of</dt><dd>the template <a href="/console/templates/${template.id}"><bdi>${template.name}</bdi></a></dd>`
  return html`${broadcast === null ? '' : html`<dt>Broadcast</dt><dd><a href="/console/broadcasts/${broadcast.id}"><bdi>${broadcast.name}</bdi></a> (<a href="/console/emails?broadcast=${broadcast.id}">its emails</a>)</dd>`}${made}
${sender !== null ? html`<dt>Sent with</dt><dd>${senderWords(sender)}</dd>` : broadcast === null ? html`<dt>Sent by</dt><dd>${runWords({ run, newestRuns })}</dd>` : ''}`
}

const runWords = ({ run, newestRuns }: Pick<ShownRelations, 'run' | 'newestRuns'>): SafeHtml =>
  run === null
    ? html`an automation${newestRuns !== null ? html`<div class="soft">Its run is not among the newest ${newestRuns} of the contact.</div>` : ''}`
    : html`<a href="/console/automations/${run.automationId}/runs/${run.id}">a run</a> of <a href="/console/automations/${run.automationId}"><bdi>${run.automation}</bdi></a>`

function contacts({ contacts: all }: ShownRelations): SafeHtml {
  if (all.length === 0) return html``
  const more = all.length - CONTACTS_SHOWN_MAX
  return html`<dt>${all.length === 1 ? 'Contact' : 'Contacts'}</dt><dd>${all.slice(0, CONTACTS_SHOWN_MAX).map(({ id, name }) => html`<div><a href="/console/contacts/${id}"><bdi>${name}</bdi></a></div>`)}${more > 0 ? html`<div class="soft">and ${more} more</div>` : ''}</dd>`
}

function answers({ answers: all }: ShownRelations): SafeHtml {
  if (all.length === 0) return html``
  return html`<dt>Answered by</dt><dd>${all.slice(0, ANSWERS_SHOWN_MAX).map(({ id, name }) => html`<div><a href="/console/received/${id}"><bdi>${name || 'no sender'}</bdi></a></div>`)}${all.length > ANSWERS_SHOWN_MAX ? html`<div class="soft">and others before</div>` : ''}</dd>`
}
