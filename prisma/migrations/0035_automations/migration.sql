-- What people get because of an event.
create table automations (
  id uuid primary key,
  team_id uuid not null,
  name text not null,
  status text not null,
  class text not null,
  reentry text not null,
  max_runs_per_contact integer,
  trigger_event text not null,
  version_id uuid not null,
  stopped_at timestamptz(3),
  held_at timestamptz(3),
  held_contact_id uuid,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  deleted_at timestamptz(3)
);
create index automations_team_id_id_idx on automations (team_id, id desc);
-- Every event that is sent asks for these.
create index automations_trigger_idx on automations (team_id, trigger_event) where status = 'enabled' and deleted_at is null;

-- A graph of steps. It never changes, so that a run keeps the one with which it started.
create table automation_versions (
  id uuid primary key,
  team_id uuid not null,
  automation_id uuid not null,
  steps jsonb not null,
  connections jsonb not null,
  created_at timestamptz(3) not null
);
create index automation_versions_automation_id_id_idx on automation_versions (automation_id, id desc);
