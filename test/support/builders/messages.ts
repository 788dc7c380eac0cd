// The message of an email as bytes.
import { text } from 'node:stream/consumers'
import { openMessage } from '../../../src/modules/console/sources/email-message.service.ts'
import type { TestService } from '../servers/service.ts'

/** As it is sent, or, of captured mail, as its first recipient would get it. */
export async function messageOf(
  { service: { context }, teamId }: Pick<TestService, 'service' | 'teamId'>,
  emailId: string,
): Promise<string> {
  const message = await openMessage(context, { teamId, emailId })
  return Buffer.isBuffer(message) ? message.toString('latin1') : text(message)
}
