import { Failure, type FailureKind } from '../../lib/failure.ts'
import { inHeaders } from '../../mail/submission/header-sentences.ts'
import { Refusal, Rejection } from '../replies.ts'

type Reply = { code: number; enhancedCode: string; reason: string }

const CONTENT: Reply = { code: 554, enhancedCode: '5.6.0', reason: 'content' }

/** The failures that a message may meet. Any other is a fault of ours. */
const REPLIES: Partial<Record<FailureKind, Reply>> = {
  validation: CONTENT,
  invalidIdempotencyKey: CONTENT,
  forbidden: { code: 550, enhancedCode: '5.7.1', reason: 'sender' },
  idempotencyConflict: { code: 554, enhancedCode: '5.5.0', reason: 'idempotency key' },
  rateLimited: { code: 450, enhancedCode: '4.7.1', reason: 'rate limit' },
  unavailable: { code: 452, enhancedCode: '4.3.1', reason: 'disk' },
}

/** What the client is told. */
export function rejectionOf(error: unknown): Refusal | Rejection {
  if (error instanceof Refusal || error instanceof Rejection) return error
  const reply = error instanceof Failure ? REPLIES[error.kind] : undefined
  return reply && error instanceof Failure ? new Rejection(reply, inHeaders(error.message)) : new Refusal('failure')
}

/** The address of a recipient is wrong. */
export const ADDRESS: Reply = { code: 553, enhancedCode: '5.1.3', reason: 'recipient' }

/** The password is no key of the API. */
export const CREDENTIALS: Reply = { code: 535, enhancedCode: '5.7.8', reason: 'credentials' }

/** Ends the connection. */
export const TOO_MANY_CREDENTIALS: Reply = { code: 421, enhancedCode: '4.7.0', reason: 'credentials' }
