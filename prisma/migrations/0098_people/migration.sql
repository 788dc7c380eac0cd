-- People: who they are, to which teams they belong, and how they sign in.
-- serves: earlier
create table persons (
  id uuid primary key,
  email text not null unique,
  name text not null,
  created_at timestamptz(3) not null
);
create table person_identities (
  issuer text not null,
  subject text not null,
  person_id uuid not null references persons (id) on delete cascade on update cascade,
  created_at timestamptz(3) not null,
  primary key (issuer, subject)
);
create index person_identities_person_id_idx on person_identities (person_id);
create table members (
  team_id uuid not null references teams (id) on delete cascade on update cascade,
  person_id uuid not null references persons (id) on delete cascade on update cascade,
  role text not null constraint members_role_check check (role in ('owner', 'admin', 'developer', 'marketer', 'support', 'viewer')),
  is_by_groups boolean not null,
  created_at timestamptz(3) not null,
  primary key (team_id, person_id)
);
create index members_person_id_idx on members (person_id);
create table invitations (
  id uuid primary key,
  team_id uuid not null references teams (id) on delete cascade on update cascade,
  email text not null,
  role text not null constraint invitations_role_check check (role in ('owner', 'admin', 'developer', 'marketer', 'support', 'viewer')),
  digest text not null unique,
  invited_by text not null,
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null
);
create unique index invitations_team_id_email_key on invitations (team_id, email);
create index invitations_team_id_id_idx on invitations (team_id, id desc);
create index invitations_expires_at_idx on invitations (expires_at);
create table passkeys (
  id uuid primary key,
  person_id uuid not null references persons (id) on delete cascade on update cascade,
  credential_id text not null unique,
  public_key bytea not null,
  counter bigint not null,
  transports text[] not null,
  name text not null,
  created_at timestamptz(3) not null,
  used_at timestamptz(3)
);
create index passkeys_person_id_idx on passkeys (person_id);
create table confirmation_codes (
  person_id uuid primary key references persons (id) on delete cascade on update cascade,
  digest text not null,
  tries integer not null,
  expires_at timestamptz(3) not null
);
create index confirmation_codes_expires_at_idx on confirmation_codes (expires_at);
-- Sessions and links that belong to a key are those of earlier versions.
alter table sessions alter column team_id drop not null, alter column api_key_id drop not null,
  drop constraint sessions_method_check,
  add constraint sessions_method_check check (method in ('api_key', 'link', 'identity_provider', 'passkey')),
  add column person_id uuid references persons (id) on delete cascade on update cascade,
  add column confirmed_at timestamptz(3);
create index sessions_person_id_id_idx on sessions (person_id, id desc);
alter table sign_in_links alter column team_id drop not null, alter column api_key_id drop not null,
  add column person_id uuid references persons (id) on delete cascade on update cascade,
  add column browser_digest text,
  add column issuer text,
  add column subject text,
  add column next text;
create index sign_in_links_person_id_idx on sign_in_links (person_id);
alter table oauth_grants add column person_id uuid;
create index oauth_grants_person_id_idx on oauth_grants (person_id);
alter table api_keys add column person_id uuid;
