-- serves: earlier
-- Who did what: one row for each act, written in its transaction. A worker joins it to the chain of its team soon after: `seq` is its place there, and
-- `hash` covers the row and the hash before it. `details` is covered by its digest, so that it can be removed; `salt` keeps a removed one from being guessed.
create table audit_log (
  id uuid not null,
  team_id uuid not null,
  created_at timestamptz(3) not null,
  actor_kind text not null,
  actor_id uuid,
  actor_name text,
  address text,
  user_agent text,
  act text not null,
  target_type text,
  target_id uuid,
  details jsonb,
  salt uuid,
  details_digest bytea not null,
  seq bigint,
  key_version integer,
  hash bytea,
  primary key (team_id, id),
  constraint audit_log_actor_kind_check check (actor_kind in ('person', 'key', 'grant', 'operator', 'command_line', 'automation', 'system'))
);
create unique index audit_log_team_id_seq_key on audit_log (team_id, seq);
create index audit_log_waiting_idx on audit_log (team_id, id) where seq is null;
create index audit_log_team_id_actor_kind_id_idx on audit_log (team_id, actor_kind, id);
create index audit_log_team_id_actor_id_id_idx on audit_log (team_id, actor_id, id);
create index audit_log_team_id_act_id_idx on audit_log (team_id, act, id);
create index audit_log_team_id_target_id_id_idx on audit_log (team_id, target_id, id);

-- The last row that was joined, and what stands for the rows that retention has removed (`anchor_seq`: how many). Each is signed.
create table audit_chains (
  team_id uuid primary key,
  seq bigint not null,
  hash bytea not null,
  key_version integer not null,
  signature bytea not null,
  anchor_seq bigint not null default 0,
  anchor_hash bytea,
  anchored_at timestamptz(3),
  anchor_key_version integer,
  anchor_signature bytea
);

-- Rows are only added. What may do more says what it is, in its transaction.
create function guard_audit_log() returns trigger language plpgsql as $$
declare
  purpose text := current_setting('posthaste.audit_log', true);
begin
  if tg_op = 'DELETE' and purpose = 'retention' then
    return old;
  end if;
  if tg_op = 'UPDATE' and purpose = 'chain' and old.seq is null
    and to_jsonb(new) - '{seq,key_version,hash}'::text[] = to_jsonb(old) - '{seq,key_version,hash}'::text[] then
    return new;
  end if;
  if tg_op = 'UPDATE' and purpose = 'erasure' and new.details is null and new.salt is null
    and to_jsonb(new) - '{details,salt}'::text[] = to_jsonb(old) - '{details,salt}'::text[] then
    return new;
  end if;
  raise exception 'Rows of the audit log are only added' using errcode = 'restrict_violation';
end $$;

create trigger guard_audit_log before update or delete on audit_log for each row execute function guard_audit_log();
create trigger guard_whole_audit_log before truncate on audit_log for each statement execute function guard_audit_log();

-- Rows that this transaction and those before it on the connection have written, as far as the connection has not reported them. What a transaction
-- adds to it, it has written.
create function rows_written() returns bigint language sql volatile as $$
  select coalesce(sum(pg_stat_get_xact_tuples_inserted(oid) + pg_stat_get_xact_tuples_updated(oid) + pg_stat_get_xact_tuples_deleted(oid)), 0)::bigint
    from pg_class where relkind = 'r'
$$;

-- Begins an act in a transaction: what it changes in `table_name` is collected. Returns what record_act needs.
create function begin_act(table_name text) returns bigint language plpgsql as $$
begin
  perform set_config('posthaste.act_table', table_name, true), set_config('posthaste.changes', '', true);
  return rows_written();
end $$;

-- One changed row. The first argument of the trigger names the columns that are shown, and the second those of which only a change is. A third: what is
-- deleted is to be forgotten.
create function collect_change() returns trigger language plpgsql as $$
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
      'op', tg_op, 'id', coalesce(whole -> 'id', whole -> 'person_id', whole -> 'team_id'), 'team', coalesce(whole -> 'team_id', whole -> 'id'), 'before', before, 'after', after)));
  end if;
  perform set_config('posthaste.changes', changes::text, true);
  return null;
