import { Type } from '@sinclair/typebox'
import { Enum, Id, List, ListQuery, Named, Nullable, Timestamp } from '../../lib/validation/common.schema.ts'
import { TopicSubscription } from '../audience/contacts/contacts.schema.ts'
import { RUN_STATUSES } from '../automations/engine/run-state.ts'

/** What a timeline tells of. A reader gets the parts that they may read. */
export const TIMELINE_PARTS = ['emails', 'contact', 'events', 'runs'] as const
export type TimelinePart = (typeof TIMELINE_PARTS)[number]

/** What is told of emails. That an email was sent or delivered is its state. */
export const TIMELINE_ACTS = [
  'email.opened',
  'email.clicked',
  'email.bounced',
  'email.complained',
  'email.suppressed',
  'email.failed',
  'email.answered',
] as const

/** The place of an entry is its id, and there is none before the newest. */
export const ContactTimelineQuery = Type.Object({ limit: ListQuery.properties.limit, after: ListQuery.properties.after })

const of = (type: string, what: string) => `${what}; null unless the type is ${type}.`
const ofEmails = 'Id of the email; null if the entry is not about an email.'

export const ContactTimelineEntry = Named(
  'ContactTimelineEntry',
  Type.Object(
    {
      id: Id('Id of the entry, by which a page continues.'),
      // Not an enum: an entry of a newer version must not hide the others.
      type: Type.String({
        description: `What happened. \`email\`: an email to the address was accepted. ${TIMELINE_ACTS.map((type) => `\`${type}\``).join(', ')}: what became of one. \`contact.created\`, \`contact.updated\`, \`contact.topics.updated\`: the contact changed. \`event\`: an event of the contact was sent. \`automation_run\`: an automation started for it.`,
        examples: ['email.opened'],
      }),
      email_id: Nullable(Id(ofEmails)),
      subject: Nullable(Type.String({ description: of('`email`', 'Subject of the email'), examples: ['Your receipt'] })),
      last_event: Nullable(Type.String({ description: of('`email`', 'State of the email for this address'), examples: ['delivered'] })),
      explanation: Nullable(
        Type.String({
          description: 'What went wrong with the email, in the sentence of its page; null if nothing did.',
          examples: ['The address does not exist, or its domain does not accept mail.'],
        }),
      ),
      detail: Nullable(
        Type.Record(Type.String(), Type.Unknown(), {
          description: 'Details of what became of an email, as `GET /emails/{email_id}/events` has them; null if there are none.',
        }),
      ),
      unsubscribed: Nullable(
        Type.Boolean({ description: 'Whether the contact was unsubscribed after the change; null unless the contact changed.' }),
      ),
      topics: Nullable(Type.Array(TopicSubscription, { description: of('`contact.topics.updated`', 'The choices that were made') })),
      event: Nullable(Type.String({ description: of('`event`', 'Name of the event'), examples: ['order.shipped'] })),
      automation_id: Nullable(Id(of('`automation_run`', 'Id of the automation'))),
      automation_name: Nullable(Type.String({ description: of('`automation_run`', 'Name of the automation'), examples: ['Welcome'] })),
      run_id: Nullable(Id(of('`automation_run`', 'Id of the run'))),
      run_status: Nullable(Enum([...RUN_STATUSES], { description: of('`automation_run`', 'Status of the run') })),
      created_at: Timestamp('When it happened.'),
    },
    { description: 'Something that a person got or did.' },
  ),
)
export const ContactTimeline = List('ContactTimeline', 'entries of a timeline', ContactTimelineEntry)
