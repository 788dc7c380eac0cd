-- Images of teams for their emails and their public pages, each at an address that never changes, and the logo of a team among them.
-- serves: earlier
create table images (
  id uuid not null primary key,
  team_id uuid not null references teams (id) on update cascade on delete cascade,
  token text not null,
  name text not null,
  content_type text not null,
  width integer not null,
  height integer not null,
  frames integer not null,
  size integer not null,
  blob_key uuid,
  created_at timestamptz(3) not null,
  taken_down_at timestamptz(3),
  taken_down_reason text,
  constraint images_content_type_check check (content_type = any ('{image/png,image/jpeg,image/gif,image/webp}'))
);
create unique index images_token_key on images (token);
create index images_team_id_id_idx on images (team_id, id desc);
create index images_blob_key_idx on images (blob_key);

create trigger count_stored after insert or delete on images for each row execute function count_stored_size();
create trigger count_taken_down after update on images for each row when (old.blob_key is distinct from new.blob_key) execute function count_stored_size();

create trigger collect_changes after insert or update or delete on images for each row
  when (current_setting('posthaste.act_table', true) = 'images')
  execute function collect_change('name content_type width height frames size taken_down_at taken_down_reason', '');

-- Without a reference, because images refer to teams: a backup loads one table after the other.
alter table teams add column logo_id uuid;

create or replace trigger collect_changes after insert or update or delete on teams for each row
  when (current_setting('posthaste.act_table', true) = 'teams')
  execute function collect_change('name color logo_id suppresses_soft_bounces guard suspended_at suspended_reason deleted_at removing_since removes', '');

-- As in 0107, with images.
create or replace function stored_bytes_of(teams uuid[]) returns table (team_id uuid, bytes bigint) language sql stable as $$
  select f.team_id, sum(f.bytes)::bigint from (
    select a.team_id, a.size::bigint as bytes from attachments a where a.team_id = any(teams) and a.blob_key is not null
    union all select m.team_id, m.blob_bytes from submitted_messages m where m.team_id = any(teams) and m.blob_bytes is not null
    union all select r.team_id, r.bytes from received_emails r where r.team_id = any(teams)
    union all select r.team_id, r.size from received_attachments r where r.team_id = any(teams)
    union all select i.team_id, i.size from contact_imports i where i.team_id = any(teams) and i.blob_key is not null
    union all select g.team_id, g.size from images g where g.team_id = any(teams) and g.blob_key is not null
  ) f group by 1
$$;
