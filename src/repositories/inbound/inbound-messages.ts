// What the SMTP server took; in SQL, because messages that arrive together are stored by one statement. Crosses teams: the sender of a message
// names none.
import { isRefusedData } from '../../lib/database-errors.ts'
import { createGroupCommit } from '../../lib/group-commit.ts'
import { idBound } from '../../lib/ids.ts'
import type { InboundVerdict } from '../../lib/inbound-verdicts.ts'
import { type Database, type Execute, statement } from '../database.ts'
import { type NewReceivedEmail, RECEIVED_COLUMNS } from './new-received-emails.ts'
import { ADD_AMOUNTS } from './received-amounts.ts'

export type InboundPurpose = 'return_path' | 'feedback' | 'postmaster' | 'abuse'

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

/** How many, and the blobs that no row names any longer. */
export type RemovedMessages = { messages: number; blobKeys: string[] }

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

  const remove = (picking: ReturnType<typeof statement>, values: unknown[]): Promise<RemovedMessages> =>
    transaction(async (inside) => {
      const removed = await inside<{ blobKey: string | null }>(picking, values)
      const keys = removed.flatMap(({ blobKey }) => blobKey ?? [])
      return { messages: removed.length, blobKeys: await unnamedBlobs(inside, keys) }
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
    removeDoneAcrossTeams: (before: Date): Promise<RemovedMessages> => remove(REMOVE_DONE, [idBound(before.getTime()), before]),

    /** The newest message of a verdict that has to go so that `kept` newer ones are left; null if there are not so many. */
    async newestBeyondAcrossTeams(verdict: InboundVerdict, kept: number): Promise<string | null> {
      const [row] = await execute<{ id: string }>(NEWEST_BEYOND, [verdict, kept])
      return row?.id ?? null
    },

    /** Removes messages of a verdict, the oldest first, up to this one. */
    removeUpToAcrossTeams: (verdict: InboundVerdict, id: string): Promise<RemovedMessages> => remove(REMOVE_UP_TO, [verdict, id]),
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
