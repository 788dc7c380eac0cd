-- Where a team wants to be told what happened.
create table webhooks (
  id uuid primary key,
  team_id uuid not null,
  endpoint text,
  events text[] not null,
  status text not null,
  concurrency integer not null,
  is_ordered boolean not null,
  secret bytea not null,
  secret_version integer not null,
  old_secret bytea,
  old_secret_version integer,
  old_secret_until timestamptz(3),
  last_success_at timestamptz(3),
  last_failure_at timestamptz(3),
  failing_since timestamptz(3),
  disabled_reason text,
  created_at timestamptz(3) not null
);
create index webhooks_team_id_id_idx on webhooks (team_id, id desc);
-- Everything that happens asks for these.
create index webhooks_enabled_idx on webhooks (team_id) where status = 'enabled';

-- One thing that happened, for one webhook. The id is that of the notification, or its own if it is a sample. `committed_by` is the transaction
-- that made it: a reader that waits for all older transactions misses none, in whatever order they are committed.
create table webhook_messages (
  webhook_id uuid not null,
  id uuid not null,
  team_id uuid not null,
  type text not null,
  subject_id uuid not null,
  is_test boolean not null default false,
  committed_by xid8 not null default pg_current_xact_id(),
  created_at timestamptz(3) not null,
  primary key (webhook_id, id)
) partition by range (id);
create index webhook_messages_feed_idx on webhook_messages (webhook_id, committed_by, id);

-- A message that is still to be delivered. `seq` is the order in which transactions wrote about one subject: the row of the subject was locked.
create table webhook_deliveries (
  seq bigint generated always as identity primary key,
  webhook_id uuid not null,
  message_id uuid not null,
  team_id uuid not null,
  subject_id uuid not null,
  due_at timestamptz(3) not null,
  is_ordered boolean not null default false,
  is_single boolean not null default false,
  failures integer not null default 0,
  claims integer not null default 0,
  leased_by uuid,
  attempt_id uuid
);
-- A message waits once, however often it is replayed.
create unique index webhook_deliveries_message_key on webhook_deliveries (webhook_id, message_id);
create index webhook_deliveries_due_idx on webhook_deliveries (webhook_id, due_at, seq) where leased_by is null;
create index webhook_deliveries_leased_idx on webhook_deliveries (webhook_id, leased_by) where leased_by is not null;
create index webhook_deliveries_subject_idx on webhook_deliveries (webhook_id, subject_id, seq) where is_ordered;

-- One request to an endpoint.
create table webhook_attempts (
  webhook_id uuid not null,
  message_id uuid not null,
  id uuid not null,
  team_id uuid not null,
  started_at timestamptz(3) not null,
  outcome text,
  http_status integer,
  response text,
  error text,
  duration_ms integer,
  primary key (webhook_id, message_id, id)
) partition by range (id);

-- Messages that were given up. One that neither waits nor was given up was delivered.
create table webhook_failures (
  webhook_id uuid not null,
  message_id uuid not null,
  reason text not null,
  failed_at timestamptz(3) not null,
  primary key (webhook_id, message_id)
);

-- In the transaction of the cause, whoever writes the notification. A team that has no webhook costs one look at an index that is empty.
create function queue_webhook_messages() returns trigger language plpgsql as $$
begin
  if not exists (select from webhooks w where w.status = 'enabled' and w.team_id in (select n.team_id from written n)) then
    return null;
  end if;
  with subscribed as (
    select w.id as webhook_id, w.endpoint is not null as is_sent, w.is_ordered, n.id, n.team_id, n.type, n.subject_id, n.created_at
    from written n join webhooks w on w.team_id = n.team_id and w.status = 'enabled' and n.type = any(w.events)
  ), messages as (
    insert into webhook_messages (webhook_id, id, team_id, type, subject_id, created_at)
    select webhook_id, id, team_id, type, subject_id, created_at from subscribed
  )
  insert into webhook_deliveries (webhook_id, message_id, team_id, subject_id, due_at, is_ordered)
  select webhook_id, id, team_id, subject_id, created_at, is_ordered from subscribed where is_sent order by id;
  return null;
end $$;

create trigger queue_webhook_messages after insert on notifications
  referencing new table as written for each statement execute function queue_webhook_messages();
