-- Programs that may ask people for access, the access that teams have given them, and what the authorization server remembers for a while.
create table oauth_clients (
  id uuid primary key,
  client_id text not null,
  origin text not null check (origin in ('built_in', 'registered', 'document')),
  name text not null,
  logo_uri text,
  metadata jsonb not null,
  created_at timestamptz(3) not null
);
create unique index oauth_clients_client_id_key on oauth_clients (client_id);
create index oauth_clients_created_at_idx on oauth_clients (created_at);

create table oauth_grants (
  id uuid primary key,
  team_id uuid not null,
  client_id uuid not null references oauth_clients (id) on delete restrict on update cascade,
  scopes text[],
  resource text,
  created_at timestamptz(3) not null,
  last_used_at timestamptz(3),
  revoked_at timestamptz(3),
  revoked_reason text,
  check ((revoked_at is null) = (revoked_reason is null))
);
create index oauth_grants_team_id_id_idx on oauth_grants (team_id, id desc);
create index oauth_grants_client_id_idx on oauth_grants (client_id);

create table oauth_records (
  kind text not null,
  digest text not null,
  payload jsonb not null,
  grant_id uuid,
  consumed_at timestamptz(3),
  expires_at timestamptz(3) not null,
  primary key (kind, digest)
);
create index oauth_records_grant_id_idx on oauth_records (grant_id);
create index oauth_records_expires_at_idx on oauth_records (expires_at);

-- The official command line knows only this client, and registers no other.
insert into oauth_clients (id, client_id, origin, name, metadata, created_at) values (
  '7136aa0b-625c-4c9c-8820-e9784c8eb141', '7136aa0b-625c-4c9c-8820-e9784c8eb141', 'built_in', 'Resend CLI',
  '{"redirect_uris": ["http://127.0.0.1/oauth/callback", "http://localhost/oauth/callback"], "application_type": "native", "token_endpoint_auth_method": "none", "grant_types": ["authorization_code", "refresh_token"], "response_types": ["code"]}',
  now()
);
