// Emails for tests: a valid one to change, how to send it, and its answers.
import { expect } from 'vitest'
import type { CallOptions, TestService } from '../servers/service.ts'

export const UUID = expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
export const TIMESTAMP = expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{6}\+00$/)

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

/** The API's answer about the email of `emailInput`; `changes` are other fields of the answer. */
export const emailRecord = (id: string, changes: Record<string, unknown> = {}): Record<string, unknown> => ({
  ...emailSummary(id),
  html: null,
  text: 'Thank you.',
  tags: [],
  ...changes,
})

export const emailSummary = (id: string, changes: Record<string, unknown> = {}): Record<string, unknown> => ({
  object: 'email',
  id,
  message_id: `<${id}@example.com>`,
  to: ['delivered@simulator.test'],
  from: 'Acme <hello@example.com>',
  created_at: TIMESTAMP,
  subject: 'Your receipt',
  bcc: [],
  cc: [],
  reply_to: [],
  last_event: 'queued',
  scheduled_at: null,
  topic_id: null,
  ...changes,
})

/** The shape of every error. */
export const failure = (statusCode: number, name: string, message: string) => ({ status: statusCode, body: { statusCode, name, message } })
export const invalid = (message: string) => failure(422, 'validation_error', message)
export const missing = (what: string) => failure(404, 'not_found', `${what} not found`)

/** Status and body of an answer, to be compared whole. */
export const outcome = ({ status, body }: { status: number; body: unknown }) => ({ status, body })
