-- A report has said that the address does not exist. It suppresses the address once, not again when it is repeated.
alter table recipients add column is_refused boolean not null default false;
