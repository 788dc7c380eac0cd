// What the API answers, to be compared whole.
import { expect } from 'vitest'

export const UUID = expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
export const TIMESTAMP = expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{6}\+00$/)

/** The API's answer about the email of `emailInput`; `changes` are other fields of the answer. */
export const emailRecord = (id: string, changes: Record<string, unknown> = {}): Record<string, unknown> => ({
  ...emailSummary(id),
  html: null,
  text: 'Thank you.',
  tags: [],
  template_id: null,
  template_version_id: null,
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
