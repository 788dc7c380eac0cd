// What every statement does that changes the states of recipients: it locks their emails, and computes the last_event of each; in SQL, as a part of
// larger statements.
import { statement } from '../database.ts'

// Always in the order of ids, so that two batches that share emails wait for each other instead of deadlocking. The next statement has a fresh
// snapshot, and sees every state that was settled before.
export const LOCK_EMAILS = statement('lock emails', 'select id from emails where id = any($1::uuid[]) order by id for update')

/**
 * last_event of the emails whose recipients are in `changed` (id, email_id, state): lastEventOf (mail/email-states.ts) in SQL.
 *
 * @param precedence the parameter with the order of the states, RECIPIENT_STATE_PRECEDENCE
 */
export const lastEvents = (precedence: `$${number}`): string => `
  states as (
    select email_id, state from changed
    union all
    select r.email_id, r.state from recipients r where r.email_id in (select email_id from changed) and r.id not in (select id from changed)
  ), last_events as (
    select email_id, (${precedence}::text[])[min(array_position(${precedence}::text[], state))] as last_event from states group by email_id
  )`
