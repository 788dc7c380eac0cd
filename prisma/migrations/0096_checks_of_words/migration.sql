-- serves: earlier
-- words: every earlier version writes only these
-- What these columns may say. Before anything is changed, words that are not known are named: someone wrote them by hand, or a program that is not
-- Posthaste. The rows that are there are read again by 0097_checks_of_words_validated, which locks no one out meanwhile.
-- Shorter than PostgreSQL waits before it looks for deadlocks: it would end a statement of the service, and not this one.
set local lock_timeout = '50ms';
-- plan: reads 21 tables, to name words that are not known
do $$
declare
  one record;
  found text;
  tries int := 0;
  problems text[] := '{}';
  words constant jsonb := '[
    ["contact_properties", "type", ["string", "number"]],
    ["topics", "visibility", ["public", "private"]],
    ["contact_imports", "status", ["queued", "in_progress", "completed", "failed"]],
    ["contact_imports", "encoding", ["utf-8", "windows-1252", "utf-16le", "utf-16be"]],
    ["contact_imports", "delimiter", [",", ";", "\t", "|"]],
    ["contact_imports", "on_conflict", ["upsert", "skip"]],
    ["automations", "status", ["enabled", "disabled"]],
    ["automations", "class", ["transactional", "bulk"]],
    ["automations", "reentry", ["always", "once", "not_while_running"]],
    ["automation_runs", "status", ["running", "completed", "failed", "cancelled"]],
    ["broadcast_acts", "type", ["sent", "delivered", "opened", "clicked", "bounced", "complained", "unsubscribed", "suppressed", "failed", "begun"]],
    ["broadcast_acts", "bounce_type", ["permanent", "transient", "undetermined"]],
    ["broadcast_marks", "type", ["sent", "delivered", "canceled"]],
    ["domains", "region", ["us-east-1", "eu-west-1", "sa-east-1", "ap-northeast-1"]],
    ["domains", "status", ["not_started", "pending", "verified", "partially_verified", "partially_failed", "failed"]],
    ["domain_records", "kind", ["ReturnPathMX", "SPF", "DKIM", "DKIMEd25519", "DMARC", "Tracking", "TrackingCAA", "Receiving"]],
    ["domain_records", "status", ["not_started", "pending", "verified", "failed", "temporary_failure"]],
    ["domain_claims", "blocked_reason", ["grace_period", "recent_owner_activity", "pending_scheduled_emails"]],
    ["emails", "last_event", ["complained", "clicked", "opened", "delivered", "delivery_delayed", "sent", "queued", "bounced", "suppressed", "failed", "scheduled", "canceled"]],
    ["recipients", "state", ["complained", "clicked", "opened", "delivered", "delivery_delayed", "sent", "queued", "bounced", "suppressed", "failed"]],
    ["deliveries", "class", ["transactional", "bulk", "held"]],
    ["attempts", "outcome", ["delivered", "delayed", "bounced", "failed", "abandoned", "unknown"]],
    ["inbound_messages", "verdict", ["bounce", "complaint", "delay", "success", "auto_reply", "challenge", "other", "backscatter", "unmatched", "unreadable"]],
    ["email_count_changes", "metric", ["received", "sent", "delivered", "delivery_delayed", "failed", "suppressed", "bounced_transient", "bounced_permanent", "bounced_undetermined", "complained", "opened", "clicked", "opened_by_machine", "clicked_by_machine", "unique_opened", "unique_clicked", "unsubscribed", "canceled"]],
    ["oauth_grants", "revoked_reason", ["revoked_from_api", "revoked_from_console", "revoked_by_operator", "revoked_by_client", "token_reused", "code_reused", "keys_deleted", "unused"]],
    ["queue_pauses", "class", ["transactional", "bulk"]],
    ["received_emails", "spf", ["pass", "fail", "gray", "processing_failed", "unknown"]],
    ["received_emails", "dkim", ["pass", "fail", "gray", "processing_failed", "unknown"]],
    ["received_emails", "dmarc", ["pass", "fail", "gray", "processing_failed", "unknown"]],
    ["received_emails", "arc", ["pass", "fail", "gray", "processing_failed", "unknown"]],
    ["webhooks", "status", ["enabled", "disabled"]],
    ["webhook_attempts", "outcome", ["success", "failure", "unknown"]]
  ]';
