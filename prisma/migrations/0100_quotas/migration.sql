-- How much a team may have and send, as an operator has set it. A team without a row is not limited.
-- serves: earlier
create table team_limits (
  team_id uuid primary key references teams (id) on update cascade on delete cascade,
  emails_per_day integer,
  emails_per_month integer,
  broadcast_recipients integer,
  contacts integer,
  domains integer,
  webhooks integer,
  stored_bytes bigint,
  updated_at timestamptz(3) not null
);

-- What a team with a limit has accepted in a day or a month (UTC), together with what processes have reserved.
create table quota_periods (
  team_id uuid not null,
  period text not null,
  starts_on date not null,
  reserved integer not null default 0,
  warned_percent integer not null default 0,
  counted_from timestamptz(3) not null,
  primary key (team_id, period, starts_on),
  constraint quota_periods_period_check check (period in ('day', 'month'))
);
create index quota_periods_starts_on_idx on quota_periods (starts_on);

-- What a process may accept without asking, or what a broadcast will make.
create table quota_reservations (
  id uuid primary key,
  team_id uuid not null,
  day date not null,
  process_id uuid,
  broadcast_id uuid unique,
  count integer not null,
  recipients integer,
  reserved_at timestamptz(3) not null default clock_timestamp()
);
create index quota_reservations_team_id_idx on quota_reservations (team_id);
create index quota_reservations_process_id_idx on quota_reservations (process_id);

-- What was accepted of a reservation, written in the commit that accepts. A reservation that was called in takes no more of them.
create table quota_uses (
  id bigserial primary key,
  reservation_id uuid not null references quota_reservations (id),
  count integer not null
);
create index quota_uses_reservation_id_idx on quota_uses (reservation_id);
