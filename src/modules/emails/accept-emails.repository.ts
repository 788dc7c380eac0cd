// Accepts emails: idempotency key, emails, recipients, deliveries, attachments and notifications in ONE statement, for one request or many; in SQL,
// because it runs for every email.

import { type ColumnType, type RowArrays, rowArrays } from '../../db/columns.ts'
import { type Database, type Execute, type Statement, statement } from '../../db/database.ts'
import {
  type AcceptanceResult,
  acceptKeyed,
  type BatchResult,
  isFirstRequest,
  type KeyedRequest,
  REQUEST_COLUMNS,
  requestAcceptor,
  requestRow,
  storeKeys,
} from '../../db/idempotent-requests.ts'
import { addJob, FETCH_ATTACHMENTS, fetchQueueOf } from '../../db/jobs/jobs.ts'
import { NOTIFICATION_COLUMNS, notificationColumns, notificationRows } from '../../db/outbox.ts'
import { LOWEST_ID } from '../../lib/ids.ts'
import type { NewNotification } from '../../lib/notifications.ts'
import type { NewDelivery } from './new-delivery.ts'
import type { SubmittedText } from './submitted-message.ts'

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

/** What was submitted over SMTP. `body` in base64. */
export type NewSubmittedMessage = {
  emailId: string
  head: string
  body: string | null
  blobKey: string | null
  /** The size of the blob; null without one. */
  blobBytes: number | null
  bodyStart: number
  htmlPart: number | null
}

export type NewEmail = {
  id: string
  state: 'scheduled' | 'queued'
  /** A lower-case A-label. */
  fromDomain: string
  from: string
  to: string[]
  cc: string[]
  bcc: string[]
  replyTo: string[]
  subject: string
  html: SubmittedText
  text: SubmittedText
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
  /** Null while no traces are exported. */
  traceparent: string | null
}

/** One request: all of it is stored, or nothing. */
export type Acceptance = KeyedRequest & {
  apiKeyId: string
  emails: NewEmail[]
  recipients: NewRecipient[]
  deliveries: NewDelivery[]
  attachments: NewAttachment[]
  messages: NewSubmittedMessage[]
  notifications: NewNotification[]
  /** What its addresses use of a reservation; empty if nothing counts. */
  quotaUses: { reservationId: string; count: number }[]
}

type AcceptDatabase = Pick<Database, 'execute' | 'transaction'>

export const emailAcceptor = (database: AcceptDatabase) =>
  requestAcceptor<Acceptance, AcceptanceResult>({ commit: (requests) => acceptTogether(database, requests), weightOf })

/** Rows and JSON around the content of an email, and those of a recipient with its delivery; roughly. */
const EMAIL_BYTES = 1_000
const RECIPIENT_BYTES = 500

const weightOf = ({ emails, recipients }: Acceptance): number =>
  emails.reduce((sum, { contentBytes }) => sum + contentBytes + EMAIL_BYTES, 0) + recipients.length * RECIPIENT_BYTES

/** Stores a batch of requests in one commit. Results have the order of the requests. */
export const acceptTogether = ({ execute, transaction }: AcceptDatabase, requests: Acceptance[]): Promise<BatchResult[]> =>
  acceptKeyed(execute, requests, (firsts) => {
    const isFetching = firsts.some(({ emails }) => emails.some((email) => email.isFetching))
    return isFetching ? transaction((inside) => storeAndFetch(inside, firsts)) : store(execute, firsts)
  })

