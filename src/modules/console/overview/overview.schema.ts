import { Type } from '@sinclair/typebox'
import { Enum, Id, Kind, Named, Nullable, Ref, Timestamp } from '../../../lib/validation/common.schema.ts'
import { REPUTATION_STATUSES } from '../../limits/reputation.schema.ts'

/** As many days are shown, and as many before them to compare with. */
export const OVERVIEW_DAYS = 7

const ATTENTION_KINDS = [
  'service_restored',
  'disk_full',
  'relay_down',
  'limit',
  'reputation',
  'domain',
  'webhook',
  'broadcast',
  'contact_import',
  'automation',
] as const

const count = (description: string) => Type.Integer({ description })

const counts = {
  received: count('Emails that were accepted.'),
  delivered: count('Recipients whose mail server accepted the email.'),
  bounced: count('Recipients whose mail server returned the email.'),
  complained: count('Recipients who reported the email as spam.'),
}

const OverviewCounts = Named('OverviewCounts', Type.Object(counts, { description: 'What became of emails in a time.' }))

const Queue = Type.Object(
  {
    ready: count('Deliveries that are due.'),
    sending: count('Deliveries that are being sent.'),
    waiting: count('Deliveries that are due later.'),
    paused: count('Deliveries that an operator has paused.'),
    oldest_due_at: Nullable(Timestamp('When the first of those that wait was or is due; null if none waits.')),
    is_bounded: Type.Boolean({ description: 'Whether there may be more: counting ends at a bound.' }),
    destinations: Type.Array(
      Type.Object({
        destination: Type.String({ description: 'Domain of the recipients, or `relay`.', examples: ['example.com'] }),
        count: count('Deliveries that wait.'),
      }),
      { description: 'The destinations for which most waits; empty without the right to read emails.' },
    ),
  },
  { description: 'Mail of the team that is still to be sent.' },
)

const Limit = Type.Object({
  period: Enum(['day', 'month'], { description: 'What the limit is for, in UTC.' }),
  limit: count('Recipients in the period.'),
  used: count('Recipients so far.'),
  left: count('Recipients that are left.'),
})

const Item = Type.Object({
  kind: Enum([...ATTENTION_KINDS], { description: 'What it is about: the service, a limit, the reputation, or a record.' }),
  severity: Enum(['warning', 'failure'], { description: '`failure`: something does not work until someone acts.' }),
  id: Nullable(Id('Id of the record; null if it is about none.')),
  name: Nullable(
    Type.String({ description: 'Name of the record, or the period of a limit; null if there is none.', examples: ['example.com'] }),
  ),
  reason: Type.String({ description: 'What is wrong, in a sentence or two.', examples: ['It lacks some of its DNS records.'] }),
  since: Nullable(Timestamp('Since when; null if that is not known.')),
})

const FirstSteps = Type.Object(
  {
    has_api_key: Type.Boolean({ description: 'Whether the team has made an API key.' }),
    has_domain: Type.Boolean({ description: 'Whether the team has added a domain.' }),
    verified_domain: Nullable(
      Type.String({ description: 'A domain from which the team can send; null if it has none.', examples: ['example.com'] }),
    ),
    has_email: Type.Boolean({ description: 'Whether an email was sent.' }),
    is_complete: Type.Boolean({ description: 'Whether all of these are done.' }),
    first_email: Type.Object(
      {
        from: Nullable(Type.String({ description: 'Sender; null if a domain has to be verified first.', examples: ['hello@example.com'] })),
        to: Type.String({ description: 'Recipient.', examples: ['delivered@simulator.test'] }),
        subject: Type.String({ description: 'Subject.', examples: ['Hello'] }),
        text: Type.String({ description: 'Text.', examples: ['It works.'] }),
        is_simulated: Type.Boolean({ description: 'Whether the recipient only simulates one. Otherwise, ask for an address.' }),
      },
      { description: 'A first email, as `POST /emails` takes it.' },
    ),
  },
  { description: 'What a new team does first.' },
)

export const Overview = Named(
  'Overview',
  Type.Object(
    {
      object: Kind('overview'),
      today: Ref(OverviewCounts),
      last_7_days: Ref(OverviewCounts),
      previous_7_days: Ref(OverviewCounts),
      days: Type.Array(Type.Object({ date: Type.String({ description: 'The day, in UTC.', examples: ['2026-11-20'] }), ...counts }), {
        description: `The last ${OVERVIEW_DAYS} days, the last one being today.`,
      }),
      queue: Queue,
      limits: Type.Array(Limit, { description: 'The limits of emails that an operator has set for the team.' }),
      reputation: Nullable(
        Enum([...REPUTATION_STATUSES], { description: 'How the team stands with the guard of reputations; null if it was never judged.' }),
      ),
      attention: Type.Array(Item, { description: 'What needs someone to look at it, of the records that the role may read.' }),
      attention_more: Type.Array(Enum([...ATTENTION_KINDS], { description: 'A kind.' }), {
        description: 'Kinds of which there are more than are shown.',
      }),
      first_steps: Nullable(
        Type.Object(FirstSteps.properties, {
          description: 'What a new team does first; null if the role does not read domains and API keys.',
        }),
      ),
    },
    { description: 'A team at a glance.' },
  ),
)
