-- An email that a team writes once and sends many times.
create table templates (
  id uuid primary key,
  team_id uuid not null,
  name text not null,
  alias text,
  current_version_id uuid not null,
  published_version_id uuid,
  published_at timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null
);
create unique index templates_team_id_alias_key on templates (team_id, alias);
create index templates_team_id_id_idx on templates (team_id, id desc);

-- What a template says at a time. It never changes, so that what was read of it can be kept.
create table template_versions (
  id uuid primary key,
  template_id uuid not null references templates (id) on update cascade on delete cascade,
  "from" text,
  subject text,
  reply_to text[] not null,
  html text not null,
  text text,
  variables jsonb not null,
  created_at timestamptz(3) not null,
  published_at timestamptz(3)
);
create index template_versions_template_id_id_idx on template_versions (template_id, id desc);

-- The template that an email was made of. Both outlive the template.
alter table emails add column template_id uuid, add column template_version_id uuid;
