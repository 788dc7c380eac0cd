import { type TSchema, Type } from '@sinclair/typebox'
import { Enum, EXAMPLE_TIME, Id, Kind, Named, Nullable, Ref, Timestamp } from '../../../lib/validation/common.schema.ts'
import { ADDRESSES_MAX, REPLIES_MAX, RUNS_READ_MAX, TOLD_MAX } from './email-relations.repository.ts'

export const SENDER_TYPES = ['api_key', 'oauth_grant', 'person', 'automation', 'deleted', 'hidden'] as const

const named = (what: string, name: TSchema = Type.String({ description: 'Its name.' })) =>
  Type.Object({ id: Id(`Id of the ${what}.`), name }, { description: `The ${what}.` })
const receivedEmail = (description: string) =>
  Type.Object(
    {
      id: Id('Id of the received email.'),
      from: Nullable(Type.String({ description: 'Address of its sender; null if it names none.', examples: ['ada@example.com'] })),
    },
    { description },
  )

const EmailSender = Named(
  'EmailSender',
  Type.Object(
    {
      type: Enum([...SENDER_TYPES], {
        description: 'What it is; `deleted`: an API key that is gone; `hidden`: something that the role of the person may not read.',
      }),
      id: Nullable(Id('Id of the API key, the grant or the person; otherwise null.')),
      name: Nullable(
        Type.String({ description: 'Name of the API key, the program or the person; otherwise null.', examples: ['Production'] }),
      ),
    },
    { description: 'Who sent an email.' },
  ),
)

export const EmailRelations = Named(
  'EmailRelations',
  Type.Object(
    {
      object: Kind('email_relations'),
      id: Id('Id of the email.'),
      sent_by: Nullable(Ref(EmailSender), { description: 'Who sent it, or its broadcast; null if that is not known.' }),
      is_submitted: Type.Boolean({ description: 'Whether it was submitted over SMTP.' }),
      broadcast: Nullable(named('broadcast'), { description: 'The broadcast that it is part of; null if it is of none.' }),
      template: Nullable(named('template'), { description: 'The template that it was made of, while that exists; otherwise null.' }),
      automation_run: Nullable(
        Type.Object({
          id: Id('Id of the run.'),
          automation_id: Id('Id of the automation.'),
          automation_name: Type.String({ description: 'Name of the automation.', examples: ['Welcome'] }),
        }),
        {
          description: `The run that sent it, if an automation did and the run is among the newest ${RUNS_READ_MAX} of the contact; otherwise null.`,
        },
      ),
      answered: Nullable(receivedEmail('The received email.'), {
        description: 'The received email that it answers, by its header `In-Reply-To`; null if it answers none.',
      }),
      replies: Type.Array(receivedEmail('A received email.'), {
        description: `The received emails that answer it, the newest ${REPLIES_MAX}.`,
      }),
      contacts: Type.Array(
        Type.Object({
          id: Id('Id of the contact.'),
          email: Type.String({ description: 'Email address of the contact.', examples: ['ada@example.com'] }),
        }),
        { description: `The contacts among its first ${ADDRESSES_MAX} recipients.` },
      ),
      webhook_events: Type.Array(
        Type.Object({
          id: Type.String({ description: 'Id of the event, as webhooks get it.', examples: ['msg_0Tn5e9hqBPbqk2cvRS3YZ'] }),
          webhook_id: Id('Id of the webhook.'),
          endpoint: Nullable(
            Type.String({ description: 'URL of the webhook; null if it has none.', examples: ['https://example.com/hook'] }),
          ),
          type: Type.String({ description: 'Type of the event.', examples: ['email.delivered'] }),
          created_at: Timestamp('When it happened.'),
        }),
        { description: `What webhooks were told of it, the newest first, at most ${TOLD_MAX}.` },
      ),
    },
    { description: 'What an email has to do with other records, as far as the role of the person may read them.' },
  ),
)

export const EXAMPLE_WEBHOOK_EVENT = { type: 'email.delivered', endpoint: 'https://example.com/hook', created_at: EXAMPLE_TIME }
