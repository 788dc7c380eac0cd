// What the SMTP server took; in SQL, because messages that arrive together are stored by one statement. Crosses teams: the sender of a message
// names none.
import { type Database, type Execute, statement } from '../../db/database.ts'
import { isRefusedData } from '../../db/database-errors.ts'
import type { Prisma } from '../../generated/prisma/client.ts'
import { createGroupCommit } from '../../lib/group-commit.ts'
import { idBound } from '../../lib/ids.ts'
import type { RemovedRows } from '../../lib/purge.ts'
import { type NewReceivedEmail, RECEIVED_COLUMNS } from './received.repository.ts'
import { ADD_AMOUNTS } from './receiving.repository.ts'

/** What a worker makes of a message that came back, a closed list. */
export const INBOUND_VERDICTS = [
  // Acted upon.
  'bounce',
  'complaint',
  // Changes nothing, and is shown in the timeline of the email.
  'delay',
  'success',
  'auto_reply',
  'challenge',
  'other',
  // Changes nothing.
  /** A bounce of mail that was never sent here, or so long ago that its return path is no longer valid. */
  'backscatter',
  /** A complaint without a known recipient, or without proof of who sent it. */
  'unmatched',
  /** It could not be read, or its content is lost. */
  'unreadable',
] as const

export type InboundVerdict = (typeof INBOUND_VERDICTS)[number]

const columns = {
  id: true,
  teamId: true,
  purpose: true,
  mailFrom: true,
  rcptTo: true,
  peer: true,
  bytes: true,
  blobKey: true,
  verdict: true,
  detail: true,
  receivedAt: true,
} as const

export type InboundMessageRow = Prisma.InboundMessageGetPayload<{ select: typeof columns }>

export function inboundListRepository({ tables }: Pick<Database, 'tables'>) {
  return {
    /** What was made of messages that came back, newest first. For operators only: it crosses teams, and most of these messages belong to none. */
    listAcrossTeams(verdict: InboundVerdict, limit: number): Promise<InboundMessageRow[]> {
      return tables.inboundMessage.findMany({ where: { verdict }, select: columns, orderBy: { id: 'desc' }, take: limit })
    },

    /** Only operators may call it. */
    findAcrossTeams(id: string): Promise<InboundMessageRow | null> {
      return tables.inboundMessage.findUnique({ where: { id }, select: columns })
    },
  }
}

export const INBOUND_PURPOSES = ['return_path', 'feedback', 'postmaster', 'abuse'] as const
export type InboundPurpose = (typeof INBOUND_PURPOSES)[number]

/** A message for one of its recipients. Its blob was stored before. */
export type NewInboundMessage = {
  id: string
  purpose: InboundPurpose
  /** Whom the token of a return path names; null for other addresses. */
  recipientId: string | null
  mailFrom: string
  rcptTo: string
  blobKey: string
  bytes: number
  peer: string
  helo: string
  tls: string | null
  receivedAt: Date
}

/** Rows that one statement removes. */
export const REMOVED_AT_ONCE = 500

/** A row with its addresses, roughly. */
const ROW_BYTES = 1_000

export function inboundMessageRepository({ execute, transaction }: Pick<Database, 'execute' | 'transaction'>) {
  const group = createGroupCommit<{ copies: NewInboundMessage[]; received: NewReceivedEmail[] }, true>({
    async commit(messages) {
      await execute(STORE, [
        JSON.stringify(messages.flatMap(({ copies }) => copies)),
        JSON.stringify(messages.flatMap(({ received }) => received)),
      ])
      return messages.map(() => true)
    },
    isFaultOfOne: isRefusedData,
  })

  const remove = (picking: ReturnType<typeof statement>, values: unknown[]): Promise<RemovedRows> =>
    transaction(async (inside) => {
      const removed = await inside<{ blobKey: string | null }>(picking, values)
      const keys = removed.flatMap(({ blobKey }) => blobKey ?? [])
      return { rows: removed.length, blobKeys: await unnamedBlobs(inside, keys) }
    })

  return {
    /**
     * Stores one message for all its recipients and the teams that receive it, or for none; messages that arrive together share a commit. Once it
     * returns, they are acted upon even if the process ends.
     *
     * @throws Failure `unavailable` if too much is waiting, and what the database throws.
     */
    async storeAcrossTeams(copies: NewInboundMessage[], received: NewReceivedEmail[] = []): Promise<void> {
      await group.submit({ copies, received }, (copies.length + received.length) * ROW_BYTES)
    },

    /**
     * Removes messages that were acted upon and were received before `before`: those that wait are kept.
     */
    removeDoneAcrossTeams: (before: Date): Promise<RemovedRows> => remove(REMOVE_DONE, [idBound(before.getTime()), before]),

    /** The newest message of a verdict that has to go so that `kept` newer ones are left; null if there are not so many. */
    async newestBeyondAcrossTeams(verdict: InboundVerdict, kept: number): Promise<string | null> {
      const [row] = await execute<{ id: string }>(NEWEST_BEYOND, [verdict, kept])
      return row?.id ?? null
    },

    /** Removes messages of a verdict, the oldest first, up to this one. */
    removeUpToAcrossTeams: (verdict: InboundVerdict, id: string): Promise<RemovedRows> => remove(REMOVE_UP_TO, [verdict, id]),
  }
}

