-- A name under which a team tells what its contacts do, with the types of what is told.
create table events (
  id uuid primary key,
  team_id uuid not null,
  name text not null,
  schema jsonb,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3)
);
create unique index events_team_id_name_key on events (team_id, name);
create index events_team_id_id_idx on events (team_id, id desc);
