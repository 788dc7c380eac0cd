import { Type } from '@sinclair/typebox'
import { SUBSCRIPTIONS } from '../lib/segment-rules.ts'
import { Enum, Id, Kind, Named, Nullable, Ref, secret, Timestamp } from './common.ts'
import { Contact, Subscription } from './contacts.ts'

/** Emails of one export: a person who got more is known by the newest. */
export const EXPORT_EMAILS_MAX = 1_000
/** Events of one export. */
export const EXPORT_EVENTS_MAX = 1_000

const ExportedSegment = Type.Object({
  id: Id('Id of the segment.'),
  name: Type.String({ description: 'Name of the segment.', examples: ['Newsletter readers'] }),
  added_at: Nullable(Timestamp('When the contact was put into it; null when the filter of the segment finds the contact.')),
})

const ExportedTopic = Type.Object({
  id: Id('Id of the topic.'),
  name: Type.String({ description: 'Name of the topic.', examples: ['Product news'] }),
  subscription: Subscription,
  choice: Nullable(Enum([...SUBSCRIPTIONS], { description: 'What the contact chose; null when the default of the topic holds.' })),
  chosen_at: Nullable(Timestamp('When the contact chose.')),
})

const ExportedOptOuts = Type.Object(
  {
    all_since: Nullable(Timestamp('Since when the address wants nothing that goes to many; null when it does.')),
    topics: Type.Array(Type.Object({ id: Id('Id of the topic.'), since: Timestamp('Since when the address does not want the topic.') }), {
      description: 'The topics that the address does not want.',
    }),
  },
  { description: 'What is remembered of the address for good, as a hash, and outlives the contact.' },
)

const ExportedEmail = Type.Object({
  id: Id('Id of the email.'),
  address: Type.String({ description: 'The address as the email had it.', examples: ['Ada@example.com'] }),
  subject: Type.String({ description: 'Subject of the email.', examples: ['Your receipt'] }),
  state: Type.String({ description: 'What became of it for this address.', examples: ['delivered'] }),
  last_event: Type.String({ description: 'What became of it as a whole.', examples: ['delivered'] }),
  created_at: Timestamp('When it was accepted.'),
})

const ExportedSuppression = Type.Object({
  id: Id('Id of the suppression.'),
  origin: Type.String({ description: 'Why the address is not written to: `bounce`, `complaint` or `manual`.', examples: ['bounce'] }),
  source_id: Nullable(Id('Id of the email that led to it; null when there is none.')),
  created_at: Timestamp('Since when.'),
})

const ExportedEvent = Type.Object({
  id: Id('Id of the event.'),
  type: Type.String({ description: 'What happened.', examples: ['contact.updated'] }),
  data: Type.Record(Type.String(), Type.Unknown(), { description: 'The contact, or its topics, as they were then.' }),
  created_at: Timestamp('When it happened.'),
})

/** What is personal in it is marked, so that the request log does not become another copy of it. */
export const ContactExport = Named(
  'ContactExport',
  Type.Object({
    object: Kind('contact_export'),
    exported_at: Timestamp('When this was read: everything is of one moment.'),
    contact: Type.Union([Ref(Contact), Type.Null()], {
      ...secret,
      description: 'The contact; null when nobody has this address, any more or yet, of which something is known nevertheless.',
    }),
    updated_at: Type.Union([Timestamp('When the contact was last changed.'), Type.Null()], {
      ...secret,
      description: 'When the contact was last changed; null without a contact.',
    }),
    segments: Type.Array(ExportedSegment, {
      ...secret,
      description: 'The segments that the contact is in, newest first; none without a contact.',
    }),
    topics: Type.Array(ExportedTopic, {
      ...secret,
      description: 'Every topic of the team, newest first, and what holds of it for this contact; none without a contact.',
    }),
    opt_outs: { ...ExportedOptOuts, ...secret },
    suppression: { ...Nullable(ExportedSuppression), ...secret },
    emails: Type.Array(ExportedEmail, {
      ...secret,
      description: `Emails to the address, whether it is written in upper or lower case, newest first: at most ${EXPORT_EMAILS_MAX.toLocaleString('en')}.`,
    }),
    has_more_emails: Type.Boolean({ description: 'Whether there are older emails to the address.' }),
    events: Type.Array(ExportedEvent, {
      ...secret,
      description: `Events of the contact that are still kept, newest first: at most ${EXPORT_EVENTS_MAX.toLocaleString('en')}; none without a contact, also when there was one.`,
    }),
    has_more_events: Type.Boolean({ description: 'Whether there are older events of the contact.' }),
  }),
)
