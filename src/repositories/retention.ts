// Removes finished emails with everything that belongs to them, in small batches; in SQL, because a batch is locked first. Crosses teams:
// for workers.
import { HIGHEST_ID, idBound } from '../lib/ids.ts'
import type { Database } from './database.ts'
import { OPEN_DELIVERIES } from './open-deliveries.ts'

/** Emails that one statement removes: few enough not to block other transactions. */
const BATCH_MAX = 200

export type RemovedEmails = { emails: number; blobKeys: string[] }

export function retentionRepository({ execute, transaction }: Pick<Database, 'execute' | 'transaction'>) {
  return {
    /** Removes emails whose last recipient became final before `before`. Never one that still has a delivery or is being fetched. */
    async removeEmailsAcrossTeams(before: Date): Promise<RemovedEmails> {
      return transaction(async (inside) => {
        const emails = await inside<{ id: string; broadcastId: string | null }>(
          `select e.id, e.broadcast_id as "broadcastId" from emails e where e.id < $1 and e.final_at < $2 and not e.is_fetching
              and not exists (${OPEN_DELIVERIES}) order by e.id limit ${BATCH_MAX} for update skip locked`,
          [idBound(before.getTime()), before],
        )
        const ids = emails.map(({ id }) => id)
        if (ids.length === 0) return { emails: 0, blobKeys: [] }
        const attachments = await inside<{ blobKey: string | null }>(
          'delete from attachments where email_id = any($1::uuid[]) returning blob_key as "blobKey"',
          [ids],
        )
        const messages = await inside<{ blobKey: string | null }>(
          'delete from submitted_messages where email_id = any($1::uuid[]) returning blob_key as "blobKey"',
          [ids],
        )
        await inside(`delete from broadcast_acts where email_id = any($1::uuid[]) and type <> 'begun'`, [ids])
        await inside(REMOVE_CLICKS, [ids])
        await inside('delete from broadcast_links where unique_clicks <= 0 and broadcast_id = any($1::uuid[])', [
          [...new Set(emails.flatMap(({ broadcastId }) => broadcastId ?? []))],
        ])
        await inside('delete from recipients where email_id = any($1::uuid[])', [ids])
        await inside('delete from emails where id = any($1::uuid[])', [ids])
        const ofBroadcasts = emails.flatMap(({ id, broadcastId }) => (broadcastId === null ? [] : [{ id, broadcastId }]))
        await inside(REMOVE_MARKS, [ofBroadcasts.map(({ broadcastId }) => broadcastId), ofBroadcasts.map(({ id }) => id)])
        return { emails: ids.length, blobKeys: [...attachments, ...messages].flatMap(({ blobKey }) => blobKey ?? []) }
      })
    },

    /** Returns the blobs that no row names. */
    async unnamedBlobs(keys: string[]): Promise<string[]> {
      const rows = await execute<{ key: string }>(
        `select k.key::text as key from unnest($1::uuid[]) as k(key)
          where not exists (select from attachments a where a.blob_key = k.key)
            and not exists (select from submitted_messages s where s.blob_key = k.key)
            and not exists (select from contact_imports i where i.blob_key = k.key)
            and not exists (select from inbound_messages m where m.blob_key = k.key)
            and not exists (select from received_emails e where e.blob_key = k.key)
            and not exists (select from received_attachments f where f.blob_key = k.key)`,
        [keys],
      )
      return rows.map(({ key }) => key)
    },
  }
}

// In the order in which clicks are added, so that no two transactions wait for each other.
const REMOVE_CLICKS = `
with removed as (
  delete from broadcast_clicks where email_id = any($1::uuid[]) returning broadcast_id, url_hash, url, count
)
insert into broadcast_links as l (broadcast_id, url_hash, url, clicks, unique_clicks)
select broadcast_id, url_hash, min(url), -sum(count), -count(*) from removed group by 1, 2 order by 1, 2
on conflict (broadcast_id, url_hash) do update set clicks = l.clicks + excluded.clicks, unique_clicks = l.unique_clicks + excluded.unique_clicks`

// A mark stays as long as there are emails before the next mark, because lists may find these by it.
const REMOVE_MARKS = `
delete from broadcast_marks m using (
  select distinct k.broadcast_id, k.type, k.email_id
  from unnest($1::uuid[], $2::uuid[]) as r(broadcast_id, email_id), unnest(array['sent', 'delivered', 'canceled']) as t(type) cross join lateral (
    select * from broadcast_marks k where k.broadcast_id = r.broadcast_id and k.type = t.type and k.email_id <= r.email_id order by k.email_id desc limit 1
  ) k
) k
where (m.broadcast_id, m.type, m.email_id) = (k.broadcast_id, k.type, k.email_id) and not exists (
  select from emails e where e.broadcast_id = m.broadcast_id and e.id >= m.email_id and e.id < coalesce((
    select n.email_id from broadcast_marks n where n.broadcast_id = m.broadcast_id and n.type = m.type and n.email_id > m.email_id order by n.email_id limit 1
  ), '${HIGHEST_ID}')
)`
