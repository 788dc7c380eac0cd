// Messages that are still to be delivered, as people change them: replayed, given up, removed; in SQL, because they are changed as sets.

import type { Database, Execute } from '../../../db/database.ts'
import { addJob, CLEAR_WEBHOOK } from '../../../db/jobs/jobs.ts'
import { lockReplays } from '../../../db/transactions.ts'
import { useFormIfAny } from '../../../db/used-forms.ts'

/** `hasMore`: others were given up in this time. */
export type Replayed = { queued: number; hasMore: boolean }

/** Rows that one statement gives up or removes. */
const ROWS_AT_ONCE = 5_000
/** While the webhook is locked: outcomes of attempts, also for other teams, wait for that lock. */
const ROWS_WHILE_LOCKED = 500

export function waitingMessageOfWebhookRepository({
  execute,
  records,
  transaction,
}: Pick<Database, 'execute' | 'records' | 'transaction'>) {
  return {
    /**
     * Sends a message again, without retries and whatever is ordered. If it waits for a retry, that retry is due now. False if there is no such
     * message of this webhook, or its day has been removed.
     */
    async replay(webhookId: string, messageId: string, now: Date): Promise<boolean> {
      const rows = await execute(REPLAY, [webhookId, messageId, now])
      return rows.length > 0
    },

    /**
     * Queues again what was given up since then, oldest first, with all its attempts: a bounded number, due one after the other, and after those
     * that were queued so before.
     */
    replaySince(webhookId: string, since: Date, { now, max, everyMs }: { now: Date; max: number; everyMs: number }): Promise<Replayed> {
      return transaction(async (inside) => {
        await lockReplays(inside, webhookId)
        const { length: queued } = await inside(REPLAY_SINCE, [webhookId, since, max, now, everyMs])
        const [left] = await inside('select 1 from webhook_failures where webhook_id = $1 and failed_at >= $2 limit 1', [webhookId, since])
        return { queued, hasMore: left !== undefined }
      })
    },

    /** A sample of a type, tried once; only in the feed if there is no endpoint. False if the webhook was disabled or deleted meanwhile. */
    addTest(
      webhookId: string,
      { messageId, teamId, type }: { messageId: string; teamId: string; type: string },
      { now, formId }: { now: Date; formId: string | undefined },
    ): Promise<boolean> {
      return records(async (record) => {
        await useFormIfAny(record, { id: formId, teamId, usedAt: now })
        return (await record.execute(ADD_TEST, [webhookId, messageId, teamId, type, now])).length > 0
      })
    },

    /**
     * Gives up some of what waits for a webhook that is disabled, and removes some of what is left of one that was deleted. Returns how many rows.
     * For jobs: it crosses teams.
     */
    clearAcrossTeams(webhookId: string, now: Date): Promise<number> {
      return transaction(async (inside) => {
        // Locked, so that it is not enabled meanwhile: what is queued for it then is to be sent.
        const [webhook] = await inside<{ status: string }>('select status from webhooks where id = $1 for key share', [webhookId])
        if (!webhook) return (await inside(REMOVE, [webhookId])).length
        return webhook.status === 'disabled' ? giveUpSome(inside, webhookId, { reason: DISABLED, now, max: ROWS_AT_ONCE }) : 0
      })
    },

    /** Webhooks to which nothing is sent, with something that waits: a transaction that began before may have queued it. For jobs. */
    async idleWithWaitingAcrossTeams(): Promise<string[]> {
      const rows = await execute<{ webhookId: string }>(
        `select distinct webhook_id as "webhookId" from webhook_deliveries d
          where not exists (select from webhooks w where w.id = d.webhook_id and w.status = 'enabled')`,
      )
      return rows.map(({ webhookId }) => webhookId)
    },

    async enqueueClearing(webhookId: string): Promise<void> {
      await addJob(execute, CLEAR_WEBHOOK, { webhookId }, null, `${CLEAR_WEBHOOK} ${webhookId}`)
    },

    /** Failures of days that are no longer kept. Returns how many. For sweeps: it crosses teams. */
    async removeFailuresBeforeAcrossTeams(before: Date): Promise<number> {
      return (await execute(REMOVE_FAILURES, [before])).length
    },
  }
}

/** Why what waits for a webhook is given up when it is disabled. */
export const DISABLED = 'The webhook was disabled.'