begin
  for one in
    select t.name, w ->> 0 as of_table, w ->> 1 as of_column, array(select jsonb_array_elements_text(w -> 2)) as known
    from jsonb_array_elements(words) w, lateral (
      select w ->> 0 as name, false as is_apart
      union all select relname, true from pg_class c
      where relnamespace = current_schema()::regnamespace and relkind = 'r' and relname ~ ('^' || (w ->> 0) || '_p\d{8}$')
        and not exists (select from pg_inherits where inhrelid = c.oid and not inhdetachpending)
    ) t
  loop
    execute format(
      'select string_agg(format(''%%s.%%s is %%L in %%s %%s'', $1, $2, left(word, 50), count, case count when 1 then ''row'' else ''rows'' end), ''; '' order by word)
       from (select %1$I as word, count(*) as count from %2$I where %1$I <> all ($3) group by 1 order by 2 desc limit 10) unknown',
      one.of_column, one.name
    ) into found using one.name, one.of_column, one.known;
    if found is not null then
      problems := problems || format('%s, where it can only be %s', found, array_to_string(array(select quote_literal(w) from unnest(one.known) w), ' or '));
    end if;
  end loop;
  if problems <> '{}' then
    raise exception '%. Change these rows to one of these words, or delete them, and then run the migration again', array_to_string(problems, '. ');
  end if;
  -- Statements lock these tables in any order. Who waits for one of them while others wait for the rest gives all of them back, and tries again.
  loop
    begin
      execute (select 'lock table ' || string_agg(distinct w ->> 0, ', ') || ' in access exclusive mode' from jsonb_array_elements(words) w);
      exit;
    exception when lock_not_available then
      tries := tries + 1;
      if tries = 50 then
        raise;
      end if;
      perform pg_sleep(0.1);
    end;
  end loop;
  -- What is detached and not dropped yet may be attached again.
  for one in
    select t.name, w ->> 0 as of_table, w ->> 1 as of_column, array(select jsonb_array_elements_text(w -> 2)) as known
    from jsonb_array_elements(words) w, lateral (
      select w ->> 0 as name, false as is_apart
      union all select relname, true from pg_class c
      where relnamespace = current_schema()::regnamespace and relkind = 'r' and relname ~ ('^' || (w ->> 0) || '_p\d{8}$')
        and not exists (select from pg_inherits where inhrelid = c.oid and not inhdetachpending)
    ) t where t.is_apart
  loop
    execute format(
      'alter table %I add constraint %I check (%I = any (%L))', one.name, one.of_table || '_' || one.of_column || '_check', one.of_column, one.known
    );
  end loop;
end $$;
alter table attempts add constraint attempts_outcome_check check (outcome = any ('{delivered,delayed,bounced,failed,abandoned,unknown}')) not valid;
alter table automation_runs add constraint automation_runs_status_check check (status = any ('{running,completed,failed,cancelled}')) not valid;
alter table automations
  add constraint automations_status_check check (status = any ('{enabled,disabled}')) not valid,
  add constraint automations_class_check check (class = any ('{transactional,bulk}')) not valid,
  add constraint automations_reentry_check check (reentry = any ('{always,once,not_while_running}')) not valid;
alter table broadcast_acts
  add constraint broadcast_acts_type_check check (type = any ('{sent,delivered,opened,clicked,bounced,complained,unsubscribed,suppressed,failed,begun}')) not valid,
  add constraint broadcast_acts_bounce_type_check check (bounce_type = any ('{permanent,transient,undetermined}')) not valid;
