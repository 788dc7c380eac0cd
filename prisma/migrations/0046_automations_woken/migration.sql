-- What becomes of an email is told at once to the run that waits for it, whichever process wrote the notification. A commit that sends a notice waits for
-- others that do, so only those send one that have something to tell.
create or replace function tell_automations() returns trigger language plpgsql set enable_seqscan = off as $$
declare
  told bigint;
begin
  if not exists (select from automation_emails) then
    return null;
  end if;
  insert into automation_occurrences (id, team_id, name, contact_id, run_id, payload, created_at)
  select n.id, n.team_id, 'resend:' || n.type, r.contact_id, r.id, coalesce(n.data -> 'detail', '{}') || jsonb_build_object('email_id', n.subject_id), n.created_at
  from written n join automation_emails e on e.email_id = n.subject_id join automation_runs r on r.id = e.run_id and r.status = 'running'
  where n.type in ('email.opened', 'email.clicked', 'email.bounced', 'email.delivered', 'email.complained', 'email.failed', 'email.suppressed')
  order by n.id;
  get diagnostics told = row_count;
  if told > 0 then
    perform pg_notify('posthaste_work', 'automations');
  end if;
  return null;
end $$;

-- Whether a contact is running through an automation is asked whenever an event could start it again.
create index automation_runs_contact_running_idx on automation_runs (contact_id, automation_id) where status = 'running';
