-- The processes that run the service, whatever their roles: a migration that needs them stopped finds the living ones.
create table service_processes (
  id uuid primary key,
  beat bigint not null default 0,
  name text not null,
  knows text not null,
  has_worker boolean not null
);
