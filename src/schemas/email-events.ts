// What happens to emails: as it is stored, and as a timeline shows it.
import { Type } from '@sinclair/typebox'
import { Id, List, Named, Nullable, Timestamp } from './common.ts'

const emailNotification = Type.Object({
  /** The recipients that it concerns. */
  to: Type.Array(Type.String()),
  /** Details, depending on the type. */
  detail: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
})

/** Which rule takes it for the work of a program, by its name in mail/tracking/machine-rules.ts. Absent for people. */
const machineRule = Type.Optional(Type.String())

/** Set on the first one of an email that is not the work of a program: it counts among the unique opens or clicks. */
const firstOf = Type.Optional(Type.Literal('email'))

const openedNotification = Type.Object({
  to: Type.Array(Type.String()),
  detail: Type.Object({
    /** A program has probably loaded the image, not a person. */
    is_machine: Type.Boolean(),
    machine_rule: machineRule,
  }),
  firstOf,
})

const clickedNotification = Type.Object({
  to: Type.Array(Type.String()),
  detail: Type.Object({
    click: Type.Object({
      /** Absent if addresses are not stored. */
      ipAddress: Type.Optional(Type.String()),
      link: Type.String(),
      timestamp: Type.String(),
      userAgent: Type.String(),
    }),
    /** A program has probably followed the link, not a person. */
    is_machine: Type.Boolean(),
    machine_rule: machineRule,
  }),
  firstOf,
  /** The link that the author of a broadcast wrote, if each recipient has another one: as that it is counted. */
  writtenLink: Type.Optional(Type.String()),
})

const answeredNotification = Type.Object({
  to: Type.Array(Type.String()),
  detail: Type.Object({
    answer: Type.Object({ kind: Type.String(), message: Type.String() }),
    /** Only of a bounce: why the mail was returned, as `email.bounced` says it. */
    bounce: Type.Optional(
      Type.Object({
        type: Type.String(),
        subType: Type.String(),
        message: Type.String(),
        diagnosticCode: Type.Array(Type.String()),
      }),
    ),
  }),
})

export const EMAIL_NOTIFICATIONS = {
  'email.scheduled': emailNotification,
  'email.sent': emailNotification,
  'email.delivered': emailNotification,
  'email.delivery_delayed': emailNotification,
  'email.bounced': emailNotification,
  'email.opened': openedNotification,
  'email.clicked': clickedNotification,
  'email.complained': emailNotification,
  /** A message came back that changes nothing. Only for timelines. */
  'email.answered': answeredNotification,
  'email.failed': emailNotification,
  'email.suppressed': emailNotification,
  'email.canceled': emailNotification,
  /** Sent when someone follows a link of a broadcast. Timelines alone have it. */
  'email.unsubscribed': emailNotification,
}

export const EMAIL_EVENT_TYPES = [
  'email.scheduled',
  'email.sent',
  'email.delivered',
  'email.delivery_delayed',
  'email.bounced',
  'email.opened',
  'email.clicked',
  'email.complained',
  'email.answered',
  'email.failed',
  'email.suppressed',
  'email.canceled',
  'email.unsubscribed',
] as const satisfies readonly (keyof typeof EMAIL_NOTIFICATIONS)[]

/** By type, because a schema for each would make generated clients ask which one they have. */
const DETAIL = [
  'Details by type; null if there are none.',
  '`email.scheduled`: `scheduled_at`.',
  '`email.delivery_delayed`: `message`, `code` and `enhanced_code` of the answer.',
  '`email.bounced`: `bounce` with `type` (`Permanent`, `Transient` or `Undetermined`), `subType`, `message` and `diagnosticCode`.',
  '`email.opened`: `is_machine`, whether a program has probably done it, and then `machine_rule`, the name of the rule that says so.',
  '`email.clicked`: the same, and `click` with `link`, `timestamp`, `userAgent` and `ipAddress` if addresses are stored.',
  '`email.complained`: `complaint` with `type`, such as `abuse`, and `userAgent` if the report has one.',
  '`email.answered`: `answer` with `kind` and `message`; if its kind is `bounce`, also `bounce`, as `email.bounced` has it.',
  '`email.failed`: `failed` with `reason`.',
  '`email.suppressed`: `suppressed` with `message`, `type`, `reason` and `diagnosticCode`.',
].join(' ')

export const EmailEvent = Named(
  'EmailEvent',
  Type.Object(
    {
      id: Id('Id of the event.'),
      // Not an enum: an event of a newer version must not hide the others.
      type: Type.String({
        description: `Type of the event: ${EMAIL_EVENT_TYPES.map((type) => `\`${type}\``).join(', ')}.`,
        examples: ['email.delivered'],
      }),
      to: Type.Array(Type.String(), { description: 'The recipients that the event is about.' }),
      detail: Nullable(
        Type.Record(Type.String(), Type.Unknown(), {
          description: DETAIL,
        }),
      ),
      created_at: Timestamp(
        'When the event was recorded: for an open or a click, some seconds after it happened. When a link was followed is in `click.timestamp`.',
      ),
    },
    { description: 'An event in the timeline of an email.' },
  ),
)
export const EmailEventList = List('EmailEventList', 'events of an email', EmailEvent)
