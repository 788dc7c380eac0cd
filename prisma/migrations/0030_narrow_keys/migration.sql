-- Each row that an email writes enters fewer indexes: what belongs to a record is keyed by it, and a delivery has the id of its recipient.

-- Dropping the column drops the indexes that contain it.
drop index deliveries_email_id_idx;
alter table deliveries drop column id;
alter table deliveries rename column recipient_id to id;
alter table deliveries add constraint deliveries_pkey primary key using index deliveries_recipient_id_key;
create index deliveries_waiting_idx on deliveries (due_at, id) where not is_ready and leased_by is null;
create index deliveries_ready_idx on deliveries (class, team_id, destination, id) where is_ready and leased_by is null;

-- The partitions of expired days may be detached, and not dropped yet. When one is attached again, it gets the keys of its table.
do $$
declare child record;
begin
  for child in
    select c.conrelid::regclass as part, c.conname from pg_constraint c join pg_class p on p.oid = c.conrelid
    where c.contype = 'p' and not p.relispartition and p.relkind = 'r' and p.relnamespace = current_schema()::regnamespace
      and p.relname ~ '^(notifications|attempts|request_logs)_p[0-9]{8}$'
  loop
    execute format('alter table %s drop constraint %I', child.part, child.conname);
  end loop;
end $$;

alter table notifications drop constraint notifications_pkey;
drop index notifications_subject_id_id_idx;
alter table notifications add constraint notifications_pkey primary key (subject_id, id);

alter table attempts drop constraint attempts_pkey;
drop index attempts_email_id_id_idx;
alter table attempts add constraint attempts_pkey primary key (email_id, id);

alter table request_logs drop constraint request_logs_pkey;
drop index request_logs_team_id_id_idx;
alter table request_logs add constraint request_logs_pkey primary key (team_id, id);

-- A key is looked up by its digest, and expired ones are found by reading the table in pieces.
create table idempotency_digests (
  team_id uuid not null,
  digest bytea not null,
  body_hash text not null,
  response jsonb not null,
  expires_at timestamptz(3) not null
);
insert into idempotency_digests (team_id, digest, body_hash, response, expires_at)
select team_id, substring(sha256(convert_to(operation || E'\n' || key, 'UTF8')) for 16), body_hash, response, expires_at from idempotency_keys;
drop table idempotency_keys;
alter table idempotency_digests rename to idempotency_keys;
alter table idempotency_keys add constraint idempotency_keys_pkey primary key (team_id, digest);
