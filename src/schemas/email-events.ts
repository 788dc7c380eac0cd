// What happens to emails: as it is stored, and as a timeline shows it.
import { Type } from '@sinclair/typebox'
import { Id, List, Named, Nullable, Timestamp } from './common.ts'

const emailNotification = Type.Object({
  /** The recipients that it concerns. */
  to: Type.Array(Type.String()),
  /** Details, depending on the type. */
  detail: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
})

/** Set on the first one of an email that is not the work of a program: it counts among the unique opens or clicks. */
const firstOf = Type.Optional(Type.Literal('email'))

const openedNotification = Type.Object({
  to: Type.Array(Type.String()),
  detail: Type.Object({
    /** A program has probably loaded the image, not a person. */
    is_machine: Type.Boolean(),
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
  }),
  firstOf,
})

const answeredNotification = Type.Object({
  to: Type.Array(Type.String()),
  detail: Type.Object({ answer: Type.Object({ kind: Type.String(), message: Type.String() }) }),
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
}

export const EmailEvent = Named(
  'EmailEvent',
  Type.Object(
    {
      id: Id('Id of the event.'),
      type: Type.String({ description: 'Type of the event.', examples: ['email.delivered'] }),
      to: Type.Array(Type.String(), { description: 'The recipients that the event is about.' }),
      detail: Nullable(
        Type.Record(Type.String(), Type.Unknown(), {
          description:
            'Details of the event, such as why the email bounced, failed or is delayed, or when it is due. Null if there are none.',
        }),
      ),
      created_at: Timestamp('When the event happened.'),
    },
    { description: 'Something that happened to an email.' },
  ),
)
export const EmailEventList = List('EmailEventList', 'events of an email', EmailEvent)
