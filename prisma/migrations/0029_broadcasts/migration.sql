-- Emails to everyone in a segment. The content stands here once, for all of them.
create table broadcasts (
  id uuid primary key,
  team_id uuid not null,
  api_key_id uuid,
  status text not null check (status in ('draft', 'scheduled', 'queued', 'paused', 'sent', 'canceled')),
  status_reason text,
  name text not null,
  segment_id uuid not null,
  topic_id uuid,
  "from" text not null,
  reply_to text[] not null default '{}',
  subject text not null,
  preview_text text,
  html text,
  text text,
  content_bytes integer not null default 0,
  rate_per_hour integer,
  created_at timestamptz(3) not null,
  scheduled_at timestamptz(3),
  started_at timestamptz(3),
  sent_at timestamptz(3),
  due_at timestamptz(3),
  reached_contact_id uuid,
  reached_at timestamptz(3),
  paced_at timestamptz(3),
  recipient_count integer not null default 0,
  is_fanned_out boolean not null default false,
  begun_through uuid,
  walk text check (walk in ('hold', 'release', 'cancel')),
  walked_through uuid
);
create index broadcasts_team_id_id_idx on broadcasts (team_id, id desc);
-- Those that a worker has something to do for.
create index broadcasts_due_idx on broadcasts (due_at) where due_at is not null;

-- An email of a broadcast has what is its own: the contact, and the contact's values for the placeholders of the content.
alter table emails add column contact_id uuid;
alter table emails add column merge_values jsonb;
alter table emails add column unsubscribed_at timestamptz(3);
create index emails_broadcast_idx on emails (broadcast_id, id) where broadcast_id is not null;

-- A UUIDv7 (RFC 9562, section 5.7). Ids of the same instant sort by `place`, up to 16 million.
create function uuidv7_at(at timestamptz, place bigint) returns uuid language sql volatile parallel safe as $$
  select (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '7' || lpad(to_hex((place >> 12) & 4095), 3, '0')
    || '8' || lpad(to_hex(place & 4095), 3, '0') || right(gen_random_uuid()::text, 12))::uuid
$$;

-- What the recipients of broadcasts did, and what became of their mail, where few did: how often, and of a bounce its type.
create table broadcast_acts (
  broadcast_id uuid not null,
  type text not null,
  email_id uuid not null,
  count integer not null,
  bounce_type text,
  primary key (broadcast_id, type, email_id)
);
create index broadcast_acts_email_id_idx on broadcast_acts (email_id);

-- How often each recipient followed each link. The key is the hash of the URL.
create table broadcast_clicks (
  broadcast_id uuid not null,
  url_hash uuid not null,
  email_id uuid not null,
  url text not null,
  count integer not null,
  primary key (broadcast_id, url_hash, email_id)
);
create index broadcast_clicks_email_id_idx on broadcast_clicks (email_id);

-- Written in the transaction of the notification, whoever writes it. What programs do is left out.
create function record_broadcast_acts() returns trigger language plpgsql set enable_seqscan = off as $$
begin
  if not exists (select from written n where n.type in ('email.opened', 'email.clicked', 'email.bounced', 'email.complained', 'email.suppressed')) then
    return null;
  end if;
  with acts as materialized (
    select e.broadcast_id, substr(n.type, 7) as type, e.id as email_id, n.data
    from written n join emails e on e.id = n.subject_id
    where n.type in ('email.opened', 'email.clicked', 'email.bounced', 'email.complained', 'email.suppressed')
      and e.broadcast_id is not null and n.data #>> '{detail,is_machine}' is distinct from 'true'
  ), clicked as (
    insert into broadcast_clicks as c (broadcast_id, url_hash, email_id, url, count)
    select broadcast_id, md5(url)::uuid, email_id, url, count(*) from (
      select broadcast_id, email_id, data #>> '{detail,click,link}' as url from acts where type = 'clicked'
    ) a where url is not null group by 1, 2, 3, 4 order by 1, 2, 3
    on conflict (broadcast_id, url_hash, email_id) do update set count = c.count + excluded.count
  )
  insert into broadcast_acts as b (broadcast_id, type, email_id, count, bounce_type)
  select broadcast_id, type, email_id, count(*), min(lower(data #>> '{detail,bounce,type}')) from acts group by 1, 2, 3 order by 1, 2, 3
  on conflict (broadcast_id, type, email_id) do update set count = b.count + excluded.count, bounce_type = coalesce(excluded.bounce_type, b.bounce_type);
  return null;
end $$;

create trigger record_broadcast_acts after insert on notifications
  referencing new table as written for each statement execute function record_broadcast_acts();
