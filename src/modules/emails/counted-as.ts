// What an outcome says of the list that the sender mails to, where the guard of reputations counts it apart.
import { namesSpamTrap } from '../../mail/bounces/bounce-reason.ts'
import type { CountedAs } from './email-timeline.schema.ts'

type Bounce = { isSimulated: boolean; isAddressFault: boolean; text: string }

/** Null: a bounce like others. */
export function bounceCountedAs({ isSimulated, isAddressFault, text }: Bounce): CountedAs | null {
  if (isSimulated) return 'simulated'
  if (namesSpamTrap(text)) return 'spam_trap'
  return isAddressFault ? 'unknown_user' : null
}
