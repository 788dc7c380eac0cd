-- A link that is different for each recipient counts as the one that was written.
create or replace function record_broadcast_acts() returns trigger language plpgsql set enable_seqscan = off as $$
begin
  if not exists (select from written n where n.type in ('email.opened', 'email.clicked', 'email.bounced', 'email.complained', 'email.suppressed', 'email.unsubscribed')) then
    return null;
  end if;
  with acts as materialized (
    select e.broadcast_id, substr(n.type, 7) as type, e.id as email_id, n.data
    from written n join emails e on e.id = n.subject_id
    where n.type in ('email.opened', 'email.clicked', 'email.bounced', 'email.complained', 'email.suppressed', 'email.unsubscribed')
      and e.broadcast_id is not null and n.data #>> '{detail,is_machine}' is distinct from 'true'
  ), clicked as (
    insert into broadcast_clicks as c (broadcast_id, url_hash, email_id, url, count)
    select broadcast_id, md5(url)::uuid, email_id, url, count(*) from (
      select broadcast_id, email_id, coalesce(data ->> 'writtenLink', data #>> '{detail,click,link}') as url from acts where type = 'clicked'
    ) a where url is not null group by 1, 2, 3, 4 order by 1, 2, 3
    on conflict (broadcast_id, url_hash, email_id) do update set count = c.count + excluded.count
  )
  insert into broadcast_acts as b (broadcast_id, type, email_id, count, bounce_type)
  select broadcast_id, type, email_id, count(*), min(lower(data #>> '{detail,bounce,type}')) from acts group by 1, 2, 3 order by 1, 2, 3
  on conflict (broadcast_id, type, email_id) do update set count = b.count + excluded.count, bounce_type = coalesce(excluded.bounce_type, b.bounce_type);
  return null;
end $$;
