// The ten calls that each client makes, and what it must have got.
import { deepEqual, match, ok } from 'node:assert/strict'

export type Client = {
  sendEmail(email: { from: string; to: string; subject: string; text: string; scheduled_at: string }): Promise<{ id: string }>
  retrieveEmail(id: string): Promise<{ created_at: string; message_id: string; scheduled_at: string | null }>
  listEmails(): Promise<{ data: { id: string }[] }>
  cancelEmail(id: string): Promise<{ id: string }>
  createSegment(segment: { name: string }): Promise<{ id: string }>
  createTopic(topic: { name: string; default_subscription: 'opt_in' }): Promise<{ id: string }>
  createContact(contact: { email: string; first_name: string }): Promise<{ id: string }>
  importContacts(fields: { file: File; segments: { id: string }[] }): Promise<{ id: string }>
  retrieveImport(id: string): Promise<{ status: string; created_at: string; completed_at: string | null }>
  listContacts(query: { segment_id: string }): Promise<{ data: { email: string }[] }>
}

/** `sendsSegments`: whether its forms can hold records. */
export async function makeTenCalls(name: string, client: Client, { sendsSegments = true } = {}): Promise<void> {
  const email = { from: 'Acme <hello@example.com>', to: 'ada@example.org', subject: name, text: 'Hello.' }
  // English in a field without a format: a client that checks times must let it pass.
  const [earliestMs, { id: emailId }] = [Date.now(), await client.sendEmail({ ...email, scheduled_at: 'in 1 hour' })]
  const latestMs = Date.now()
  match(emailId, UUID)
  const { created_at, message_id, scheduled_at, ...sent } = await client.retrieveEmail(emailId)
  const scheduledInMs = Date.parse(scheduled_at ?? '') - HOUR_MS
  ok(scheduledInMs >= earliestMs && scheduledInMs <= latestMs, `${scheduled_at} is not an hour after the request`)
  match(created_at, TIME)
  match(message_id, /^<[^<>@]+@example\.com>$/)
  deepEqual(sent, {
    ...{ object: 'email', id: emailId, ...email, to: [email.to], bcc: [], cc: [], reply_to: [], last_event: 'scheduled', topic_id: null },
    ...{ html: null, tags: [], template_id: null, template_version_id: null },
  })
  deepEqual((await client.listEmails()).data[0]?.id, emailId)
  deepEqual(await client.cancelEmail(emailId), { object: 'email', id: emailId })

  const { id: segmentId, ...segment } = await client.createSegment({ name })
  deepEqual(segment, { object: 'segment', name })
  const { id: topicId, ...topic } = await client.createTopic({ name, default_subscription: 'opt_in' })
  match(topicId, UUID)
  deepEqual(topic, { object: 'topic' })
  const { id: contactId, ...contact } = await client.createContact({ email: `${name}@example.com`, first_name: 'Ada' })
  match(contactId, UUID)
  deepEqual(contact, { object: 'contact' })

  const imported = `${name}-imported@example.com`
  const file = new File([`email\n${name}@example.com\n${imported}\n`], 'contacts.csv', { type: 'text/csv' })
  const { id: importId, ...accepted } = await client.importContacts({ file, segments: [{ id: segmentId }] })
  deepEqual(accepted, { object: 'contact_import' })
  const { created_at: startedAt, completed_at: completedAt, ...outcome } = await untilEnded(() => client.retrieveImport(importId))
  match(startedAt, TIME)
  match(completedAt ?? '', TIME)
  deepEqual(outcome, {
    ...{ object: 'contact_import', id: importId, status: 'completed' },
    counts: { total: 2, created: 1, updated: 1, skipped: 0, failed: 0 },
    file_name: file.name,
    ...{ encoding: 'utf-8', ignored_columns: [], reason: null, report_url: null },
  })
  const inSegment = (await client.listContacts({ segment_id: segmentId })).data.map((one) => one.email)
  deepEqual(inSegment.sort(), sendsSegments ? [imported, `${name}@example.com`].sort() : [])
}

async function untilEnded<Import extends { status: string }>(retrieve: () => Promise<Import>): Promise<Import> {
  for (let asked = 0; asked < QUESTIONS_MAX; asked += 1) {
    const found = await retrieve()
    if (found.status === 'completed' || found.status === 'failed') return found
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
  }
  throw new Error('The import does not end')
}

const HOUR_MS = 3_600_000
const PAUSE_MS = 200
const QUESTIONS_MAX = 150
const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/
const TIME = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{6}\+00$/

/** The host and its port, which those have in their code that take the variables of the document. */
export const SERVICE_URL = `http://${process.env.SERVICE_HOST ?? ''}`
export const AUTHORIZATION = `Bearer ${process.env.SERVICE_KEY ?? ''}`
