create table domains (
  id uuid primary key,
  team_id uuid not null,
  name text not null,
  root text not null,
  region text not null,
  tls text not null check (tls in ('opportunistic', 'enforced')),
  return_path text not null,
  tracking_subdomain text,
  open_tracking boolean not null,
  click_tracking boolean not null,
  sending boolean not null,
  receiving boolean not null check (sending or receiving),
  status text not null default 'not_started',
  owns_name boolean not null default false,
  can_send boolean not null default false,
  created_at timestamptz(3) not null,
  asked_at timestamptz(3),
  checked_at timestamptz(3),
  check_due_at timestamptz(3)
);
create unique index domains_team_id_name_key on domains (team_id, name);
create index domains_team_id_id_idx on domains (team_id, id desc);
create unique index domains_owner_idx on domains (name) where owns_name;
create index domains_due_idx on domains (check_due_at) where check_due_at is not null;

create table domain_records (
  domain_id uuid not null,
  kind text not null,
  status text not null,
  found text[] not null default '{}',
  missing_since timestamptz(3),
  primary key (domain_id, kind)
);
