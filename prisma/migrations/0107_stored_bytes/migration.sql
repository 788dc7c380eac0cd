-- What the files of a team with a limit of stored bytes take: kept by triggers, so that whatever stores or removes a file is counted. A team without such a
-- limit has no row, and none is written for it.
-- serves: earlier
create table team_storage (
  team_id uuid primary key references teams (id) on update cascade on delete cascade,
  bytes bigint not null default 0
);

-- What was stored or removed since, added up later, and the room of files that are being stored.
create table team_storage_changes (
  id bigserial primary key,
  team_id uuid not null,
  bytes bigint not null,
  expires_at timestamptz(3)
);
create index team_storage_changes_team_id_idx on team_storage_changes (team_id);

-- The size of the blob; null without one, and in rows that were written before.
alter table submitted_messages add column blob_bytes integer;

-- Plain SQL, whose plans stay small: a team is looked up for each file.
create function change_stored_bytes(team uuid, changed bigint) returns void language plpgsql set enable_seqscan = off as $$
begin
  insert into team_storage_changes (team_id, bytes) select team, changed from team_storage s where s.team_id = team and changed <> 0;
end $$;

-- Of tables whose column `size` is that of the blob.
create function count_stored_size() returns trigger language plpgsql as $$
begin
  if tg_op <> 'INSERT' and old.blob_key is not null then perform change_stored_bytes(old.team_id, -old.size); end if;
  if tg_op <> 'DELETE' and new.blob_key is not null then perform change_stored_bytes(new.team_id, new.size); end if;
  return null;
end $$;

create function count_stored_message() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then perform change_stored_bytes(new.team_id, new.blob_bytes);
  else perform change_stored_bytes(old.team_id, -old.blob_bytes); end if;
  return null;
end $$;

create function count_stored_received() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then perform change_stored_bytes(new.team_id, new.bytes);
  else perform change_stored_bytes(old.team_id, -old.bytes); end if;
  return null;
end $$;

create trigger count_stored after insert or delete on attachments for each row execute function count_stored_size();
create trigger count_fetched after update on attachments for each row when (old.blob_key is distinct from new.blob_key) execute function count_stored_size();
create trigger count_stored after insert or delete on contact_imports for each row execute function count_stored_size();
create trigger count_ended after update on contact_imports for each row when (old.blob_key is distinct from new.blob_key) execute function count_stored_size();
create trigger count_stored after insert or delete on received_attachments for each row execute function count_stored_size();
create trigger count_stored after insert or delete on received_emails for each row execute function count_stored_received();
create trigger count_stored_added after insert on submitted_messages for each row when (new.blob_bytes is not null) execute function count_stored_message();
create trigger count_stored_removed after delete on submitted_messages for each row when (old.blob_bytes is not null) execute function count_stored_message();

-- What the rows of these teams name, counted anew.
create function stored_bytes_of(teams uuid[]) returns table (team_id uuid, bytes bigint) language sql stable as $$
  select f.team_id, sum(f.bytes)::bigint from (
    select a.team_id, a.size::bigint as bytes from attachments a where a.team_id = any(teams) and a.blob_key is not null
    union all select m.team_id, m.blob_bytes from submitted_messages m where m.team_id = any(teams) and m.blob_bytes is not null
    union all select r.team_id, r.bytes from received_emails r where r.team_id = any(teams)
    union all select r.team_id, r.size from received_attachments r where r.team_id = any(teams)
    union all select i.team_id, i.size from contact_imports i where i.team_id = any(teams) and i.blob_key is not null
  ) f group by 1
$$;