/** Returns the blobs that no message names. */
export async function unnamedBlobs(inside: Execute, keys: string[]): Promise<string[]> {
  const rows = await inside<{ key: string }>(
    `select k.key::text as key from unnest($1::uuid[]) as k(key) where not exists (select from inbound_messages m where m.blob_key = k.key)`,
    [[...new Set(keys)]],
  )
  return rows.map(({ key }) => key)
}

const REMOVE_DONE = statement(
  'remove old inbound messages',
  `delete from inbound_messages where id = any(array(
  select id from inbound_messages where id < $1 and state = 'done' and received_at < $2 order by id limit ${REMOVED_AT_ONCE} for update skip locked
)) returning blob_key as "blobKey"`,
)

const NEWEST_BEYOND = statement(
  'newest inbound message beyond a number',
  'select id from inbound_messages where verdict = $1 order by id desc offset $2 limit 1',
)

const REMOVE_UP_TO = statement(
  'remove inbound messages beyond a number',
  `delete from inbound_messages where id = any(array(
  select id from inbound_messages where verdict = $1 and id <= $2 and state = 'done' order by id limit ${REMOVED_AT_ONCE} for update skip locked
)) returning blob_key as "blobKey"`,
)

const STORE = statement(
  'store-inbound-messages',
  `with received as (
  insert into received_emails (${RECEIVED_COLUMNS.names}) select ${RECEIVED_COLUMNS.values} from jsonb_to_recordset($2::jsonb) as n(${RECEIVED_COLUMNS.types})
  returning id, team_id, rcpt_to, bytes, created_at
), amounts as (
  ${ADD_AMOUNTS}
), recipients_of_received as (
  insert into received_recipients (team_id, address, email_id)
  select distinct r.team_id, lower(a.address), r.id from received r cross join lateral unnest(r.rcpt_to) as a(address)
)
insert into inbound_messages (id, team_id, recipient_id, purpose, mail_from, rcpt_to, blob_key, bytes, peer, helo, tls, received_at)
select m.id, r.team_id, m."recipientId", m.purpose, m."mailFrom", m."rcptTo", m."blobKey", m.bytes, m.peer, m.helo, m.tls, m."receivedAt"
from jsonb_to_recordset($1::jsonb) as m(id uuid, "recipientId" uuid, purpose text, "mailFrom" text, "rcptTo" text, "blobKey" uuid, bytes int, peer text, helo text,
  tls text, "receivedAt" timestamptz)
left join recipients r on r.id = m."recipientId"`,
)

// The contents of messages that a worker is done with; in SQL, because the oldest go until the rest fits. Crosses teams: for workers.

/** Messages that were acted upon are bounces and complaints. Anyone can send others. */
export type ContentKind = 'acted upon' | 'other'

