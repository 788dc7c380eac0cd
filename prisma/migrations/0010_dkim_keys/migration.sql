create table dkim_keys (
  id uuid primary key,
  team_id uuid not null,
  domain_id uuid not null references domains (id) on update cascade on delete cascade,
  selector text not null,
  algorithm text not null check (algorithm in ('rsa-sha256', 'ed25519-sha256')),
  public_key text not null,
  private_key bytea not null,
  key_version integer not null,
  created_at timestamptz(3) not null,
  seen_at timestamptz(3),
  retired_at timestamptz(3)
);
create unique index dkim_keys_domain_id_selector_key on dkim_keys (domain_id, selector);
