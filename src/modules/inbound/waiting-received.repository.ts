// Received emails that wait to be read; in SQL, because they are taken and settled in batches. Crosses teams: for workers.

import { type Database, type Execute, statement } from '../../db/database.ts'
import { isRefusedData } from '../../db/database-errors.ts'
import { append } from '../../db/outbox.ts'
import { createGroupCommit } from '../../lib/group-commit.ts'
import type { NewNotification } from '../../lib/notifications.ts'
import { emailIdOf, MESSAGE_ID } from '../emails/message-ids.ts'
import type { EncodedContent, ReceivedFile } from './content/received-content.ts'

export type WaitingReceived = {
  id: string
  teamId: string
  blobKey: string
  bytes: number
  mailFrom: string
  rcptTo: string[]
  peer: string
  helo: string
  createdAt: Date
  /** How often it was taken, this time included. */
  tries: number
}

export type NewReceivedAttachment = ReceivedFile & { id: string }

/** What was read of an email, and what is told of it. */
export type ReadReceived = Omit<EncodedContent, 'files'> & {
  id: string
  teamId: string
  spf: string | null
  dkim: string | null
  dmarc: string | null
  arc: string | null
  attachments: NewReceivedAttachment[]
  /** Which email it answers is found out when it is stored. */
  notification: NewNotification<'email.received'>
}

/** A message whose worker died is taken again after this time: longer than reading one may take. */
export const TAKEN_MS = 60_000

type Room = { limit: number; bytesMax: number; withSuspects: boolean }

/** How many of the oldest messages get turns by team. */
const LOOKED_AT_MAX = 2_000

export function waitingReceivedRepository({ execute, transaction }: Pick<Database, 'execute' | 'transaction'>) {
  const group = createGroupCommit<{ email: ReadReceived; now: Date }, 'read' | 'gone'>({
    commit: (items) => transaction((inside) => settle(inside, items)),
    isFaultOfOne: isRefusedData,
  })

  return {
    /**
     * The oldest of each team first, then the next of each. No other worker gets them for a while. One that was taken before, and may have killed its
     * worker, comes alone, and only if it is wanted.
     */
    takeAcrossTeams({ limit, bytesMax, withSuspects }: Room, now: Date): Promise<WaitingReceived[]> {
      return execute<WaitingReceived>(TAKE, [limit, bytesMax, now, new Date(now.getTime() - TAKEN_MS), withSuspects])
    },

    /** Leaves emails to the next worker that looks, as if they had not been taken. */
    async releaseAcrossTeams(ids: string[]): Promise<void> {
      if (ids.length > 0) await execute(RELEASE, [ids])
    },

    /** Stores what was read, once: `gone` if another worker has, or the email was deleted. Those that end together share a commit. */
    settleAcrossTeams: (email: ReadReceived, now: Date): Promise<'read' | 'gone'> => group.submit({ email, now }, bytesOf(email)),
  }
}

const ROW_BYTES = 4_000
const bytesOf = ({ html, text }: ReadReceived): number => ROW_BYTES + (html?.length ?? 0) + (text?.length ?? 0)

async function settle(inside: Execute, items: { email: ReadReceived; now: Date }[]): Promise<('read' | 'gone')[]> {
  const locked = await inside<{ id: string }>(LOCK, [items.map(({ email }) => email.id)])
  const waiting = new Set(locked.map(({ id }) => id))
  const read = items.filter(({ email }) => waiting.has(email.id))
  const ours = await emailsOfOurs(
    inside,
    read.map(({ email }) => email),
  )
  const rows = read.map(({ email: { attachments: _attachments, answers, ...row } }) => ({
    ...row,
    inReplyTo: answers.map((answer) => ours.get(`${row.teamId} ${answer}`)).find((id) => id !== undefined) ?? null,
    sentEmailId: ours.get(`${row.teamId} ${row.messageId}`) ?? null,
  }))
  const texts = joinedTexts()
  const settled = rows.map(({ notification: _notification, html, text, ...row }) => ({
    ...row,
    html: texts.add(html),
    text: texts.add(text),
  }))
  await inside(SETTLE, [JSON.stringify(settled), texts.bytes()])
  const attachments = read.flatMap(({ email: { id: emailId, teamId, attachments: files } }) =>
    files.map((file) => ({ ...file, emailId, teamId })),
  )
  if (attachments.length > 0) await inside(ATTACH, [JSON.stringify(attachments)])
  const notifications = rows.map(({ notification, inReplyTo }) => ({
    ...notification,
    data: { ...notification.data, in_reply_to_email_id: inReplyTo },
  }))
  await append(inside, notifications, items[0]?.now ?? new Date())
  return items.map(({ email }) => (waiting.has(email.id) ? 'read' : 'gone'))
}