/** Runs in a transaction that has locked the webhook. A job gives up what is too much for one statement: nothing is sent meanwhile. */
export async function giveUpAll(execute: Execute, webhookId: string, reason: string, now: Date): Promise<void> {
  if ((await giveUpSome(execute, webhookId, { reason, now, max: ROWS_WHILE_LOCKED })) === ROWS_WHILE_LOCKED)
    await addJob(execute, CLEAR_WEBHOOK, { webhookId }, null, `${CLEAR_WEBHOOK} ${webhookId}`)
}

const giveUpSome = async (
  execute: Execute,
  webhookId: string,
  { reason, now, max }: { reason: string; now: Date; max: number },
): Promise<number> => (await execute(GIVE_UP, [webhookId, reason, now, max])).length

// What was delivered before stays delivered when its replay is given up.
const GIVE_UP = `
with gone as (
  delete from webhook_deliveries where seq = any(array(select seq from webhook_deliveries where webhook_id = $1::uuid order by seq limit $4 for update))
  returning message_id, is_single
), failed as (
  insert into webhook_failures (webhook_id, message_id, reason, failed_at) select $1::uuid, message_id, $2::text, $3::timestamptz from gone g
  where not (is_single and exists (select from webhook_attempts a where a.webhook_id = $1 and a.message_id = g.message_id and a.outcome = 'success'))
  on conflict do nothing
)
select 1 from gone`

const REPLAY = `
insert into webhook_deliveries (webhook_id, message_id, team_id, subject_id, due_at, is_single)
select m.webhook_id, m.id, m.team_id, m.subject_id, $3, true from webhook_messages m join webhooks w on w.id = m.webhook_id and w.status = 'enabled'
where m.webhook_id = $1 and m.id = $2
on conflict (webhook_id, message_id) do update set due_at = least(webhook_deliveries.due_at, $3)
returning seq`

const REPLAY_SINCE = `
with failed as (
  delete from webhook_failures f where f.ctid = any(array(
    select f.ctid from webhook_failures f join webhooks w on w.id = f.webhook_id and w.status = 'enabled'
    where f.webhook_id = $1 and f.failed_at >= $2 order by f.message_id limit $3 for update of f skip locked
  )) returning f.message_id
), known as (
  select m.*, row_number() over (order by m.committed_by, m.id) as place from webhook_messages m where m.webhook_id = $1 and m.id = any(array(select message_id from failed))
), earlier as materialized (
  select max(due_at) as last from webhook_deliveries where webhook_id = $1 and due_at > $4::timestamptz and failures = 0 and not is_single
)
insert into webhook_deliveries (webhook_id, message_id, team_id, subject_id, due_at, is_ordered)
select k.webhook_id, k.id, k.team_id, k.subject_id,
  coalesce(e.last + $5::int * interval '1 millisecond', $4::timestamptz) + (place - 1) * $5::int * interval '1 millisecond', w.is_ordered
from known k join webhooks w on w.id = k.webhook_id cross join earlier e order by k.place
on conflict do nothing returning seq`

const ADD_TEST = `
with webhook as (
  select id, team_id, endpoint from webhooks where id = $1 and team_id = $3 and status = 'enabled'
), message as (
  insert into webhook_messages (webhook_id, id, team_id, type, subject_id, is_test, created_at)
  select id, $2, team_id, $4, $2, true, $5 from webhook
), delivery as (
  insert into webhook_deliveries (webhook_id, message_id, team_id, subject_id, due_at, is_single)
  select id, $2, team_id, $2, $5, true from webhook where endpoint is not null
)
select 1 from webhook`

const REMOVE_FAILURES = `
delete from webhook_failures where ctid = any(array(
  select ctid from webhook_failures where failed_at < $1 order by failed_at limit ${ROWS_AT_ONCE}
)) returning 1`

const REMOVE = `
with waiting as (
  delete from webhook_deliveries where seq = any(array(
    select seq from webhook_deliveries where webhook_id = $1 order by seq limit ${ROWS_AT_ONCE} for update skip locked
  )) returning 1
), failed as (
  delete from webhook_failures where ctid = any(array(select ctid from webhook_failures where webhook_id = $1 limit ${ROWS_AT_ONCE})) returning 1
)
select 1 from waiting union all select 1 from failed`
