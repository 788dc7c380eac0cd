import { Type } from '@sinclair/typebox'
import { Enum, Id, List, Named, Nullable, Timestamp } from './common.ts'

export const ATTEMPT_OUTCOMES = ['open', 'delivered', 'delayed', 'bounced', 'failed', 'abandoned', 'unknown'] as const satisfies string[]

export const EmailAttempt = Named(
  'EmailAttempt',
  Type.Object(
    {
      id: Id('Id of the attempt.'),
      recipient: Type.String({ description: 'The recipient of this attempt.', examples: ['ada@example.com'] }),
      number: Type.Integer({ description: 'Number of the attempt for this recipient, counted from 1.' }),
      outcome: Enum([...ATTEMPT_OUTCOMES], {
        description:
          'How the attempt ended. `open`: it is still running. `delayed`: the server refused the message for now, and it will be retried. `abandoned`: it was stopped before the message was complete. `unknown`: it was interrupted, and the message is retried with the same Message-ID.',
      }),
      host: Nullable(Type.String({ description: 'The mail server; null if none was reached.', examples: ['mx.example.com'] })),
      tls: Nullable(Type.String({ description: 'TLS version of the connection; null if it was not encrypted.', examples: ['TLSv1.3'] })),
      code: Nullable(Type.Integer({ description: 'SMTP reply code (RFC 5321); null if there was no reply.', examples: [250] })),
      enhanced_code: Nullable(
        Type.String({ description: 'Enhanced status code (RFC 3463); null if the reply had none.', examples: ['2.0.0'] }),
      ),
      text: Nullable(Type.String({ description: 'The reply of the server, or what went wrong.' })),
      duration_ms: Nullable(Type.Integer({ description: 'How long the attempt took, in milliseconds; null if that is not known.' })),
      started_at: Timestamp('When the attempt started.'),
    },
    { description: 'An attempt to deliver an email to one recipient.' },
  ),
)
export const EmailAttemptList = List('EmailAttemptList', 'attempts to deliver an email', EmailAttempt)
