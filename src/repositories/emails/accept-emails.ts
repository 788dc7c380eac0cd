// Accepts emails: idempotency key, emails, recipients, deliveries, attachments and notifications in ONE statement, for one request or many; in SQL,
// because it runs for every email.

import { hash } from 'node:crypto'
import { isRefusedData } from '../../lib/database-errors.ts'
import type { NewDelivery } from '../../lib/engine/new-delivery.ts'
import { Failure } from '../../lib/failure.ts'
import { createGroupCommit } from '../../lib/group-commit.ts'
import { LOWEST_ID } from '../../lib/ids.ts'
import { FETCH_ATTACHMENTS, fetchQueueOf } from '../../schemas/jobs.ts'
import type { NewNotification } from '../../schemas/notifications.ts'
import { type Database, type Execute, statement } from '../database.ts'
import { addJob } from '../jobs.ts'
import { notificationColumns, notificationRows } from '../notifications.ts'

export type NewRecipient = { id: string; emailId: string; address: string }

export type NewAttachment = {
  id: string
  emailId: string
  position: number
  filename: string | null
  contentType: string
  contentId: string | null
  size: number
  blobKey: string | null
  path: string | null
}

export type NewEmail = {
  id: string
  state: 'scheduled' | 'queued'
  messageId: string
  from: string
  to: string[]
  cc: string[]
  bcc: string[]
  replyTo: string[]
  subject: string
  html: string | null
  text: string | null
  headers: Record<string, string>
  tags: { name: string; value: string }[]
  attachmentCount: number
  /** The size of html and text in the message, encoded. */
  contentBytes: number
  /** Attachments must be fetched first. The deliveries are made when they have arrived. */
  isFetching: boolean
  scheduledAt: Date | null
  topicId: string | null
  templateId: string | null
  templateVersionId: string | null
}

export type Idempotency = { operation: string; key: string; bodyHash: string }

/** One request: all of it is stored, or nothing. */
export type Acceptance = {
  teamId: string
  apiKeyId: string
  acceptedAt: Date
  idempotency: Idempotency | null
  /** The answer to a repetition of the request. */
  response: object
  emails: NewEmail[]
  recipients: NewRecipient[]
  deliveries: NewDelivery[]
  attachments: NewAttachment[]
  notifications: NewNotification[]
}

export type AcceptanceResult = { kind: 'accepted' } | { kind: 'repeated'; response: unknown } | { kind: 'conflict' }

/**
 * The result of one request of a batch. If another request had its key, it is `unread` when that answer could not be read, and `gone` when it has
 * expired between two statements. Neither stored anything, and neither affects the other requests, which are committed.
 */
export type BatchResult = AcceptanceResult | { kind: 'unread'; error: unknown } | { kind: 'gone' }

export const IDEMPOTENCY_KEY_HOURS = 24

/** A key expires once a day. Losing the same race three times in a row has another cause. */
const TRIES_MAX = 3

type AcceptDatabase = Pick<Database, 'execute' | 'transaction'>

/** Accepts one request. Requests that arrive together share a commit. After a Failure nothing of the request was stored. */
export function emailAcceptor(database: AcceptDatabase) {
  const group = createGroupCommit<Acceptance, BatchResult>({
    commit: (requests) => acceptTogether(database, requests),
    isFaultOfOne: isRefusedData,
  })
  return async (request: Acceptance): Promise<AcceptanceResult> => {
    for (let tries = 0; tries < TRIES_MAX; tries += 1) {
      const result = await group.submit(request, weightOf(request))
      if (result.kind === 'unread') throw unreadAnswer(result.error)
      if (result.kind !== 'gone') return result
    }
    throw unreadAnswer()
  }
}

const unreadAnswer = (cause?: unknown): Failure =>
  new Failure('unavailable', 'The earlier answer for this `Idempotency-Key` could not be read. Please send the same request again.', {
    retryAfterSeconds: 1,
    cause,
  })

/** Rows and JSON around the content of an email, and those of a recipient with its delivery; roughly. */
const EMAIL_BYTES = 1_000
const RECIPIENT_BYTES = 500

const weightOf = ({ emails, recipients }: Acceptance): number =>
  emails.reduce((sum, { contentBytes }) => sum + contentBytes + EMAIL_BYTES, 0) + recipients.length * RECIPIENT_BYTES

