// Holds, releases and cancels emails of a broadcast that have not begun, inside the caller's transaction; in SQL, because thousands change at once. Crosses
// teams: for workers.

import type { Execute } from '../../db/database.ts'
import { type CanceledEmail, returnCanceledAcrossTeams } from '../limits/quotas.repository.ts'
import { LOCK_EMAILS } from './recipient-states.repository.ts'

/** They have no lane until they are released. */
export async function holdEmails(inside: Execute, emailIds: string[]): Promise<void> {
  await inside(HOLD, [emailIds])
}

export async function releaseEmails(inside: Execute, emailIds: string[]): Promise<void> {
  await inside(RELEASE, [emailIds])
}

/** @param acceptedAt when the broadcast began: then all of it was counted */
export async function cancelEmails(
  inside: Execute,
  emailIds: string[],
  { now, acceptedAt, simulatorDomains }: { now: Date; acceptedAt: Date | null; simulatorDomains: readonly string[] },
): Promise<void> {
  await inside(LOCK_EMAILS.text, [emailIds])
  // A new statement sees what has begun until then.
  const canceled = await inside<CanceledEmail>(CANCEL, [emailIds, now])
  await returnCanceledAcrossTeams(inside, acceptedAt ? canceled.map((email) => ({ ...email, acceptedAt })) : canceled, simulatorDomains)
}

const RELEASE = `
update deliveries set class = 'bulk'
 where id in (select id from recipients where email_id = any($1::uuid[])) and class = 'held' and leased_by is null`

// Locked rows are skipped: a worker that begins one checks it itself.
const HOLD = `
update deliveries set class = 'held' where id in (
  select d.id from recipients r join deliveries d on d.id = r.id join emails e on e.id = r.email_id
   where r.email_id = any($1::uuid[]) and d.class = 'bulk' and d.leased_by is null and e.state = 'queued' and e.last_event = 'queued' for update of d skip locked
)`

const CANCEL = `
with canceled as (
  update emails set state = 'canceled', last_event = 'canceled', final_at = $2
   where id = any($1::uuid[]) and state = 'queued' and last_event = 'queued' returning id, team_id, "to", created_at
), removed as (
  delete from deliveries d using canceled c, recipients r where r.email_id = c.id and d.id = r.id and d.leased_by is null
), told as (
  insert into notifications (id, team_id, type, subject_id, data, created_at)
  select uuidv7_at($2, row_number() over (order by id)), team_id, 'email.canceled', id, jsonb_build_object('to', "to"), $2 from canceled
)
select team_id as "teamId", "to", created_at as "acceptedAt" from canceled`
