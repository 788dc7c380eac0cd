// What broadcasts know of emails that are removed for their age, in the transaction that removes them; in SQL, because it is changed as a set.

import { HIGHEST_ID } from '../../lib/ids.ts'
import type { ForgetEmails } from '../emails/retention.repository.ts'

export const forgetEmails: ForgetEmails = async (inside, emails) => {
  const ids = emails.map(({ id }) => id)
  await inside(`delete from broadcast_acts where email_id = any($1::uuid[]) and type <> 'begun'`, [ids])
  await inside(REMOVE_CLICKS, [ids])
  const ofBroadcasts = emails.flatMap(({ id, broadcastId }) => (broadcastId === null ? [] : [{ id, broadcastId }]))
  const broadcastIds = ofBroadcasts.map(({ broadcastId }) => broadcastId)
  await inside('delete from broadcast_links where unique_clicks <= 0 and broadcast_id = any($1::uuid[])', [[...new Set(broadcastIds)]])
  await inside(REMOVE_MARKS, [broadcastIds, ofBroadcasts.map(({ id }) => id)])
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
