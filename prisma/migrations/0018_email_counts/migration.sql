-- Emails of a broadcast count for it.
alter table emails add column broadcast_id uuid;

-- What happened to the emails of a team within 15 minutes, by the sender's domain and the broadcast. The nil UUID stands for none.
create table email_counts (
  team_id uuid not null,
  bucket timestamptz(3) not null,
  domain text not null,
  broadcast_id uuid not null,
  received integer not null default 0,
  sent integer not null default 0,
  delivered integer not null default 0,
  delivery_delayed integer not null default 0,
  failed integer not null default 0,
  suppressed integer not null default 0,
  bounced_transient integer not null default 0,
  bounced_permanent integer not null default 0,
  bounced_undetermined integer not null default 0,
  complained integer not null default 0,
  opened integer not null default 0,
  clicked integer not null default 0,
  opened_by_machine integer not null default 0,
  clicked_by_machine integer not null default 0,
  unique_opened integer not null default 0,
  unique_clicked integer not null default 0,
  unsubscribed integer not null default 0,
  primary key (team_id, bucket, domain, broadcast_id)
);
-- Old rows are removed by their time. They were written in about that order.
create index email_counts_bucket_idx on email_counts using brin (bucket);
create index email_counts_broadcast_idx on email_counts (team_id, broadcast_id, bucket) where broadcast_id <> '00000000-0000-0000-0000-000000000000';

-- What was counted and is not added up yet. Rows are added in the transactions of what they count, and removed when they are added up.
create table email_count_changes (
  id bigserial primary key,
  team_id uuid not null,
  bucket timestamptz(3) not null,
  domain text not null,
  broadcast_id uuid not null,
  metric text not null,
  count integer not null
);
-- All rows come and go within a second or two, so a fifth of the table says nothing about how much there is to clean.
alter table email_count_changes set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 20000);

create function email_count_bucket(at timestamptz) returns timestamptz
  language sql immutable parallel safe
  return date_bin('15 minutes', at, '2000-01-01 00:00:00+00');

-- A Message-ID ends in the domain of the sender.
create function email_count_domain(message_id text) returns text
  language sql immutable parallel safe
  return rtrim(split_part(coalesce(message_id, ''), '@', 2), '>');

-- What a notification counts for.
create function email_count_metrics(type text, data jsonb) returns text[]
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
    else array[]::text[]
  end;

-- Everything that writes notifications counts them, in one row for each thing that a statement counts, whoever writes the statement. A table of
-- emails that was empty when the plan was made can have a million rows a minute later: hence no scans of whole tables.
create function count_notifications() returns trigger language plpgsql set enable_seqscan = off as $$
begin
  insert into email_count_changes (team_id, bucket, domain, broadcast_id, metric, count)
  select n.team_id, email_count_bucket(n.created_at), email_count_domain(e.message_id),
    coalesce(e.broadcast_id, '00000000-0000-0000-0000-000000000000'), metric, count(*)
  from written n left join emails e on e.id = n.subject_id, unnest(email_count_metrics(n.type, n.data)) as metric
  where n.type like 'email.%'
  group by 1, 2, 3, 4, 5;
  return null;
end $$;

create trigger count_notifications after insert on notifications
  referencing new table as written for each statement execute function count_notifications();

-- What happened before.
insert into email_count_changes (team_id, bucket, domain, broadcast_id, metric, count)
select n.team_id, email_count_bucket(n.created_at), email_count_domain(e.message_id), '00000000-0000-0000-0000-000000000000'::uuid, metric, count(*)
from notifications n left join emails e on e.id = n.subject_id, unnest(email_count_metrics(n.type, n.data)) as metric
where n.type like 'email.%'
group by 1, 2, 3, 4, 5
union all
select team_id, email_count_bucket(created_at), email_count_domain(message_id), '00000000-0000-0000-0000-000000000000'::uuid, 'received', count(*)
from emails group by 1, 2, 3;