/** Stores a batch of requests in one commit. Results have the order of the requests. */
export async function acceptTogether({ execute, transaction }: AcceptDatabase, requests: Acceptance[]): Promise<BatchResult[]> {
  const firsts = firstOfEachKey(requests)
  const isFetching = firsts.some(({ emails }) => emails.some((email) => email.isFetching))
  const ordinals = await (isFetching ? transaction((inside) => storeAndFetch(inside, firsts)) : store(execute, firsts))
  const won = new Set(ordinals.map((ordinal) => firsts[ordinal]))
  const lost = requests.filter((request) => !won.has(request))
  const resultOfLost = lost.length > 0 ? await readResults(execute, lost) : () => ({ kind: 'gone' }) as const
  return requests.map((request) => (won.has(request) ? { kind: 'accepted' } : resultOfLost(request)))
}

/** The other requests of the batch are committed by now. An error here is the result of the requests that lost, and never of all. */
async function readResults(execute: Execute, lost: Acceptance[]): Promise<(request: Acceptance) => BatchResult> {
  try {
    const earlier = await readEarlier(execute, lost)
    return (request) => resultOf(request, earlier)
  } catch (error) {
    return () => ({ kind: 'unread', error })
  }
}

/**
 * Only the first of the requests with the same key, because one statement cannot insert a row twice. The others find its row like any repetition.
 */
function firstOfEachKey(requests: Acceptance[]): Acceptance[] {
  const seen = new Set<string>()
  return requests.filter(({ teamId, idempotency }) => {
    if (!idempotency) return true
    const key = JSON.stringify([teamId, idempotency.operation, idempotency.key])
    const isFirst = !seen.has(key)
    seen.add(key)
    return isFirst
  })
}

/** @returns the ordinals of the requests that were stored: those without a key, and those that won theirs. */
async function store(execute: Execute, requests: Acceptance[]): Promise<number[]> {
  // Changes the rows in place, which avoids a copy of each; no other code uses them.
  const flat = <Row extends object>(rowsOf: (request: Acceptance) => Row[]) =>
    JSON.stringify(requests.flatMap((request, ordinal) => rowsOf(request).map((row) => Object.assign(row, { ordinal }))))
  const rows = await execute<{ ordinal: number }>(ACCEPT, [
    JSON.stringify(
      requests.map(({ teamId, apiKeyId, acceptedAt, idempotency, response }, ordinal) => ({
        ordinal,
        teamId,
        apiKeyId,
        acceptedAt,
        response,
        ...(idempotency && { digest: digestOf(idempotency), bodyHash: idempotency.bodyHash }),
      })),
    ),
    flat(({ emails }) => emails),
    flat(({ recipients }) => recipients),
    flat(({ deliveries }) => deliveries),
    flat(({ attachments }) => attachments),
    flat(({ notifications, acceptedAt }) => notificationRows(notifications, acceptedAt)),
  ])
  return rows.map(({ ordinal }) => ordinal)
}

async function storeAndFetch(execute: Execute, requests: Acceptance[]): Promise<number[]> {
  const won = await store(execute, requests)
  for (const ordinal of won) {
    const { teamId, emails } = requests[ordinal] ?? { teamId: '', emails: [] }
    for (const { id } of emails.filter((email) => email.isFetching))
      await addJob(execute, FETCH_ATTACHMENTS, { teamId, emailId: id }, fetchQueueOf(teamId, id))
  }
  return won
}

/** What a key is stored by, as PostgreSQL writes and reads it. */
const digestOf = ({ operation, key }: Idempotency): string => `\\x${hash('sha256', `${operation}\n${key}`).slice(0, 2 * DIGEST_BYTES)}`
/** No client can find two keys of its team with the same digest. */
const DIGEST_BYTES = 16

type Earlier = { teamId: string; digest: string; bodyHash: string; response: unknown; expiresAt: Date }

/** A new statement, and so a new snapshot: the row that won is committed and visible. */
const readEarlier = (execute: Execute, requests: Pick<Acceptance, 'teamId' | 'idempotency'>[]): Promise<Earlier[]> =>
  execute<Earlier>(
    `select k.team_id as "teamId", k.digest::text as digest, k.body_hash as "bodyHash", k.response, k.expires_at as "expiresAt"
       from idempotency_keys k join unnest($1::uuid[], $2::bytea[]) as wanted(team_id, digest) using (team_id, digest)`,
    [requests.map(({ teamId }) => teamId), requests.map(({ idempotency }) => idempotency && digestOf(idempotency))],
  )

/** The answer that the same request got before; null if it was not made in the last 24 hours, or if its key was used with another body. */
export async function findEarlierAnswer(
  { execute }: Pick<Database, 'execute'>,
  teamId: string,
  idempotency: Idempotency,
  now: Date,
): Promise<unknown> {
  const [row] = await readEarlier(execute, [{ teamId, idempotency }])
  return row && row.bodyHash === idempotency.bodyHash && row.expiresAt > now ? row.response : null
}

