// Removes a contact with all that is known of it; in SQL, because it is many statements in one transaction, on which the request waits.
import type { Execute } from '../database.ts'
import { appendContactNotification } from './contact-notifications.ts'
import type { ContactRow } from './contact-rows.ts'

/** Personal data goes at once. The opt-out of the address stays, as a hash. The contact is locked. */
export async function removeContact(execute: Execute, teamId: string, { contact, now }: { contact: ContactRow; now: Date }): Promise<void> {
  await appendContactNotification(execute, 'contact.deleted', { teamId, contact, now })
  await execute('delete from contact_segments where contact_id = $1', [contact.id])
  await execute('delete from contact_topics where contact_id = $1', [contact.id])
  // The events that were sent for it, and those for its address from before it was a contact.
  await execute('delete from sent_events where contact_id = $1', [contact.id])
  await execute('delete from sent_events where team_id = $1 and email = $2', [teamId, contact.email])
  await execute('delete from automation_occurrences where contact_id = $1', [contact.id])
  await execute('delete from automation_occurrences where team_id = $1 and email = $2', [teamId, contact.email])
  await execute('delete from automation_waits where team_id = $1 and contact_id = $2', [teamId, contact.id])
  await execute(FORGET_RUNS, [contact.id, now, CONTACT_DELETED])
  await execute('delete from contacts where team_id = $1 and id = $2', [teamId, contact.id])
}

export const CONTACT_DELETED = 'The contact was deleted.'

// What its steps said may name the person; that they were gone through does not. Runs are locked in one order, as by the workers.
const FORGET_RUNS = `
with run as materialized (
  select id from automation_runs where contact_id = $1 order by id for update
), facts as (
  delete from automation_facts f using run where f.run_id = run.id
), emails as (
  delete from automation_emails e using run where e.run_id = run.id
)
update automation_runs r set email = null, payload = '{}', wake_at = null, leased_by = null,
  status = case when r.status = 'running' then 'cancelled' else r.status end,
  reason = case when r.status = 'running' then $3::text end,
  completed_at = coalesce(r.completed_at, $2),
  state = r.state || jsonb_build_object(
    'heard', '{}'::jsonb, 'at', null, 'status', case when r.status = 'running' then 'cancelled' else r.status end,
    'reason', case when r.status = 'running' then $3::text end,
    'steps', (select coalesce(jsonb_object_agg(s.key, s.value || jsonb_build_object('output', null, 'error', null,
        'status', case when s.value ->> 'completedAt' is null then 'skipped' else s.value ->> 'status' end,
        'completedAt', coalesce(s.value ->> 'completedAt', to_char($2::timestamptz, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')))), '{}')
      from jsonb_each(r.state -> 'steps') s))
from run where r.id = run.id`
