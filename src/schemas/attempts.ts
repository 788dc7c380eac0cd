import { Type } from '@sinclair/typebox'
import { Enum, Id, List, Named, Nullable, Timestamp } from './common.ts'

export const ATTEMPT_OUTCOMES = ['open', 'delivered', 'delayed', 'bounced', 'failed', 'abandoned', 'unknown'] as const satisfies string[]

export const EmailAttempt = Named(
  'EmailAttempt',
  Type.Object(
    {
      id: Id('Id of the attempt.'),
      recipient: Type.String({ description: 'The address that it was for.', examples: ['ada@example.com'] }),
      number: Type.Integer({ description: 'Which try for this recipient it was, from 1.' }),
      outcome: Enum([...ATTEMPT_OUTCOMES], {
        description:
          '`open` while it runs; `delayed` is tried again; `abandoned` was stopped before the message was complete; `unknown` was interrupted, and is tried again with the same Message-ID.',
      }),
      host: Nullable(Type.String({ description: 'The mail server; null when none was reached.', examples: ['mx.example.com'] })),
      tls: Nullable(Type.String({ description: 'TLS version of the connection; null when it was in the clear.', examples: ['TLSv1.3'] })),
      code: Nullable(Type.Integer({ description: 'Reply code (RFC 5321); null when there was no reply.', examples: [250] })),
      enhanced_code: Nullable(Type.String({ description: 'Enhanced status code (RFC 3463).', examples: ['2.0.0'] })),
      text: Nullable(Type.String({ description: 'What the server said, or what went wrong.' })),
      duration_ms: Nullable(Type.Integer({ description: 'How long it took, in milliseconds.' })),
      started_at: Timestamp('When it began.'),
    },
    { description: 'One try to bring an email to one recipient.' },
  ),
)
export const EmailAttemptList = List('EmailAttemptList', EmailAttempt)
