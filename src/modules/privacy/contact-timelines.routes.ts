import type { Static } from '@sinclair/typebox'
import { type Caller, declareOperations, type Routes } from '../../http/operation.ts'
import type { PlatformContext } from '../../http/platform.context.ts'
import { toList } from '../../http/resource.ts'
import { toTimestamp } from '../../lib/clock.ts'
import { notFound } from '../../lib/failure.ts'
import { pageRequest } from '../../lib/page-request.ts'
import { EXAMPLE_TIME } from '../../lib/validation/common.schema.ts'
import { contactOfPath } from '../../mail/address-forms.ts'
import { mayRead } from '../accounts/scopes.ts'
import type { AudienceContext } from '../audience/audience.context.ts'
import { CONTACTS, ContactParams } from '../audience/contacts/contacts.schema.ts'
import { RUN_STATUSES } from '../automations/engine/run-state.ts'
import { explainEvent } from '../emails/email-explanations.ts'
import { EMAILS } from '../emails/emails.schema.ts'
import type { TimelineEntry } from './contact-timelines.repository.ts'
import {
  ContactTimeline,
  type ContactTimelineEntry,
  ContactTimelineQuery,
  TIMELINE_PARTS,
  type TimelinePart,
} from './contact-timelines.schema.ts'
import type { PrivacyContext } from './privacy.context.ts'

type Context = PlatformContext & AudienceContext & PrivacyContext
type Entry = Static<typeof ContactTimelineEntry>

const NOTHING = {
  ...{ email_id: null, subject: null, last_event: null, detail: null, explanation: null, unsubscribed: null, topics: null },
  ...{ event: null, automation_id: null, automation_name: null, run_id: null, run_status: null },
}

export const toTimelineEntry = (entry: TimelineEntry): Entry => ({
  ...NOTHING,
  ...fieldsOf(entry),
  id: entry.id,
  created_at: toTimestamp(entry.createdAt),
})

function fieldsOf({ kind, data }: TimelineEntry): Partial<Entry> & Pick<Entry, 'type'> {
  switch (kind) {
    case 'email':
      return { type: 'email', email_id: data.emailId, subject: data.subject, last_event: data.state }
    case 'act':
      return {
        ...{ type: data.type, email_id: data.emailId, detail: data.detail },
        explanation: explainEvent(data.type, data.detail)?.explanation ?? null,
      }
    case 'contact':
      return { type: data.type, unsubscribed: data.unsubscribed, topics: data.topics?.map(toChoice) ?? null }
    case 'event':
      return { type: 'event', event: data.name }
    case 'run':
      return {
        ...{ type: 'automation_run', automation_id: data.automationId, automation_name: data.automation },
        ...{ run_id: data.runId, run_status: RUN_STATUSES.find((status) => status === data.status) ?? null },
      }
  }
}

const toChoice = ({ id, subscription }: { id: string; subscription: string }) => ({
  id,
  subscription: subscription === 'opt_in' ? ('opt_in' as const) : ('opt_out' as const),
})

const SECTIONS: Record<TimelinePart, string> = { emails: 'emails', contact: 'contacts', events: 'events', runs: 'automations' }

const partsFor = (caller: Caller): TimelinePart[] => TIMELINE_PARTS.filter((part) => mayRead(caller, SECTIONS[part]))

const operation = declareOperations(CONTACTS)

export const contactTimelineRoutes: Routes<Context> = async (app, { context: { repositories } }) => {
  app.get(
    '/contacts/:contact_id/timeline',
    operation({
      id: 'contacts.timeline.list',
      summary: 'List what a contact got and did',
      description:
        'Returns what is known of a person as one list: the emails to the address and what became of them, changes of the contact, its events and its runs of automations, newest first. It works for any email address, also one that is not a contact. What became of an email is in the list while the email is among the 100 before the place of the page; `GET /emails/{email_id}/events` has the rest. An access token gets the entries of emails, events and runs only with the scope to read each.',
      access: 'full',
      audit: 'never',
      params: ContactParams,
      query: ContactTimelineQuery,
      reply: { 200: ContactTimeline },
      example: {
        reply: {
          object: 'list',
          has_more: false,
          data: [
            {
              ...NOTHING,
              id: '0193a5c2-8123-7c4d-9e5f-0a1b2c3d4e60',
              type: 'email.opened',
              email_id: EMAILS.example.id,
              detail: { is_machine: false },
              created_at: EXAMPLE_TIME,
            },
            {
              ...NOTHING,
              id: '0193a5c2-8123-7c4d-9e5f-0a1b2c3d4e5f',
              type: 'email',
              email_id: EMAILS.example.id,
              subject: 'Your receipt',
              last_event: 'opened',
              created_at: EXAMPLE_TIME,
            },
          ],
        },
      },
    }),
    async ({ caller, teamId, params, query }) => {
      const { limit, after } = pageRequest(query, 'always')
      const reference = contactOfPath(params)
      const contact = await repositories.contacts.find(teamId, reference)
      const email = contact?.email ?? ('email' in reference ? reference.email : null)
      if (email === null) throw notFound(CONTACTS.noun)
      const place = { contactId: contact?.id ?? null, email, parts: partsFor(caller), after, limit }
      return toList(await repositories.contactTimelines.read(teamId, place), toTimelineEntry)
    },
  )
}
