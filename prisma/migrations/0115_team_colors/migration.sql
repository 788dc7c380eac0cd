-- The color of a team, on its public pages and in what it sends.
-- serves: earlier
alter table teams add column color text;
alter table teams add constraint teams_color_check check (color ~ '^#[0-9a-f]{6}$');

create or replace trigger collect_changes after insert or update or delete on teams for each row
  when (current_setting('posthaste.act_table', true) = 'teams')
  execute function collect_change('name color suppresses_soft_bounces guard suspended_at suspended_reason deleted_at removing_since removes', '');
