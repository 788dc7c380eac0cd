-- Why an automation was disabled by a deletion, and an index by which the overview finds those.
alter table automations add column disabled_reason text;
create index automations_disabled_idx on automations (team_id, id desc) where disabled_reason is not null and deleted_at is null;
