-- Whose the stored files are: the same id is in a mark beside them. A database that was used before has files without a mark, which it may take once.
create table storage_owner (
  id int primary key default 1,
  owner uuid not null,
  is_marked boolean not null default false
);
insert into storage_owner (owner) select gen_random_uuid() where exists (select from data_keys);
