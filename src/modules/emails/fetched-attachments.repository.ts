// Completes an email whose attachments were given by URL: stores its files, then its deliveries; in SQL, because each is one statement
// for many rows. For workers.

import type { Database } from '../../db/database.ts'
import { addJob, FETCH_ATTACHMENTS, fetchQueueOf } from '../../db/jobs/jobs.ts'
import { append } from '../../db/outbox.ts'
import type { NewNotification } from '../../lib/notifications.ts'
import type { NewDelivery } from './new-delivery.ts'

export type EmailToFetch = {
  id: string
  scheduledAt: Date | null
  contentBytes: number
  recipients: { id: string; address: string }[]
  attachments: { id: string; path: string | null; filename: string | null; contentType: string; size: number; blobKey: string | null }[]
}

export type FetchedFile = { attachmentId: string; blobKey: string; size: number; filename: string | null; contentType: string }

/** Checked at a time; the others are checked the next time. */
const STUCK_MAX = 100

export function fetchedAttachmentRepository({ tables, execute, transaction }: Pick<Database, 'tables' | 'execute' | 'transaction'>) {
  return {
    /** Null if there is nothing left to fetch: done, canceled or removed. */
    async find(teamId: string, emailId: string): Promise<EmailToFetch | null> {
      const email = await tables.email.findFirst({
        where: { teamId, id: emailId, isFetching: true, state: { not: 'canceled' } },
        select: { id: true, scheduledAt: true, contentBytes: true },
      })
      if (!email) return null
      const recipients = await tables.recipient.findMany({
        where: { teamId, emailId },
        select: { id: true, address: true },
        orderBy: { id: 'asc' },
      })
      const attachments = await tables.attachment.findMany({
        where: { teamId, emailId },
        select: { id: true, path: true, filename: true, contentType: true, size: true, blobKey: true },
        orderBy: { position: 'asc' },
      })
      return { ...email, recipients, attachments }
    },

    /** The trace in which the email was accepted; null if none is known. */
    async traceparentOf(teamId: string, emailId: string): Promise<string | null> {
      const email = await tables.email.findFirst({ where: { teamId, id: emailId }, select: { traceparent: true } })
      return email?.traceparent ?? null
    },

    /** Another job, which has all its tries. */
    enqueue: (teamId: string, emailId: string, afterSeconds: number): Promise<void> =>
      addJob(execute, FETCH_ATTACHMENTS, { teamId, emailId }, fetchQueueOf(teamId, emailId), null, afterSeconds),

    /** Emails that have been fetching since before `since` and whose job is lost. A job that waits its turn, or runs its last try, is not lost. */
    async listStuckAcrossTeams(since: Date): Promise<{ teamId: string; emailId: string; to: string[] }[]> {
      return execute<{ teamId: string; emailId: string; to: string[] }>(
        `select e.team_id as "teamId", e.id as "emailId", array(select address from recipients r where r.email_id = e.id order by r.id) as "to"
           from emails e where e.is_fetching and e.created_at < $1 and e.state <> 'canceled'
            and not exists (select from graphile_worker._private_jobs j
                             where j.payload->>'emailId' = e.id::text and (j.attempts < j.max_attempts or j.locked_at is not null))
          order by e.id limit ${STUCK_MAX}`,
        [since],
      )
    },

    /** Files and deliveries in one transaction. False if the email was canceled or completed meanwhile: no row then names the blobs. */
    async complete(
      teamId: string,
      emailId: string,
      files: FetchedFile[],
      deliveriesFor: (scheduledAt: Date | null) => NewDelivery[],
    ): Promise<boolean> {
      return transaction(async (inside) => {
        const [email] = await inside<{ scheduledAt: Date | null }>(
          `update emails set is_fetching = false where team_id = $1 and id = $2 and is_fetching and state <> 'canceled' returning scheduled_at as "scheduledAt"`,
          [teamId, emailId],
        )
        if (!email) return false
        await inside(
          `update attachments t set blob_key = f."blobKey", size = f.size, filename = f.filename, content_type = f."contentType"
             from jsonb_to_recordset($2::jsonb) as f("attachmentId" uuid, "blobKey" uuid, size int, filename text, "contentType" text) where t.id = f."attachmentId" and t.team_id = $1`,
          [teamId, JSON.stringify(files)],
        )
        await inside(
          `insert into deliveries (id, team_id, class, destination, email_id, due_at, is_ready)
           select d.id, $1, d.class, d.destination, d."emailId", d."dueAt", d."isReady"
             from jsonb_to_recordset($2::jsonb) as d(id uuid, class text, destination text, "emailId" uuid, "dueAt" timestamptz, "isReady" boolean)`,
          [teamId, JSON.stringify(deliveriesFor(email.scheduledAt))],
        )
        return true
      })
    },

    /** Gives up the email: all of its recipients failed. */
    async fail(teamId: string, emailId: string, notification: NewNotification, now: Date): Promise<boolean> {
      return transaction(async (inside) => {
        const rows = await inside(
          `update emails set is_fetching = false, state = 'queued', last_event = 'failed', final_at = $3 where team_id = $1 and id = $2 and is_fetching and state <> 'canceled' returning id`,
          [teamId, emailId, now],
        )
        if (rows.length === 0) return false
        await inside(`update recipients set state = 'failed' where team_id = $1 and email_id = $2`, [teamId, emailId])
        await append(inside, [notification], now)
        return true
      })
    },
  }
}