function resultOf({ teamId, idempotency }: Acceptance, earlier: Earlier[]): BatchResult {
  const digest = idempotency && digestOf(idempotency)
  const row = earlier.find((one) => one.teamId === teamId && one.digest === digest)
  if (!row) return { kind: 'gone' }
  return row.bodyHash === idempotency?.bodyHash ? { kind: 'repeated', response: row.response } : { kind: 'conflict' }
}

// Keys are inserted in a fixed order, so that two batches cannot wait for each other. A request that waits for a row lock waits for the commit of
// the other.
const ACCEPT = statement(
  'accept',
  `
with request as (
  select * from jsonb_to_recordset($1::jsonb) as r(ordinal int, "teamId" uuid, "apiKeyId" uuid, "acceptedAt" timestamptz, digest bytea, "bodyHash" text, response jsonb)
), won as (
  insert into idempotency_keys as k (team_id, digest, body_hash, response, expires_at)
  select "teamId", digest, "bodyHash", response, "acceptedAt" + interval '${IDEMPOTENCY_KEY_HOURS} hours' from request where digest is not null order by 1, 2
  on conflict (team_id, digest) do update set body_hash = excluded.body_hash, response = excluded.response, expires_at = excluded.expires_at
    where k.expires_at <= excluded.expires_at - interval '${IDEMPOTENCY_KEY_HOURS} hours'
  returning k.team_id, k.digest
), accepted as (
  select r.ordinal, r."teamId", r."apiKeyId", r."acceptedAt" from request r
    left join won w on w.team_id = r."teamId" and w.digest = r.digest
   where r.digest is null or w.digest is not null
), stored_emails as (
  insert into emails (id, team_id, api_key_id, state, last_event, message_id, "from", "to", cc, bcc, reply_to, subject, html, text, headers, tags,
    attachment_count, content_bytes, is_fetching, created_at, scheduled_at, topic_id, template_id, template_version_id)
  select e.id, a."teamId", a."apiKeyId", e.state, e.state, e."messageId", e."from", e."to", e.cc, e.bcc, e."replyTo", e.subject, e.html, e.text, e.headers, e.tags,
    e."attachmentCount", e."contentBytes", e."isFetching", a."acceptedAt", e."scheduledAt", e."topicId", e."templateId", e."templateVersionId"
  from jsonb_to_recordset($2::jsonb) as e(ordinal int, id uuid, state text, "messageId" text, "from" text, "to" text[], cc text[], bcc text[], "replyTo" text[],
    subject text, html text, text text, headers jsonb, tags jsonb, "attachmentCount" int, "contentBytes" int, "isFetching" boolean, "scheduledAt" timestamptz, "topicId" uuid, "templateId" uuid, "templateVersionId" uuid)
  join accepted a using (ordinal)
  returning team_id, created_at, message_id, broadcast_id
), counted as (
  insert into email_count_changes (team_id, bucket, domain, broadcast_id, metric, count)
  select team_id, email_count_bucket(created_at), email_count_domain(message_id), coalesce(broadcast_id, '${LOWEST_ID}'), 'received', count(*)
  from stored_emails group by 1, 2, 3, 4
), stored_recipients as (
  insert into recipients (id, team_id, email_id, address, state)
  select r.id, a."teamId", r."emailId", r.address, 'queued'
  from jsonb_to_recordset($3::jsonb) as r(ordinal int, id uuid, "emailId" uuid, address text) join accepted a using (ordinal)
), stored_deliveries as (
  insert into deliveries (id, team_id, class, destination, email_id, due_at, is_ready)
  select d.id, a."teamId", d.class, d.destination, d."emailId", d."dueAt", d."isReady"
  from jsonb_to_recordset($4::jsonb) as d(ordinal int, id uuid, class text, destination text, "emailId" uuid, "dueAt" timestamptz, "isReady" boolean) join accepted a using (ordinal)
), stored_attachments as (
  insert into attachments (id, team_id, email_id, position, filename, content_type, content_id, size, blob_key, path, created_at)
  select t.id, a."teamId", t."emailId", t.position, t.filename, t."contentType", t."contentId", t.size, t."blobKey", t.path, a."acceptedAt"
  from jsonb_to_recordset($5::jsonb) as t(ordinal int, id uuid, "emailId" uuid, position int, filename text, "contentType" text, "contentId" text, size int, "blobKey" uuid, path text)
  join accepted a using (ordinal)
), stored_notifications as (
  insert into notifications (${notificationColumns.insert})
  select ${notificationColumns.select} from jsonb_to_recordset($6::jsonb) as n(ordinal int, ${notificationColumns.types}) join accepted a using (ordinal)
)
select ordinal from accepted`,
)
