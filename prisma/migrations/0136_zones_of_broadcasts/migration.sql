-- The time zone in which the time of a broadcast was chosen, to show it as it was meant.
-- serves: earlier
alter table broadcasts add column timezone text;

create or replace trigger collect_changes after insert or update or delete on broadcasts for each row
  when (current_setting('posthaste.act_table', true) = 'broadcasts')
  execute function collect_change('name status segment_id topic_id from reply_to subject preview_text html text properties rate_per_hour scheduled_at timezone', '');
