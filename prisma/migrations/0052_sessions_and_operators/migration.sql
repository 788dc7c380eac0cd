-- Sessions say where they began. Those of the version before do not: they end, and people sign in again.
delete from sessions;
alter table sessions
  add column id uuid not null,
  add column method text not null check (method in ('api_key', 'link', 'identity_provider')),
  add column person text,
  add column address text not null,
  add column browser text not null,
  add column created_at timestamptz(3) not null,
  add column used_at timestamptz(3) not null;
create unique index sessions_id_key on sessions (id);
create index sessions_team_id_id_idx on sessions (team_id, id desc);

-- A link for someone whom the identity provider named. Those of the command line name no one.
alter table sign_in_links add column person text;

-- Operators see the installation, and belong to no team.
create table operator_links (
  digest text primary key,
  person text,
  expires_at timestamptz(3) not null
);
create index operator_links_expires_at_idx on operator_links (expires_at);

create table operator_sessions (
  digest text primary key,
  id uuid not null,
  method text not null check (method in ('link', 'identity_provider')),
  person text,
  address text not null,
  browser text not null,
  created_at timestamptz(3) not null,
  used_at timestamptz(3) not null,
  expires_at timestamptz(3) not null
);
create unique index operator_sessions_id_key on operator_sessions (id);
create index operator_sessions_expires_at_idx on operator_sessions (expires_at);
