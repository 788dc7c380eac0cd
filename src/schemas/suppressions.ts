import { type Static, Type } from '@sinclair/typebox'
import { Enum, Id, Nullable } from './common.ts'

const ORIGINS = ['bounce', 'complaint', 'manual'] as const

const fields = {
  id: Id('Id of the suppression.'),
  email: Type.String({
    description: 'The address that gets no mail, in lower case, with the domain in its ASCII form.',
    examples: ['ada@example.com'],
  }),
  origin: Enum([...ORIGINS], {
    description:
      'Why the address is suppressed. `bounce`: mail to it bounced. `complaint`: its mail was reported as spam. `manual`: it was added.',
  }),
  source_id: Nullable(Id('Id of the email that bounced or was reported; null if there is none.')),
}

/** The suppression after it was added, or before it was removed. The time is in ISO 8601. */
const suppressionNotification = Type.Object({ ...fields, created_at: Type.String() })

export const SUPPRESSION_NOTIFICATIONS = {
  'suppression.added': suppressionNotification,
  'suppression.removed': suppressionNotification,
}

export type SuppressionOrigin = Static<typeof fields.origin>
export type SuppressionNotificationType = keyof typeof SUPPRESSION_NOTIFICATIONS
