-- Lists that people filter in the same way again.
-- serves: earlier
create table saved_views (
  id uuid primary key,
  team_id uuid not null references teams (id) on update cascade on delete cascade,
  person_id uuid not null references persons (id) on update cascade on delete cascade,
  name text not null,
  page text not null,
  query text not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null
);
create index saved_views_team_id_person_id_id_idx on saved_views (team_id, person_id, id desc);
create index saved_views_person_id_idx on saved_views (person_id);
