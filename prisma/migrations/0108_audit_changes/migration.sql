-- Shows in the audit log what changes in how a team is guarded, in its limits, and in the name of a person. The tables stay as they are.
-- serves: earlier
create or replace trigger collect_changes after insert or update or delete on teams for each row
  when (current_setting('posthaste.act_table', true) = 'teams')
  execute function collect_change('name suppresses_soft_bounces guard suspended_at suspended_reason deleted_at removing_since removes', '');
-- They are of the record of the team.
create trigger collect_changes after insert or update or delete on team_limits for each row
  when (current_setting('posthaste.act_table', true) = 'teams')
  execute function collect_change('emails_per_day emails_per_month broadcast_recipients contacts domains webhooks stored_bytes', '');
create trigger collect_changes after insert or update or delete on team_reputations for each row
  when (current_setting('posthaste.act_table', true) = 'teams') execute function collect_change('status reason slowed slowed_until', '');
create trigger collect_changes after insert or update or delete on persons for each row
  when (current_setting('posthaste.act_table', true) = 'persons') execute function collect_change('name', '');

-- As in 0102, but only the record of a team is of that team: a person without one would have a log of their own.
create or replace function collect_change() returns trigger language plpgsql as $$
declare
  changes jsonb := coalesce(nullif(current_setting('posthaste.changes', true), '')::jsonb, '{"count": 0, "rows": []}');
  was jsonb := case when tg_op <> 'INSERT' then to_jsonb(old) else '{}' end;
  becomes jsonb := case when tg_op <> 'DELETE' then to_jsonb(new) else '{}' end;
  whole jsonb := case when tg_op = 'DELETE' then was else becomes end;
  secrets text[] := string_to_array(tg_argv[1], ' ');
  before jsonb := '{}';
  after jsonb := '{}';
  name text;
begin
  changes := jsonb_set(changes, '{count}', to_jsonb((changes ->> 'count')::int + 1));
  if jsonb_array_length(changes -> 'rows') < 20 then
    foreach name in array string_to_array(tg_argv[0], ' ') || secrets loop
      exit when tg_op = 'DELETE' and tg_nargs > 2;
      continue when (was -> name) is not distinct from (becomes -> name);
      if coalesce(was -> name, 'null') <> 'null' then
        before := before || jsonb_build_object(name, shown_value(was -> name, name = any(secrets)));
      elsif tg_op = 'UPDATE' then
        before := before || jsonb_build_object(name, null);
      end if;
      if coalesce(becomes -> name, 'null') <> 'null' then
        after := after || jsonb_build_object(name, shown_value(becomes -> name, name = any(secrets)));
      elsif tg_op = 'UPDATE' then
        after := after || jsonb_build_object(name, null);
      end if;
    end loop;
    changes := jsonb_set(changes, '{rows}', (changes -> 'rows') || jsonb_build_array(jsonb_build_object(
      'op', tg_op, 'id', coalesce(whole -> 'id', whole -> 'person_id', whole -> 'team_id'),
      'team', coalesce(whole -> 'team_id', case when tg_table_name = 'teams' then whole -> 'id' end), 'before', before, 'after', after)));
  end if;
  perform set_config('posthaste.changes', changes::text, true);
  return null;
end $$;

-- A contact that is deleted takes along what is said of the suppressions of its address.
create index audit_log_suppressed_idx on audit_log (team_id, coalesce(details #>> '{after,email}', details #>> '{before,email}')) where target_type = 'suppression';
