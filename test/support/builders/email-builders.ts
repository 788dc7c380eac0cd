// Emails for tests: a valid one to change, and how to send it.
import type { CallOptions, TestService } from '../servers/service.ts'

/** A well-formed id that no record has. */
export const UNKNOWN_ID = '0193a5c2-7d4e-7b1a-9c3f-2e5d8a6b4c10'

export const MIB = 1024 * 1024

/** The body of a valid POST /emails; a field that is set to undefined is left out. */
export const emailInput = (changes: Record<string, unknown> = {}): Record<string, unknown> => ({
  from: 'Acme <hello@example.com>',
  to: 'delivered@simulator.test',
  subject: 'Your receipt',
  text: 'Thank you.',
  ...changes,
})

/** Sends an email and returns its id. */
export async function send(service: TestService, changes: Record<string, unknown> = {}, options: CallOptions = {}): Promise<string> {
  const { status, body, text } = await service.call('POST', '/emails', { body: emailInput(changes), ...options })
  if (status !== 200) throw new Error(`The email was not accepted: ${text}`)
  return (body as { id: string }).id
}
