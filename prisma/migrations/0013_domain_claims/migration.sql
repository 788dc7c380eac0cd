create table domain_claims (
  id uuid primary key,
  team_id uuid not null,
  domain_id uuid not null,
  name text not null,
  token text not null,
  status text not null check (status in ('pending', 'blocked', 'completed', 'superseded', 'canceled', 'failed')),
  blocked_reason text check ((blocked_reason is not null) = (status = 'blocked')),
  failure_reason text check ((failure_reason is not null) = (status = 'failed')),
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  asked_at timestamptz(3),
  check_due_at timestamptz(3),
  ended_at timestamptz(3)
);
create unique index domain_claims_team_id_name_key on domain_claims (team_id, name);
create index domain_claims_name_idx on domain_claims (name);
create index domain_claims_domain_id_idx on domain_claims (domain_id);
create index domain_claims_due_idx on domain_claims (check_due_at) where check_due_at is not null;
create index domain_claims_canceled_idx on domain_claims (ended_at) where status = 'canceled';

alter table domains add column owned_at timestamptz(3);

-- Whether a team has scheduled mail from a domain is asked before another team takes the domain over.
create index emails_scheduled_idx on emails (team_id, id) where state = 'scheduled';
