import { Type } from '@sinclair/typebox'
import { Enum, Id, Kind, Named, Nullable, Ref, secret, Timestamp } from '../../lib/validation/common.schema.ts'
import { SUBSCRIPTIONS } from '../audience/audience-fields.ts'
import { Contact, Subscription } from '../audience/contacts/contacts.schema.ts'
import { RUN_STATUSES } from '../automations/engine/run-state.ts'
import { ContactEvent } from '../events/events.schema.ts'
import { Suppression } from '../suppressions/suppressions.schema.ts'

/** Emails in one export. A person who got more gets the newest. */
export const EXPORT_EMAILS_MAX = 1_000
/** Events in one export. */
export const EXPORT_EVENTS_MAX = 1_000
/** Runs of automations in one export. Each may know a lot. */
export const EXPORT_RUNS_MAX = 100

const ExportedSegment = Type.Object({
  id: Id('Id of the segment.'),
  name: Type.String({ description: 'Name of the segment.', examples: ['Newsletter readers'] }),
  added_at: Nullable(Timestamp('When the contact was added to the segment; null if the filter of the segment selects the contact.')),
})

const ExportedTopic = Type.Object({
  id: Id('Id of the topic.'),
  name: Type.String({ description: 'Name of the topic.', examples: ['Product news'] }),
  subscription: Subscription,
  choice: Nullable(Enum([...SUBSCRIPTIONS], { description: 'What the contact chose; null if the default of the topic applies.' })),
  chosen_at: Nullable(Timestamp('When the contact made the choice; null if there is none.')),
})

const ExportedOptOuts = Type.Object(
  {
    all_since: Nullable(Timestamp('When the address was unsubscribed from all bulk email; null if it was not.')),
    topics: Type.Array(Type.Object({ id: Id('Id of the topic.'), since: Timestamp('When the address opted out of the topic.') }), {
      description: 'The topics that the address opted out of.',
    }),
  },
  { description: 'The opt-outs of the address. They are kept under a hash of the address, also after the contact was deleted.' },
)

const ExportedEmail = Type.Object({
  id: Id('Id of the email.'),
  address: Type.String({ description: 'The address as it was written in the email.', examples: ['Ada@example.com'] }),
  subject: Type.String({ description: 'Subject of the email.', examples: ['Your receipt'] }),
  state: Type.String({ description: 'State of the email for this address.', examples: ['delivered'] }),
  last_event: Type.String({ description: 'State of the email as a whole.', examples: ['delivered'] }),
  created_at: Timestamp('When the email was accepted.'),
})

const ExportedSuppression = Type.Object(
  {
    id: Id('Id of the suppression.'),
    origin: Type.String({ description: 'Why the address is suppressed: `bounce`, `complaint` or `manual`.', examples: ['bounce'] }),
    source_id: Nullable(Id('Id of the email that caused the suppression; null if there is none.')),
    created_at: Timestamp('When the address was suppressed.'),
    reason: Suppression.properties.reason,
    soft_bounces: Suppression.properties.soft_bounces,
  },
  { description: 'The entry of the address on the suppression list; null if there is none.' },
)

const ExportedEvent = Type.Object({
  id: Id('Id of the event.'),
  type: Type.String({ description: 'Type of the event.', examples: ['contact.updated'] }),
  data: Type.Record(Type.String(), Type.Unknown(), {
    description: 'The contact, its topics, or the suppression of its address, at the time of the event.',
  }),
  created_at: Timestamp('When the event happened.'),
})

const ExportedRun = Type.Object({
  id: Id('Id of the run.'),
  automation_id: Id('Id of the automation.'),
  status: Enum([...RUN_STATUSES], { description: 'State of the run.' }),
  event: Type.String({ description: 'Name of the event that started it.', examples: ['order.shipped'] }),
  payload: Type.Record(Type.String(), Type.Unknown(), { description: 'The payload of the event that started the run.' }),
  heard: Type.Record(Type.String(), Type.Unknown(), { description: 'Fields of the events that the run waited for, by their names.' }),
  outputs: Type.Record(Type.String(), Type.Unknown(), { description: 'Output of its steps, by their keys.' }),
  started_at: Timestamp('When it started.'),
  completed_at: Nullable(Timestamp('When it ended; null while it is running.')),
})

/** Personal data is marked as secret, so that the request log does not become another copy of it. */
export const ContactExport = Named(
  'ContactExport',
  Type.Object(
    {
      object: Kind('contact_export'),
      exported_at: Timestamp('When the data was read. All of it is from the same moment.'),
      contact: Nullable(Ref(Contact), { ...secret, description: 'The contact; null if the address does not belong to a contact.' }),
      updated_at: Nullable(Timestamp('When the contact was last changed; null if there is no contact.'), secret),
      segments: Type.Array(ExportedSegment, {
        ...secret,
        description: 'The segments that the contact is in, newest first; empty if there is no contact.',
      }),
      topics: Type.Array(ExportedTopic, {
        ...secret,
        description: 'Every topic of the team, newest first, with the subscription of this contact; empty if there is no contact.',
      }),
      opt_outs: { ...ExportedOptOuts, ...secret },
      suppression: Nullable(ExportedSuppression, secret),
      emails: Type.Array(ExportedEmail, {
        ...secret,
        description: `Emails to the address, written in upper or lower case, newest first: at most ${EXPORT_EMAILS_MAX.toLocaleString('en')}.`,
      }),
      has_more_emails: Type.Boolean({ description: 'Whether there are more, older emails to the address.' }),
      events: Type.Array(ExportedEvent, {
        ...secret,
        description: `Events of the contact, and of its address on the suppression list, that are still kept, newest first: at most ${EXPORT_EVENTS_MAX.toLocaleString('en')}. Events of a deleted contact are not included.`,
      }),
      has_more_events: Type.Boolean({ description: 'Whether there are more, older events.' }),
      sent_events: Type.Array(Ref(ContactEvent), {
        ...secret,
        description: `What was sent for the contact, or for its address, with \`POST /events/send\`, newest first: at most ${EXPORT_EVENTS_MAX.toLocaleString('en')}.`,
      }),
      has_more_sent_events: Type.Boolean({ description: 'Whether there are more, older ones.' }),
      automation_runs: Type.Array(ExportedRun, {
        ...secret,
        description: `Runs of the contact through automations that are still kept, newest first: at most ${EXPORT_RUNS_MAX.toLocaleString('en')}.`,
      }),
      has_more_automation_runs: Type.Boolean({ description: 'Whether there are more, older runs.' }),
    },
    { description: 'Everything that is stored about a person.' },
  ),
)
