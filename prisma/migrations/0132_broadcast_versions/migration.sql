-- What a draft has said before: the versions of broadcasts, as templates have them, and who wrote those of both.
-- serves: earlier
create table broadcast_versions (
  id uuid primary key,
  broadcast_id uuid not null references broadcasts (id) on update cascade on delete cascade,
  "from" text not null,
  reply_to text[] not null,
  subject text not null,
  preview_text text,
  html text,
  text text,
  content_document text,
  author_name text,
  restored_from uuid,
  created_at timestamptz(3) not null
);
create index broadcast_versions_broadcast_id_id_idx on broadcast_versions (broadcast_id, id desc);

-- Who changed it last, and since when they are writing it.
alter table broadcasts add column changed_by uuid;
alter table broadcasts add column changed_by_name text;
alter table broadcasts add column changed_at timestamptz(3);
alter table broadcasts add column autosave_began_at timestamptz(3);

alter table template_versions add column author_name text;
alter table template_versions add column restored_from uuid;

-- What a key or the program of a grant is called now. People are called by their address, which is known.
create function name_of_actor(team uuid, actor uuid) returns text language sql stable as $$
  select coalesce(
    (select k.name from api_keys k where k.team_id = team and k.id = actor),
    (select c.name from oauth_grants g join oauth_clients c on c.id = g.client_id where g.team_id = team and g.id = actor)
  )
$$;
