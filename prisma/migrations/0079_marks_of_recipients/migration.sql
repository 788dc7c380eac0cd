-- serves: earlier
-- Where in a broadcast those are who were sent to, delivered to, or canceled: lists of recipients go from mark to mark, however few they are among a
-- million others. One row stands for up to 64 emails in a row: the first of them of which it is true, as far as is known.
create table broadcast_marks (
  broadcast_id uuid not null,
  type text not null,
  email_id uuid not null,
  primary key (broadcast_id, type, email_id)
);

-- Which stretch of 64 emails this one is in, by its place (see `uuidv7_at`).
create function broadcast_stretch(email_id uuid) returns integer language sql immutable parallel safe
  return ('x00' || substr(email_id::text, 16, 3) || substr(email_id::text, 21, 3))::bit(32)::integer >> 6;

insert into broadcast_marks (broadcast_id, type, email_id)
select distinct on (e.broadcast_id, m.type, broadcast_stretch(e.id)) e.broadcast_id, m.type, e.id
from emails e, unnest(case
  when e.state = 'canceled' then array['canceled']
  when e.last_event in ('sent', 'delivery_delayed', 'bounced') then array['sent']
  when e.last_event in ('delivered', 'opened', 'clicked', 'complained') then array['sent', 'delivered']
end) as m(type)
where e.broadcast_id is not null order by e.broadcast_id, m.type, broadcast_stretch(e.id), e.id;

create or replace function record_broadcast_acts() returns trigger language plpgsql set enable_seqscan = off as $$
declare kinds constant text[] := array['email.opened', 'email.clicked', 'email.bounced', 'email.complained', 'email.suppressed', 'email.failed', 'email.unsubscribed'];
begin
  -- Without a variable, because PostgreSQL would plan these statements anew each time for its value.
  if exists (select from written n where n.type in ('email.sent', 'email.delivered', 'email.canceled')) then
    insert into broadcast_marks (broadcast_id, type, email_id)
    select broadcast_id, type, email_id from (
      select distinct on (e.broadcast_id, n.type, e.stretch) e.broadcast_id, substr(n.type, 7) as type, e.id as email_id
      from written n cross join lateral (
        -- One look for each email: PostgreSQL does not know how few were written, and would rather read the whole index.
        select id, broadcast_id, broadcast_stretch(id) as stretch from emails where id = n.subject_id and broadcast_id is not null offset 0
      ) e
      where n.type in ('email.sent', 'email.delivered', 'email.canceled') order by e.broadcast_id, n.type, e.stretch, e.id
    ) first
    where broadcast_stretch(first.email_id) is distinct from (
      select broadcast_stretch(m.email_id) from broadcast_marks m
      where m.broadcast_id = first.broadcast_id and m.type = first.type and m.email_id <= first.email_id order by m.email_id desc limit 1
    )
    on conflict do nothing;
  end if;
  if exists (select from written n where n.type = 'email.sent') then
    -- The last email of each broadcast that has begun: lists need not look for those that were reached beyond it.
    insert into broadcast_acts (broadcast_id, type, email_id, count)
    select broadcast_id, 'begun', email_id, 0 from (
      select distinct on (e.broadcast_id) e.broadcast_id, e.id as email_id from written n join emails e on e.id = n.subject_id
      where n.type = 'email.sent' and e.broadcast_id is not null order by e.broadcast_id, e.id desc
    ) last
    where not exists (select from broadcast_acts b where b.broadcast_id = last.broadcast_id and b.type = 'begun' and b.email_id >= last.email_id)
    on conflict do nothing;
  end if;
  if not exists (select from written n where n.type = any(kinds)) then
    return null;
  end if;
  with acts as materialized (
    select e.broadcast_id, substr(n.type, 7) as type, e.id as email_id, n.data
    from written n join emails e on e.id = n.subject_id
    where n.type = any(kinds) and e.broadcast_id is not null and n.data #>> '{detail,is_machine}' is distinct from 'true'
  ), followed as materialized (
    select broadcast_id, md5(url)::uuid as url_hash, email_id, url, count(*) as count from (
      select broadcast_id, email_id, coalesce(data ->> 'writtenLink', data #>> '{detail,click,link}') as url from acts where type = 'clicked'
    ) a where url is not null group by 1, 2, 3, 4
  ), clicked as (
    insert into broadcast_clicks as c (broadcast_id, url_hash, email_id, url, count)
    select broadcast_id, url_hash, email_id, url, count from followed order by 1, 2, 3
    on conflict (broadcast_id, url_hash, email_id) do update set count = c.count + excluded.count
    -- A row that was there before is locked by this transaction, which xmax says.
    returning c.broadcast_id, c.url_hash, c.email_id, c.xmax = 0 as is_first
  ), linked as (
    insert into broadcast_links as l (broadcast_id, url_hash, url, clicks, unique_clicks)
    select broadcast_id, url_hash, min(f.url), sum(f.count), count(*) filter (where c.is_first)
    from followed f join clicked c using (broadcast_id, url_hash, email_id) group by 1, 2 order by 1, 2
    on conflict (broadcast_id, url_hash) do update set clicks = l.clicks + excluded.clicks, unique_clicks = l.unique_clicks + excluded.unique_clicks
  ), earlier as (
    -- What the state of the email says no longer.
    select a.broadcast_id, substr(n.type, 7) as type, a.email_id from acts a join notifications n on n.subject_id = a.email_id
    where (a.type = 'bounced' and n.type = 'email.delivered') or (a.type in ('failed', 'suppressed') and n.type = 'email.sent')
  )
  insert into broadcast_acts as b (broadcast_id, type, email_id, count, bounce_type)
  select broadcast_id, type, email_id, count(*), min(lower(data #>> '{detail,bounce,type}')) from (
    select broadcast_id, type, email_id, data from acts union all select distinct broadcast_id, type, email_id, null::jsonb from earlier
  ) a group by 1, 2, 3 order by 1, 2, 3
  on conflict (broadcast_id, type, email_id) do update set count = b.count + excluded.count, bounce_type = coalesce(excluded.bounce_type, b.bounce_type);
  return null;
end $$;
