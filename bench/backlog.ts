// Emails in the queue of a running service, all of them from one moment on: accepted by the service's own statement, in one transaction that is
// committed when the measurement begins.
import pg from 'pg'
import type { Execute } from '../src/db/database.ts'
import { systemClock } from '../src/lib/clock.ts'
import { createId } from '../src/lib/ids.ts'
import { type Acceptance, acceptTogether, type NewEmail } from '../src/modules/emails/accept-emails.repository.ts'
import { type LaneClass, newDelivery } from '../src/modules/emails/new-delivery.ts'
import type { BenchEmail } from './email.ts'

export type BacklogOptions = {
  databaseUrl: string
  count: number
  emailAt: (index: number) => BenchEmail
  class?: LaneClass
  delivery?: 'relay' | 'direct'
}

/** As many as one batch of group commit holds, and fewer of large ones. */
const EMAILS_PER_STATEMENT = 200
const BYTES_PER_STATEMENT = 4 * 1024 * 1024

/** Stores them unseen; `release` shows them to the service. */
export async function fillBacklog(options: BacklogOptions): Promise<{ release(): Promise<void> }> {
  const client = new pg.Client({ connectionString: options.databaseUrl })
  await client.connect()
  const execute: Execute = async (sql, values = []) =>
    (await client.query(typeof sql === 'string' ? { text: sql, values } : { ...sql, values })).rows
  const [owner] = await execute<Owner>('select id as "apiKeyId", team_id as "teamId" from api_keys order by id limit 1')
  if (!owner) throw new Error('The service has no key yet')
  await client.query('begin')
  for (let index = 0; index < options.count; ) {
    const acceptance = acceptanceFrom(index, options, owner)
    const [result] = await acceptTogether({ execute, transaction: (work) => work(execute) }, [acceptance])
    if (result?.kind !== 'accepted') throw new Error(`A part of the backlog was not accepted: ${result?.kind}`)
    index += acceptance.emails.length
  }
  // As autovacuum does within a minute of every larger change: plans are those of a service that has been running for a while.
  for (const table of ['emails', 'recipients', 'deliveries']) await client.query(`analyze ${table}`)
  return {
    async release() {
      await client.query('commit')
      await client.end()
    },
  }
}

type Owner = { apiKeyId: string; teamId: string }

function acceptanceFrom(
  first: number,
  { count, emailAt, class: kind = 'transactional', delivery = 'relay' }: BacklogOptions,
  owner: Owner,
): Acceptance {
  const now = systemClock.now()
  const emails: NewEmail[] = []
  for (let bytes = 0; emails.length < EMAILS_PER_STATEMENT && bytes < BYTES_PER_STATEMENT && first + emails.length < count; ) {
    const email = newEmail(emailAt(first + emails.length))
    emails.push(email)
    bytes += email.contentBytes
  }
  const recipients = emails.map(({ id, to: [address = ''] }) => ({
    id: createId(),
    emailId: id,
    address,
  }))
  return {
    ...owner,
    acceptedAt: now,
    idempotency: null,
    response: {},
    emails,
    recipients,
    deliveries: recipients.map((recipient) => newDelivery({ recipient, dueAt: now, now, delivery, class: kind })),
    attachments: [],
    messages: [],
    notifications: [],
    quotaUses: [],
  }
}

function newEmail({ from, to, subject, html, text }: BenchEmail): NewEmail {
  const id = createId(systemClock)
  return {
    id,
    state: 'queued',
    fromDomain: 'example.com',
    from,
    to: [to],
    cc: [],
    bcc: [],
    replyTo: [],
    subject,
    html,
    text,
    headers: {},
    tags: [],
    attachmentCount: 0,
    contentBytes: Buffer.byteLength(html) + Buffer.byteLength(text),
    isFetching: false,
    scheduledAt: null,
    topicId: null,
    templateId: null,
    templateVersionId: null,
    traceparent: null,
  }
}