/** @returns the ordinals of the requests that were stored: those without a key, and those that won theirs. */
async function store(execute: Execute, requests: Acceptance[]): Promise<number[]> {
  // Changes the rows in place, which avoids a copy of each; no other code uses them.
  const flat = <Row extends object>(rowsOf: (request: Acceptance) => Row[]) =>
    requests.flatMap((request, ordinal) => rowsOf(request).map((row) => Object.assign(row, { ordinal })))
  const accept = acceptingStatement(EXTRAS.filter(({ name }) => requests.some((request) => request[name].length > 0)))
  const values = [
    ...REQUESTS.values(requests.map((request, ordinal) => ({ ...requestRow(request, ordinal), apiKeyId: request.apiKeyId }))),
    ...EMAILS.values(flat(({ emails }) => emails)),
    ...RECIPIENTS.values(flat(({ recipients }) => recipients)),
    ...DELIVERIES.values(flat(({ deliveries }) => deliveries)),
    ...accept.extras.flatMap(({ extra, arrays }) => arrays.values(flat(extra.rowsOf))),
  ]
  const stored = await execute<{ ordinal: number }>(accept.statement, values)
  return stored.map(({ ordinal }) => ordinal)
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

const REQUESTS = rowArrays({ ...REQUEST_COLUMNS, apiKeyId: 'uuid' }, 1)
const EMAILS = rowArrays(
  {
    ...{ ordinal: 'int', id: 'uuid', state: 'text', fromDomain: 'text', from: 'text', to: 'text[]', cc: 'text[]', bcc: 'text[]' },
    ...{ replyTo: 'text[]', subject: 'text', html: 'text', text: 'text', headers: 'jsonb', tags: 'jsonb', attachmentCount: 'int' },
    ...{
      contentBytes: 'int',
      isFetching: 'boolean',
      scheduledAt: 'timestamptz',
      topicId: 'uuid',
      templateId: 'uuid',
      templateVersionId: 'uuid',
      traceparent: 'text',
    },
  },
  REQUESTS.next,
)
const RECIPIENTS = rowArrays({ ordinal: 'int', id: 'uuid', emailId: 'uuid', address: 'text' }, EMAILS.next)
const DELIVERIES = rowArrays(
  { ordinal: 'int', id: 'uuid', class: 'text', destination: 'text', emailId: 'uuid', dueAt: 'timestamptz', isReady: 'boolean' },
  RECIPIENTS.next,
)

/** What few emails have. `insert`: SQL that stores the rows, `source`, of the requests that are accepted, `a`. */
type Extra<Name extends string = string> = {
  name: 'attachments' | 'notifications' | 'messages' | 'quotaUses'
  columns: Record<Name | 'ordinal', ColumnType>
  rowsOf: (request: Acceptance) => Readonly<Record<Name, unknown>>[]
  insert: (source: string) => string
}

/** Each column is a field of the rows. */
const extra = <Name extends string>({ columns, ...rest }: Omit<Extra<Name>, 'columns'> & { columns: Record<Name, ColumnType> }): Extra => ({
  ...rest,
  columns: { ordinal: 'int', ...columns },
})

const EXTRAS: Extra[] = [
  extra({
    name: 'attachments',
    columns: {
      ...{ id: 'uuid', emailId: 'uuid', position: 'int', filename: 'text', contentType: 'text', contentId: 'text' },
      ...{ size: 'int', blobKey: 'uuid', path: 'text' },
    },
    rowsOf: ({ attachments }) => attachments,
    insert: (
      source,
    ) => `insert into attachments (id, team_id, email_id, position, filename, content_type, content_id, size, blob_key, path, created_at)
  select t.id, a."teamId", t."emailId", t.position, t.filename, t."contentType", t."contentId", t.size, t."blobKey", t.path, a."acceptedAt"
  from ${source} as t join accepted a using (ordinal)`,
  }),
  extra({
    name: 'notifications',
    columns: NOTIFICATION_COLUMNS,
    rowsOf: ({ notifications, acceptedAt }) => notificationRows(notifications, acceptedAt),
    insert: (source) => `insert into notifications (${notificationColumns.insert})
  select ${notificationColumns.select} from ${source} as n join accepted a using (ordinal)`,
  }),
  extra({
    name: 'messages',
    columns: { emailId: 'uuid', head: 'text', body: 'text', blobKey: 'uuid', blobBytes: 'int', bodyStart: 'int', htmlPart: 'int' },
    rowsOf: ({ messages }) => messages,
    insert: (source) => `insert into submitted_messages (email_id, team_id, head, body, blob_key, blob_bytes, body_start, html_part)
  select m."emailId", a."teamId", m.head, decode(m.body, 'base64'), m."blobKey", m."blobBytes", m."bodyStart", m."htmlPart"
  from ${source} as m join accepted a using (ordinal)`,
  }),
  // Fails all of the statement if the reservation was called in.
  extra({
    name: 'quotaUses',
    columns: { reservationId: 'uuid', count: 'int' },
    rowsOf: ({ quotaUses }) => quotaUses,
    insert: (source) => `insert into quota_uses (reservation_id, count)
  select u."reservationId", sum(u.count) from ${source} as u join accepted a using (ordinal) group by 1`,
  }),
]

/** @param more SQL that stores what few emails have */
const acceptSql = (more: string): string => `
with request as (
  select * from ${REQUESTS.source} as r
), won as (${storeKeys('request')}
), accepted as (
  select r.ordinal, r."teamId", r."apiKeyId", r."acceptedAt" from request r
    left join won w on w.team_id = r."teamId" and w.digest = r.digest
   where ${isFirstRequest}
), stored_emails as (
  insert into emails (id, team_id, api_key_id, state, last_event, from_domain, "from", "to", cc, bcc, reply_to, subject, html, text, headers, tags,
    attachment_count, content_bytes, is_fetching, created_at, scheduled_at, topic_id, template_id, template_version_id, traceparent)
  select e.id, a."teamId", a."apiKeyId", e.state, e.state, e."fromDomain", e."from", e."to", nullif(e.cc, '{}'), nullif(e.bcc, '{}'), nullif(e."replyTo", '{}'), e.subject,
    e.html, e.text, nullif(e.headers, '{}'), nullif(e.tags, '[]'), e."attachmentCount", e."contentBytes", e."isFetching", a."acceptedAt", e."scheduledAt", e."topicId", e."templateId", e."templateVersionId", e.traceparent
  from ${EMAILS.source} as e join accepted a using (ordinal)
  returning team_id, created_at, from_domain, broadcast_id
), counted as (
  insert into email_count_changes (team_id, bucket, domain, broadcast_id, metric, count)
  select team_id, email_count_bucket(created_at), from_domain, coalesce(broadcast_id, '${LOWEST_ID}'), 'received', count(*)
  from stored_emails group by 1, 2, 3, 4
), stored_recipients as (
  insert into recipients (id, team_id, email_id, address, state)
  select r.id, a."teamId", r."emailId", r.address, 'queued' from ${RECIPIENTS.source} as r join accepted a using (ordinal)
), stored_deliveries as (
  insert into deliveries (id, team_id, class, destination, email_id, due_at, is_ready)
  select d.id, a."teamId", d.class, d.destination, d."emailId", d."dueAt", d."isReady" from ${DELIVERIES.source} as d join accepted a using (ordinal)
)${more}
select ordinal from accepted`

type AcceptingStatement = { statement: Statement; extras: { extra: Extra; arrays: RowArrays<string> }[] }

const statements = new Map<string, AcceptingStatement>()

/** A statement that would insert no notifications runs all of their triggers nevertheless, so there is one for each combination. */
function acceptingStatement(wanted: Extra[]): AcceptingStatement {
  const name = ['accept', ...wanted.map((one) => one.name)].join(' ')
  const known = statements.get(name)
  if (known) return known
  let next = DELIVERIES.next
  const extras = wanted.map((one) => {
    const arrays = rowArrays(one.columns, next)
    next = arrays.next
    return { extra: one, arrays }
  })
  const more = extras.map(({ extra: one, arrays }) => `, stored_${one.name} as (\n  ${one.insert(arrays.source)}\n)`)
  const made = { statement: statement(name, acceptSql(more.join(''))), extras }
  statements.set(name, made)
  return made
}
