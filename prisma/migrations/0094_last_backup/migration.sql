-- When the last backup began that is whole: one row. A metric tells its age.
create table last_backup (
  id int primary key default 1,
  taken_at timestamptz(3) not null
);
