// Writes tests of a broadcast: emails as its recipients would get them, which do not count for it.
import type { Context } from '../context.ts'
import { invalid } from '../lib/failure.ts'
import { createId } from '../lib/ids.ts'
import type { TakeRoom } from '../lib/limits/shared-room.ts'
import { MESSAGE_BYTES_MAX } from '../mail/attachment-content.ts'
import type { WrittenEmail } from '../mail/email-draft.ts'
import type { RenderedContact } from '../mail/rendering/contact-placeholders.ts'
import type { BroadcastRow } from '../repositories/broadcasts/broadcasts.ts'

type Dependencies = Pick<Context, 'clock' | 'previewOf'>

export type TestOfBroadcast = {
  broadcast: BroadcastRow
  addresses: string[]
  /** Whose values are filled in; null: each address is someone without any. */
  contact: RenderedContact | null
  takeRoom: TakeRoom
}

/** One after the other, and as long as there is room. `ids`: of the emails, which stand in their links. */
export async function testsOfBroadcast(
  { clock, previewOf }: Dependencies,
  teamId: string,
  { broadcast, addresses, contact, takeRoom }: TestOfBroadcast,
): Promise<{ entries: WrittenEmail[]; ids: string[] }> {
  const ids: string[] = []
  const entries: WrittenEmail[] = []
  let left = MESSAGE_BYTES_MAX
  for (const address of addresses) {
    const emailId = createId(clock)
    const { subject, mail } = await previewOf({ teamId, emailId, broadcast, contact: contact ?? nobodyAt(address), address })
    const length = (mail.html?.length ?? 0) + (mail.text?.length ?? 0)
    left -= length
    if (left < 0) throw invalid(TOO_LONG)
    takeRoom(length)
    ids.push(emailId)
    entries.push({ input: { from: broadcast.from, to: address, subject, reply_to: broadcast.replyTo, ...mail }, template: null })
  }
  return { entries, ids }
}

export const nobodyAt = (email: string): RenderedContact => ({ email, firstName: null, lastName: null, properties: {} })

const TOO_LONG = `The emails of this test have more than ${MESSAGE_BYTES_MAX / 1024 / 1024} million characters together. Send it to fewer addresses.`