/** Each removal takes some at once, and leaves the rows, which say what was made of the messages. */
export function keptContentRepository({ execute, transaction }: Pick<Database, 'execute' | 'transaction'>) {
  const clear = (picking: ReturnType<typeof statement>, values: unknown[]): Promise<RemovedRows & { bytes: number }> =>
    transaction(async (inside) => {
      const cleared = await inside<{ blobKey: string; bytes: number }>(picking, values)
      return {
        rows: cleared.length,
        blobKeys: await unnamedBlobs(
          inside,
          cleared.map(({ blobKey }) => blobKey),
        ),
        bytes: cleared.reduce((sum, { bytes }) => sum + bytes, 0),
      }
    })

  return {
    /** The contents of messages that were not acted upon and were received before `before`. */
    removeOtherAcrossTeams: (before: Date): Promise<RemovedRows> => clear(CLEAR_OLD, [idBound(before.getTime()), before]),

    /** What all contents of a kind have together. */
    async bytesAcrossTeams(kind: ContentKind): Promise<number> {
      const [row] = await execute<{ bytes: number }>(BYTES[kind])
      return row?.bytes ?? 0
    },

    /** The oldest contents of a kind that have as many bytes. */
    removeOldestAcrossTeams: (kind: ContentKind, bytes: number): Promise<RemovedRows & { bytes: number }> =>
      clear(CLEAR_OLDEST[kind], [bytes]),
  }
}

/** Each condition is that of the contents' index. */
const WHERE: Record<ContentKind, string> = {
  'acted upon': `state = 'done' and blob_key is not null and verdict in ('bounce', 'complaint')`,
  other: `state = 'done' and blob_key is not null and verdict not in ('bounce', 'complaint')`,
}

/** The rows of a message follow each other, so its content counts for the first of them. In the order of the indexes: nothing has to be sorted. */
const BYTES_OF_FIRST = 'case when lag(blob_key) over (order by id) is distinct from blob_key then bytes else 0 end'

const CLEARED = `cleared as (update inbound_messages m set blob_key = null from picked where m.id = picked.id)
select blob_key as "blobKey", bytes::float8 as bytes from picked`

const CLEAR_OLD = statement(
  'clear old contents',
  `
with picked as (
  select id, blob_key, bytes from inbound_messages where ${WHERE.other} and id < $1 and received_at < $2
  order by id limit ${REMOVED_AT_ONCE} for update skip locked
), ${CLEARED}`,
)

const bytesOf = (kind: ContentKind) =>
  statement(
    `bytes of contents: ${kind}`,
    `select coalesce(sum(bytes), 0)::float8 as bytes from (select ${BYTES_OF_FIRST} as bytes from inbound_messages where ${WHERE[kind]}) as contents`,
  )

const BYTES: Record<ContentKind, ReturnType<typeof statement>> = { 'acted upon': bytesOf('acted upon'), other: bytesOf('other') }

const clearOldest = (kind: ContentKind) =>
  statement(
    `clear oldest contents: ${kind}`,
    `
with oldest as (
  select id, blob_key, bytes from inbound_messages where ${WHERE[kind]} order by id limit ${REMOVED_AT_ONCE} for update skip locked
), counted as (
  select id, blob_key, bytes as content_bytes, ${BYTES_OF_FIRST} as bytes from oldest
), summed as (
  select id, blob_key, bytes, sum(bytes) over (order by id) - content_bytes as bytes_before from counted
), picked as (
  select id, blob_key, bytes from summed where bytes_before < $1::bigint
), ${CLEARED}`,
  )

const CLEAR_OLDEST: Record<ContentKind, ReturnType<typeof statement>> = {
  'acted upon': clearOldest('acted upon'),
  other: clearOldest('other'),
}

export function unnamedBlobRepository({ execute }: Pick<Database, 'execute'>) {
  return {
    /** Returns those of these blobs that no row names. */
    async of(keys: string[]): Promise<string[]> {
      const rows = await execute<{ key: string }>(
        `select k.key::text as key from unnest($1::uuid[]) as k(key)
          where not exists (select from attachments a where a.blob_key = k.key)
            and not exists (select from submitted_messages s where s.blob_key = k.key)
            and not exists (select from contact_imports i where i.blob_key = k.key)
            and not exists (select from inbound_messages m where m.blob_key = k.key)
            and not exists (select from received_emails e where e.blob_key = k.key)
            and not exists (select from received_attachments f where f.blob_key = k.key)
            and not exists (select from images g where g.blob_key = k.key)`,
        [keys],
      )
      return rows.map(({ key }) => key)
    },
  }
}
