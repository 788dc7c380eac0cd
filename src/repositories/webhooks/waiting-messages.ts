// Messages that are still to be delivered, as people change them: replayed, given up, removed; in SQL, because they are changed as sets.
import type { Database, Execute } from '../database.ts'

/** Rows that one statement of a job removes. */
export const ROWS_REMOVED_MAX = 5_000

export function waitingMessageOfWebhookRepository({ execute, transaction }: Pick<Database, 'execute' | 'transaction'>) {
  return {
    /**
     * Sends a message again, without retries. If it waits for a retry, that retry is due now. False if there is no such message of this
     * webhook, or its day has been removed.
     */
    async replay(webhookId: string, messageId: string, now: Date): Promise<boolean> {
      const rows = await execute(REPLAY, [webhookId, messageId, now])
      return rows.length > 0
    },

    /**
     * Queues again what was given up since then, oldest first, with all its attempts: a bounded number, due one after the other.
     *
     * @returns how many
     */
    replaySince(webhookId: string, since: Date, { now, max, everyMs }: { now: Date; max: number; everyMs: number }): Promise<number> {
      return transaction(async (inside) => (await inside(REPLAY_SINCE, [webhookId, since, max, now, everyMs])).length)
    },

    /** A sample of a type, tried once. */
    async addTest(webhookId: string, test: { messageId: string; teamId: string; type: string }, now: Date): Promise<void> {
      await execute(ADD_TEST, [webhookId, test.messageId, test.teamId, test.type, now])
    },

    /** What is left of webhooks that were deleted. Returns how many rows it removed. For jobs: it crosses teams. */
    async removeOfAcrossTeams(webhookId: string): Promise<number> {
      const removed = await execute(REMOVE, [webhookId])
      return removed.length
    },
  }
}

/** In the transaction that disables the webhook. */
export async function giveUpAll(execute: Execute, webhookId: string, reason: string, now: Date): Promise<void> {
  await execute(
    `with gone as (delete from webhook_deliveries where webhook_id = $1::uuid returning message_id)
     insert into webhook_failures (webhook_id, message_id, reason, failed_at) select $1::uuid, message_id, $2::text, $3::timestamptz from gone
     on conflict do nothing`,
    [webhookId, reason, now],
  )
}

const REPLAY = `
insert into webhook_deliveries (webhook_id, message_id, team_id, subject_id, due_at, is_single)
select webhook_id, id, team_id, subject_id, $3, true from webhook_messages where webhook_id = $1 and id = $2
on conflict (webhook_id, message_id) do update set due_at = least(webhook_deliveries.due_at, $3)
returning seq`

const REPLAY_SINCE = `
with failed as (
  delete from webhook_failures f where (f.webhook_id, f.message_id) in (
    select webhook_id, message_id from webhook_failures where webhook_id = $1 and failed_at >= $2 order by message_id limit $3 for update skip locked
  ) returning f.message_id
), known as (
  select m.*, row_number() over (order by m.id) as place from webhook_messages m where m.webhook_id = $1 and m.id = any(array(select message_id from failed))
)
insert into webhook_deliveries (webhook_id, message_id, team_id, subject_id, due_at)
select webhook_id, id, team_id, subject_id, $4::timestamptz + (place - 1) * $5::int * interval '1 millisecond' from known
on conflict do nothing returning seq`

const ADD_TEST = `
with message as (
  insert into webhook_messages (webhook_id, id, team_id, type, subject_id, is_test, created_at) values ($1, $2, $3, $4, $2, true, $5)
)
insert into webhook_deliveries (webhook_id, message_id, team_id, subject_id, due_at, is_single) values ($1, $2, $3, $2, $5, true)`

const REMOVE = `
with waiting as (
  delete from webhook_deliveries where seq in (select seq from webhook_deliveries where webhook_id = $1 limit ${ROWS_REMOVED_MAX}) returning 1
), failed as (
  delete from webhook_failures where (webhook_id, message_id) in (select webhook_id, message_id from webhook_failures where webhook_id = $1 limit ${ROWS_REMOVED_MAX}) returning 1
)
select 1 from waiting union all select 1 from failed`