end $$;

-- A value as it is kept: never a secret, of an address without what its query and its user may hold of one, and of a long one only its length and its
-- digest.
create function shown_value(value jsonb, is_secret boolean) returns jsonb language sql immutable as $$
  select case
    when is_secret then to_jsonb('[secret]'::text)
    when jsonb_typeof(value) = 'string' and value #>> '{}' ~ '^https?://' and length(value::text) <= 1000
      then to_jsonb(regexp_replace(regexp_replace(value #>> '{}', '[?].*$', '?[secret]'), '^(https?://)[^/?#@]*@', '\1[secret]@'))
    when length(value::text) > 1000 then jsonb_build_object('characters', length(value #>> '{}'), 'sha256', encode(sha256(convert_to(value #>> '{}', 'UTF8')), 'hex'))
    else value
  end
$$;

-- Ends an act in its transaction: adds its row, unless nothing was written since `written`. Null: the act is one that writes nothing, and is kept nevertheless.
create function record_act(act jsonb, written bigint) returns boolean language plpgsql as $$
declare
  changes jsonb := coalesce(nullif(current_setting('posthaste.changes', true), '')::jsonb, '{"count": 0, "rows": []}');
  rows jsonb := changes -> 'rows';
  changed int := (changes ->> 'count')::int;
  target uuid := (act ->> 'target_id')::uuid;
  team uuid := coalesce((act ->> 'team_id')::uuid, (rows -> 0 ->> 'team')::uuid);
  kind text := act ->> 'actor_kind';
  actor uuid := (act ->> 'actor_id')::uuid;
  actor_name text := act ->> 'actor_name';
  made uuid[];
  before jsonb := '{}';
  after jsonb := '{}';
  details jsonb := '{}';
  salt uuid := gen_random_uuid();
  one jsonb;
begin
  if written is not null and changed = 0 and rows_written() = written then
    return false;
  end if;
  -- An act of the command line that belongs to no team.
  if team is null then
    return false;
  end if;
  select array_agg(distinct (r ->> 'id')::uuid) into made from jsonb_array_elements(rows) r where r ->> 'op' = 'INSERT';
  if cardinality(made) = 1 then
    target := made[1];
  elsif target is null and (select count(distinct r ->> 'id') from jsonb_array_elements(rows) r) = 1 then
    target := (rows -> 0 ->> 'id')::uuid;
  end if;
  for one in select r from jsonb_array_elements(rows) r where (r ->> 'id')::uuid = target loop
    before := (one -> 'before') || before;
    after := after || (one -> 'after');
  end loop;
  if before <> '{}' then
    details := details || jsonb_build_object('before', before);
  end if;
  if after <> '{}' then
    details := details || jsonb_build_object('after', after);
  end if;
  if target is null and changed > 0 then
    details := details || jsonb_build_object('count', changed);
  end if;
  if actor_name is null and kind = 'key' then
    select k.name into actor_name from api_keys k where k.team_id = team and k.id = actor;
  elsif actor_name is null and kind = 'grant' then
    select c.name into actor_name from oauth_grants g join oauth_clients c on c.id = g.client_id where g.team_id = team and g.id = actor;
  end if;
  insert into audit_log (id, team_id, created_at, actor_kind, actor_id, actor_name, address, user_agent, act, target_type, target_id, details, salt, details_digest)
  values ((act ->> 'id')::uuid, team, (act ->> 'created_at')::timestamptz, kind, actor, actor_name, act ->> 'address', act ->> 'user_agent', act ->> 'act',
    act ->> 'target_type', target, details, salt, sha256(convert_to(salt::text || details::text, 'UTF8')));
  if exists (select from webhooks w where w.team_id = team and w.status = 'enabled' and 'audit.recorded' = any(w.events)) then
    insert into notifications (id, team_id, type, subject_id, data, created_at)
    values ((act ->> 'notification_id')::uuid, team, 'audit.recorded', (act ->> 'id')::uuid, jsonb_build_object(
      'id', act -> 'id', 'created_at', act -> 'created_at', 'act', act -> 'act',
      'actor', jsonb_build_object('type', kind, 'id', actor, 'name', actor_name, 'ip_address', act -> 'address', 'user_agent', act -> 'user_agent'),
      'target', case when target is not null or act ->> 'target_type' is not null then jsonb_build_object('type', act -> 'target_type', 'id', target) end),
      (act ->> 'created_at')::timestamptz);
  end if;
  return true;
end $$;

-- What is shown of each kind of record. Nothing is collected outside an act, whose table the condition asks for.
create trigger collect_changes after insert or update or delete on teams for each row
  when (current_setting('posthaste.act_table', true) = 'teams') execute function collect_change('name suppresses_soft_bounces suspended_at suspended_reason deleted_at removing_since removes', '');
create trigger collect_changes after insert or update or delete on api_keys for each row
  when (current_setting('posthaste.act_table', true) = 'api_keys') execute function collect_change('name permission domain_id', 'digest');
create trigger collect_changes after insert or update or delete on webhooks for each row
  when (current_setting('posthaste.act_table', true) = 'webhooks') execute function collect_change('endpoint events status concurrency is_ordered', 'secret');
create trigger collect_changes after insert or update or delete on domains for each row
  when (current_setting('posthaste.act_table', true) = 'domains')
  execute function collect_change('name region tls return_path tracking_subdomain open_tracking click_tracking sending receiving status', '');
create trigger collect_changes after insert or update or delete on domain_claims for each row
  when (current_setting('posthaste.act_table', true) = 'domain_claims') execute function collect_change('name domain_id status', 'token');
create trigger collect_changes after insert or update or delete on templates for each row
  when (current_setting('posthaste.act_table', true) = 'templates') execute function collect_change('name alias current_version_id published_version_id', '');
create trigger collect_changes after insert or update or delete on broadcasts for each row
  when (current_setting('posthaste.act_table', true) = 'broadcasts')
  execute function collect_change('name status segment_id topic_id from reply_to subject preview_text html text properties rate_per_hour scheduled_at', '');
create trigger collect_changes after insert or update or delete on automations for each row
  when (current_setting('posthaste.act_table', true) = 'automations')
  execute function collect_change('name status class reentry max_runs_per_contact trigger_event version_id stopped_at deleted_at', '');
create trigger collect_changes after insert or update or delete on topics for each row
  when (current_setting('posthaste.act_table', true) = 'topics') execute function collect_change('name description default_subscription visibility', '');
create trigger collect_changes after insert or update or delete on segments for each row
  when (current_setting('posthaste.act_table', true) = 'segments') execute function collect_change('name filter', '');
create trigger collect_changes after insert or update or delete on contact_properties for each row
  when (current_setting('posthaste.act_table', true) = 'contact_properties') execute function collect_change('key type fallback_value', '');
create trigger collect_changes after insert or update or delete on events for each row
  when (current_setting('posthaste.act_table', true) = 'events') execute function collect_change('name schema', '');
create trigger collect_changes after insert or update or delete on contacts for each row
  when (current_setting('posthaste.act_table', true) = 'contacts') execute function collect_change('email first_name last_name unsubscribed properties', '', 'nothing of a deleted one');
create trigger collect_changes after insert or update or delete on contact_imports for each row
  when (current_setting('posthaste.act_table', true) = 'contact_imports') execute function collect_change('size columns on_conflict segment_ids topics', '');
create trigger collect_changes after insert or update or delete on suppressions for each row
  when (current_setting('posthaste.act_table', true) = 'suppressions') execute function collect_change('email origin', '');
create trigger collect_changes after insert or update or delete on oauth_grants for each row
  when (current_setting('posthaste.act_table', true) = 'oauth_grants') execute function collect_change('client_id scopes resource revoked_at revoked_reason', '');
create trigger collect_changes after insert or update or delete on members for each row
  when (current_setting('posthaste.act_table', true) = 'members') execute function collect_change('role', '');
create trigger collect_changes after insert or update or delete on invitations for each row
  when (current_setting('posthaste.act_table', true) = 'invitations') execute function collect_change('email role invited_by', 'digest');
