-- Whether a team is suspended or deleted, and what its deletion removes. The version before this one serves every team as an active one.
-- serves: earlier
alter table teams
  add column suspended_at timestamptz(3),
  add column suspended_reason text,
  add column deleted_at timestamptz(3),
  add column removing_since timestamptz(3),
  add column removes jsonb,
  add constraint teams_suspended_with_reason check ((suspended_at is null) = (suspended_reason is null)),
  add constraint teams_removed_after_deletion check (deleted_at is not null or (removing_since is null and removes is null));

-- Workers read the few teams of which nothing is sent.
create index teams_stopped_idx on teams (id) where suspended_at is not null or deleted_at is not null;
