-- The write-ahead log of an update holds the bytes from the first that changed to the last. What changes with every delivery stands at the end of the
-- row, so that the content of the email is not written again each time.
alter table emails rename column state to earlier_state;
alter table emails rename column last_event to earlier_last_event;
alter table emails rename column final_at to earlier_final_at;
alter table emails add column state text, add column last_event text, add column final_at timestamptz(3);

update emails set state = earlier_state, last_event = earlier_last_event, final_at = earlier_final_at;

-- With them go the check of the state and the index of what is scheduled.
alter table emails drop column earlier_state, drop column earlier_last_event, drop column earlier_final_at;
alter table emails alter column state set not null, alter column last_event set not null,
  add constraint emails_state_check check (state in ('scheduled', 'queued', 'canceled'));
create index emails_scheduled_idx on emails (team_id, id) where state = 'scheduled';
