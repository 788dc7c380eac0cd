// The name under which receivers count complaints about all mail of this installation: the last part of a Feedback-ID, 5 to 15 characters.
import { createHmac } from 'node:crypto'

/**
 * @param keys those of `opt-out`, whose versions are never removed: the id is the same for as long as the database exists, also in a copy of it, and
 *   says nothing.
 */
export function feedbackSenderId(keys: ReadonlyMap<number, Buffer>): string {
  const oldest = keys.get(Math.min(...keys.keys()))
  if (oldest === undefined) throw new Error('There is always a data key for opt-outs')
  return `ph${createHmac('sha256', oldest).update('feedback-id').digest('hex').slice(0, DIGITS)}`
}

const DIGITS = 12