alter table broadcast_marks add constraint broadcast_marks_type_check check (type = any ('{sent,delivered,canceled}')) not valid;
alter table contact_imports
  add constraint contact_imports_status_check check (status = any ('{queued,in_progress,completed,failed}')) not valid,
  add constraint contact_imports_encoding_check check (encoding = any ('{utf-8,windows-1252,utf-16le,utf-16be}')) not valid,
  add constraint contact_imports_delimiter_check check (delimiter in (',', ';', E'\t', '|')) not valid,
  add constraint contact_imports_on_conflict_check check (on_conflict = any ('{upsert,skip}')) not valid;
alter table contact_properties add constraint contact_properties_type_check check (type = any ('{string,number}')) not valid;
alter table deliveries add constraint deliveries_class_check check (class = any ('{transactional,bulk,held}')) not valid;
alter table domain_claims add constraint domain_claims_blocked_reason_check check (blocked_reason = any ('{grace_period,recent_owner_activity,pending_scheduled_emails}')) not valid;
alter table domain_records
  add constraint domain_records_kind_check check (kind = any ('{ReturnPathMX,SPF,DKIM,DKIMEd25519,DMARC,Tracking,TrackingCAA,Receiving}')) not valid,
  add constraint domain_records_status_check check (status = any ('{not_started,pending,verified,failed,temporary_failure}')) not valid;
alter table domains
  add constraint domains_region_check check (region = any ('{us-east-1,eu-west-1,sa-east-1,ap-northeast-1}')) not valid,
  add constraint domains_status_check check (status = any ('{not_started,pending,verified,partially_verified,partially_failed,failed}')) not valid;
alter table email_count_changes add constraint email_count_changes_metric_check check (metric = any ('{received,sent,delivered,delivery_delayed,failed,suppressed,bounced_transient,bounced_permanent,bounced_undetermined,complained,opened,clicked,opened_by_machine,clicked_by_machine,unique_opened,unique_clicked,unsubscribed,canceled}')) not valid;
alter table emails add constraint emails_last_event_check check (last_event = any ('{complained,clicked,opened,delivered,delivery_delayed,sent,queued,bounced,suppressed,failed,scheduled,canceled}')) not valid;
alter table inbound_messages add constraint inbound_messages_verdict_check check (verdict = any ('{bounce,complaint,delay,success,auto_reply,challenge,other,backscatter,unmatched,unreadable}')) not valid;
alter table oauth_grants add constraint oauth_grants_revoked_reason_check check (revoked_reason = any ('{revoked_from_api,revoked_from_console,revoked_by_operator,revoked_by_client,token_reused,code_reused,keys_deleted,unused}')) not valid;
alter table queue_pauses add constraint queue_pauses_class_check check (class = any ('{transactional,bulk}')) not valid;
alter table received_emails
  add constraint received_emails_spf_check check (spf = any ('{pass,fail,gray,processing_failed,unknown}')) not valid,
  add constraint received_emails_dkim_check check (dkim = any ('{pass,fail,gray,processing_failed,unknown}')) not valid,
  add constraint received_emails_dmarc_check check (dmarc = any ('{pass,fail,gray,processing_failed,unknown}')) not valid,
  add constraint received_emails_arc_check check (arc = any ('{pass,fail,gray,processing_failed,unknown}')) not valid;
alter table recipients add constraint recipients_state_check check (state = any ('{complained,clicked,opened,delivered,delivery_delayed,sent,queued,bounced,suppressed,failed}')) not valid;
alter table topics add constraint topics_visibility_check check (visibility = any ('{public,private}')) not valid;
alter table webhook_attempts add constraint webhook_attempts_outcome_check check (outcome = any ('{success,failure,unknown}')) not valid;
alter table webhooks add constraint webhooks_status_check check (status = any ('{enabled,disabled}')) not valid;
