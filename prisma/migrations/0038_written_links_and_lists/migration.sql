-- Canceled emails are counted like all others.
alter table email_counts add column canceled integer not null default 0;

create or replace function email_count_metrics(type text, data jsonb) returns text[]
  language sql immutable parallel safe
  return case type
    when 'email.sent' then array['sent']
    when 'email.delivered' then array['delivered']
    when 'email.delivery_delayed' then array['delivery_delayed']
    when 'email.failed' then array['failed']
    when 'email.suppressed' then array['suppressed']
    when 'email.complained' then array['complained']
    when 'email.bounced' then array[case data #>> '{detail,bounce,type}'
      when 'Permanent' then 'bounced_permanent'
      when 'Transient' then 'bounced_transient'
      else 'bounced_undetermined'
    end]
    when 'email.opened' then case
      when data #>> '{detail,is_machine}' = 'true' then array['opened', 'opened_by_machine']
      when data ->> 'firstOf' = 'email' then array['opened', 'unique_opened']
      else array['opened']
    end
    when 'email.clicked' then case
      when data #>> '{detail,is_machine}' = 'true' then array['clicked', 'clicked_by_machine']
      when data ->> 'firstOf' = 'email' then array['clicked', 'unique_clicked']
      else array['clicked']
    end
    when 'email.unsubscribed' then array['unsubscribed']
    when 'email.canceled' then array['canceled']
    else array[]::text[]
  end;

-- Lists of recipients say what happened, as counts do: an email that was delivered and came back later is among both.
create or replace function record_broadcast_acts() returns trigger language plpgsql set enable_seqscan = off as $$
declare kinds constant text[] := array['email.opened', 'email.clicked', 'email.bounced', 'email.complained', 'email.suppressed', 'email.failed', 'email.unsubscribed'];
begin
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
  ), clicked as (
    insert into broadcast_clicks as c (broadcast_id, url_hash, email_id, url, count)
    select broadcast_id, md5(url)::uuid, email_id, url, count(*) from (
      select broadcast_id, email_id, coalesce(data ->> 'writtenLink', data #>> '{detail,click,link}') as url from acts where type = 'clicked'
    ) a where url is not null group by 1, 2, 3, 4 order by 1, 2, 3
    on conflict (broadcast_id, url_hash, email_id) do update set count = c.count + excluded.count
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

-- Broadcasts that were begun before.
insert into broadcast_acts (broadcast_id, type, email_id, count)
select b.id, 'begun', e.id, 0 from broadcasts b cross join lateral (select id from emails where broadcast_id = b.id order by id desc limit 1) e
where b.status in ('queued', 'paused', 'canceled');
insert into broadcast_acts (broadcast_id, type, email_id, count)
select broadcast_id, 'failed', id, 1 from emails where broadcast_id is not null and last_event = 'failed'
on conflict do nothing;
