-- HTML of mails that someone looks at in the console: written, read once, and removed. Nothing is lost with it.
-- serves: earlier
create unlogged table previews (
  id uuid not null primary key,
  team_id uuid not null references teams (id) on delete cascade on update cascade,
  html text not null,
  remote_images boolean not null,
  created_at timestamptz(3) not null
);
create index previews_team_id_created_at_idx on previews (team_id, created_at);
