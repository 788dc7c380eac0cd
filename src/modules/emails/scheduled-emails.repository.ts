// The scheduled emails from a domain that is deleted, in that transaction; in SQL, because one statement changes many.

import type { Execute } from '../../db/database.ts'
import { append } from '../../db/outbox.ts'
import { createId } from '../../lib/ids.ts'
import { returnCanceledAcrossTeams } from '../limits/quotas.repository.ts'

/** Scheduled emails that are canceled together with a domain. Others fail at their time. */
const EMAILS_CANCELED_MAX = 10_000
/** Scheduled emails of a team that are looked at. */
const SCHEDULED_LOOKED_AT_MAX = 100_000

/** By the name of a domain, the newest first. `name`: the subject. */
export const scheduledEmailsFrom = (execute: Execute, teamId: string, domain: string): Promise<{ id: string; name: string }[]> =>
  execute(EMAILS_FROM, [teamId, domain])

/** Each with an event. */
export async function cancelScheduledEmails(
  execute: Execute,
  teamId: string,
  { ids, simulatorDomains, now }: { ids: string[]; simulatorDomains: readonly string[]; now: Date },
): Promise<void> {
  const emails = await execute<{ id: string; to: string[]; acceptedAt: Date }>(CANCEL, [teamId, ids, now])
  await execute(REMOVE_DELIVERIES, [emails.map(({ id }) => id)])
  await append(
    execute,
    emails.map(({ id, to }) => ({ id: createId(), teamId, subjectId: id, type: 'email.canceled' as const, data: { to } })),
    now,
  )
  await returnCanceledAcrossTeams(
    execute,
    emails.map(({ to, acceptedAt }) => ({ teamId, to, acceptedAt })),
    simulatorDomains,
  )
}

const EMAILS_FROM = `
select id, subject as name from (
  select id, subject, from_domain, broadcast_id from emails where team_id = $1 and state = 'scheduled' order by id desc limit ${SCHEDULED_LOOKED_AT_MAX}
) scheduled where from_domain = $2 and broadcast_id is null order by id desc limit ${EMAILS_CANCELED_MAX}`

const CANCEL = `
update emails set state = 'canceled', last_event = 'canceled', is_fetching = false, final_at = $3
 where team_id = $1 and id = any($2::uuid[]) and state = 'scheduled'
returning id, created_at as "acceptedAt", array(select address from recipients r where r.email_id = emails.id order by r.id) as "to"`

const REMOVE_DELIVERIES = `
delete from deliveries where leased_by is null and id in (select id from recipients where email_id = any($1::uuid[]))`
