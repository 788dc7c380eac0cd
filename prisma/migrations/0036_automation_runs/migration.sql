-- What happened to a contact, until the automations of its team were told. It is written in the transaction that stores what happened.
create table automation_occurrences (
  seq bigint generated always as identity primary key,
  id uuid not null,
  team_id uuid not null,
  name text not null,
  contact_id uuid,
  email text,
  run_id uuid,
  payload jsonb not null,
  told_through uuid,
  committed_by xid8 not null default pg_current_xact_id(),
  created_at timestamptz(3) not null
);
-- A wait that ends looks whether its event has come already; a contact that is deleted takes these with it.
create index automation_occurrences_contact_idx on automation_occurrences (contact_id, name) where contact_id is not null;
create index automation_occurrences_email_idx on automation_occurrences (team_id, email) where email is not null;
-- All rows come and go within a second or two, so a fifth of the table says nothing about how much there is to clean.
alter table automation_occurrences set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 20000);

-- A contact on its way through a graph.
create table automation_runs (
  id uuid primary key,
  team_id uuid not null,
  automation_id uuid not null,
  version_id uuid not null,
  stop_seen timestamptz(3),
  contact_id uuid not null,
  email text,
  event_id uuid not null,
  event_name text not null,
  payload jsonb not null,
  status text not null,
  reason text,
  state jsonb not null,
  wake_at timestamptz(3),
  claims integer not null default 0,
  leased_by uuid,
  started_at timestamptz(3) not null,
  completed_at timestamptz(3),
  created_at timestamptz(3) not null
) with (fillfactor = 70);
-- What happened starts an automation once.
create unique index automation_runs_automation_id_event_id_key on automation_runs (automation_id, event_id);
create index automation_runs_automation_id_id_idx on automation_runs (automation_id, id desc);
-- How often a contact has run through an automation, and all that is known of it.
create index automation_runs_contact_id_automation_id_id_idx on automation_runs (contact_id, automation_id, id);
-- A run that is not due costs nothing.
create index automation_runs_due_idx on automation_runs (wake_at) where leased_by is null and wake_at is not null and claims < 3;
create index automation_runs_suspect_idx on automation_runs (wake_at) where leased_by is null and wake_at is not null and claims >= 3;
create index automation_runs_leased_idx on automation_runs (leased_by) where leased_by is not null;
-- What is cancelled when an automation is stopped.
create index automation_runs_running_idx on automation_runs (automation_id, id) where status = 'running';

-- Which runs wait for an event of a contact: one probe finds them. `begun` says which transactions had ended when the wait began: an event of one of
-- these is older than the wait.
create table automation_waits (
  team_id uuid not null,
  contact_id uuid not null,
  event_name text not null,
  run_id uuid not null,
  step_key text not null,
  begun pg_snapshot not null default pg_current_snapshot(),
  primary key (team_id, contact_id, event_name, run_id, step_key)
);

-- An event that a run is told of, until the run has taken note of it.
create table automation_facts (
  run_id uuid not null,
  seq bigint not null,
  step_key text not null,
  event_id uuid not null,
  event_name text not null,
  payload jsonb not null,
  primary key (run_id, seq, step_key)
);

-- The emails of runs that wait for what becomes of their emails.
create table automation_emails (
  email_id uuid primary key,
  run_id uuid not null
);
create index automation_emails_run_id_idx on automation_emails (run_id);

-- In the transaction of the cause, whoever writes the notification. Without such emails it costs one look at an index that is empty.
create function tell_automations() returns trigger language plpgsql set enable_seqscan = off as $$
begin
  if not exists (select from automation_emails) then
    return null;
  end if;
  insert into automation_occurrences (id, team_id, name, contact_id, run_id, payload, created_at)
  select n.id, n.team_id, 'resend:' || n.type, r.contact_id, r.id, coalesce(n.data -> 'detail', '{}') || jsonb_build_object('email_id', n.subject_id), n.created_at
  from written n join automation_emails e on e.email_id = n.subject_id join automation_runs r on r.id = e.run_id and r.status = 'running'
  where n.type in ('email.opened', 'email.clicked', 'email.bounced', 'email.delivered', 'email.complained', 'email.failed', 'email.suppressed')
  order by n.id;
  return null;
end $$;

create trigger tell_automations after insert on notifications
  referencing new table as written for each statement execute function tell_automations();