/** As JSON, a text of 15 MB would keep the main thread for 100 ms. */
function joinedTexts() {
  const parts: Uint8Array[] = []
  let next = 1
  return {
    /** Where the text is, as `substr` takes it. */
    add(text: Uint8Array | null): { at: number; bytes: number } | null {
      if (text === null) return null
      const place = { at: next, bytes: text.length }
      parts.push(text)
      next += text.length
      return place
    },

    bytes: (): Buffer => Buffer.concat(parts),
  }
}

/** By team and Message-ID, the ids of emails that the team has sent. */
async function emailsOfOurs(inside: Execute, emails: ReadReceived[]): Promise<Map<string, string>> {
  const asked = emails.flatMap(({ teamId, messageId, answers }) =>
    [messageId, ...answers].flatMap((named) => {
      const emailId = named && emailIdOf(named)
      return emailId ? [{ teamId, emailId, named }] : []
    }),
  )
  if (asked.length === 0) return new Map()
  const rows = await inside<{ id: string; teamId: string; messageId: string }>(OURS, [JSON.stringify(asked)])
  return new Map(rows.map(({ id, teamId, messageId }) => [`${teamId} ${messageId}`, id]))
}

const TAKE = statement(
  'take received emails',
  `
with oldest as (
  select id, team_id, bytes, tries from received_emails where state = 'waiting' and (taken_at is null or taken_at < $4)
    and ($5::bool or tries = 0)
  order by id limit ${LOOKED_AT_MAX}
), turns as (
  select id, bytes, tries, row_number() over (partition by team_id order by id) as turn from oldest
), summed as (
  select id, tries, row_number() over in_turn as place, sum(bytes) over in_turn as bytes_so_far, first_value(tries) over in_turn as first_tries
  from turns window in_turn as (order by turn, id)
), taken as (
  update received_emails e set taken_at = $3, tries = e.tries + 1
  where e.id = any(array(
    select id from summed where place = 1 or (place <= $1 and bytes_so_far <= $2 and tries = 0 and first_tries = 0)
  )) and e.state = 'waiting' and (e.taken_at is null or e.taken_at < $4) returning e.*
)
select id, team_id as "teamId", blob_key as "blobKey", bytes, mail_from as "mailFrom", rcpt_to as "rcptTo", peer, helo, created_at as "createdAt", tries
from taken order by id`,
)

const RELEASE = statement(
  'release received emails',
  `update received_emails set taken_at = null, tries = greatest(tries - 1, 0)
where id in (select id from received_emails where id = any($1::uuid[]) and state = 'waiting' order by id for update)`,
)

const LOCK = statement(
  'lock received emails',
  `select id from received_emails where id = any($1::uuid[]) and state = 'waiting' order by id for update`,
)

const OURS = statement(
  'sent emails by message id',
  `select e.id, e.team_id as "teamId", ${MESSAGE_ID} as "messageId"
from jsonb_to_recordset($1::jsonb) as a("teamId" uuid, "emailId" uuid, named text)
join emails e on e.id = a."emailId" and e.team_id = a."teamId" and ${MESSAGE_ID} = a.named`,
)

const textAt = (column: string) => `convert_from(substr($2::bytea, (r.${column}->>'at')::int, (r.${column}->>'bytes')::int), 'UTF8')`

const SETTLE = statement(
  'settle received emails',
  `update received_emails e set state = 'read', "from" = r."from", from_name = r."fromName", "to" = r."to", cc = r.cc, bcc = r.bcc, reply_to = r."replyTo", received_for = r."receivedFor",
  subject = r.subject, message_id = r."messageId", headers = r.headers, html = ${textAt('html')}, text = ${textAt('text')}, spf = r.spf, dkim = r.dkim, dmarc = r.dmarc, arc = r.arc,
  problem = r.problem, is_auto_reply = r."isAutoReply", in_reply_to_email_id = r."inReplyTo", sent_email_id = r."sentEmailId"
from jsonb_to_recordset($1::jsonb) as r(id uuid, "from" text, "fromName" text, "to" text[], cc text[], bcc text[], "replyTo" text[], "receivedFor" text[], subject text,
  "messageId" text, headers jsonb, html jsonb, text jsonb, spf text, dkim text, dmarc text, arc text, problem text, "isAutoReply" boolean, "inReplyTo" uuid,
  "sentEmailId" uuid)
where e.id = r.id`,
)

const ATTACH = statement(
  'attach received files',
  `insert into received_attachments (id, team_id, email_id, filename, content_type, content_disposition, content_id, size, blob_key)
select a.id, a."teamId", a."emailId", a.filename, a."contentType", a."contentDisposition", a."contentId", a.size, a."blobKey"
from jsonb_to_recordset($1::jsonb) as a(id uuid, "teamId" uuid, "emailId" uuid, filename text, "contentType" text, "contentDisposition" text, "contentId" text,
  size int, "blobKey" uuid)`,
)
