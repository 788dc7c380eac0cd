// What becomes known of recipients after their mail has left: bounces that return, complaints, opens and clicks; in SQL, because a batch of reports
// is recorded at once.
import { advancesAfterDelivery, RECIPIENT_STATE_PRECEDENCE, type RecipientState } from '../../mail/email-states.ts'
import type { NewNotification } from '../../schemas/notifications.ts'
import { type Execute, statement } from '../database.ts'
import { notificationColumns, notificationRows } from '../notifications.ts'
import { OPEN_DELIVERIES } from '../open-deliveries.ts'
import { LOCK_EMAILS, lastEvents } from './last-events.ts'

/** A recipient in one of these states gets no further attempt. */
export type LaterState = Extract<RecipientState, 'bounced' | 'opened' | 'clicked' | 'complained'>

export type LaterChange = {
  teamId: string
  emailId: string
  recipientId: string
  to: LaterState
  notifications: NewNotification[]
  /** The notifications are written even if the state does not change, because opens and clicks repeat. */
  always?: boolean
  /** A program has opened the mail or followed a link. */
  isMachine?: boolean
}

/**
 * Moves recipients whose state allows it, writes the notifications, and computes last_event anew, inside the caller's transaction. Changes of the
 * same recipient follow each other in the given order. Recipients that the team does not have, or whose email is scheduled or canceled, are passed
 * over. A delivery that waits for its next attempt ends here; one that is being tried ends when it is settled.
 *
 * The emails stay locked until the transaction ends. A caller that locks other rows too does so afterwards, so that two batches do not deadlock.
 *
 * @param areLocked the caller has locked the emails, as LOCK_EMAILS does
 * @returns the recipients whose state has changed.
 */
export async function advanceRecipients(
  inside: Execute,
  changes: LaterChange[],
  now: Date,
  { areLocked = false } = {},
): Promise<Set<string>> {
  if (changes.length === 0) return new Set()
  if (!areLocked) await inside(LOCK_EMAILS, [[...new Set(changes.map(({ emailId }) => emailId))]])
  const found = await inside<{ id: string; state: RecipientState; isRead: boolean }>(STATES, [
    changes.map(({ teamId }) => teamId),
    changes.map(({ emailId }) => emailId),
    changes.map(({ recipientId }) => recipientId),
  ])
  const states = new Map(found.map(({ id, state }) => [id, state]))
  const read = new Set(found.flatMap(({ id, isRead }) => (isRead ? [id] : [])))
  const changed = new Set<string>()
  const notifications: NewNotification[] = []
  for (const change of changes) {
    const state = states.get(change.recipientId)
    if (state === undefined) continue
    const { recipientId, to, isMachine = false } = change
    const isNew = advancesAfterDelivery(state, to, { isRead: read.has(recipientId), isMachine })
    if (isNew) {
      states.set(change.recipientId, change.to)
      changed.add(change.recipientId)
    }
    if ((to === 'opened' || to === 'clicked') && !isMachine) read.add(recipientId)
    if (isNew || change.always) notifications.push(...change.notifications)
  }
  if (changed.size === 0 && notifications.length === 0) return changed
  const changedIds = [...changed]
  await inside(ADVANCE, [
    changedIds,
    changedIds.map((id) => states.get(id)),
    JSON.stringify(notificationRows(notifications, now)),
    now,
    RECIPIENT_STATE_PRECEDENCE,
  ])
  return changed
}

/** SQL: only people's opens and clicks mark an email. Which of its recipients they were is not stored. */
export const isRead = (email: string): string => `${email}.opened_at is not null or ${email}.clicked_at is not null`

const STATES = statement(
  'states of recipients',
  `
select distinct r.id, r.state, (${isRead('e')}) as "isRead" from unnest($1::uuid[], $2::uuid[], $3::uuid[]) as g(team_id, email_id, id)
join recipients r on r.team_id = g.team_id and r.email_id = g.email_id and r.id = g.id
join emails e on e.id = r.email_id and e.state = 'queued'`,
)

// A waiting delivery that another transaction has locked is left: beginning it finds its recipient in a final state, and drops it.
const ADVANCE = statement(
  'advance',
  `
with changed as (
  update recipients r set state = c.state from unnest($1::uuid[], $2::text[]) as c(id, state) where r.id = c.id returning r.id, r.email_id, r.state
), ended as (
  delete from deliveries where id in (
    select d.id from deliveries d where d.id = any($1::uuid[]) and d.leased_by is null for update skip locked
  ) returning id
), notified as (
  insert into notifications (${notificationColumns.insert})
  select ${notificationColumns.select} from jsonb_to_recordset($3::jsonb) as n(${notificationColumns.types})
), ${lastEvents('$5')}
update emails e set last_event = l.last_event, final_at = coalesce(e.final_at, case when not exists (
  ${OPEN_DELIVERIES} and d.id not in (select id from ended)
) then $4::timestamptz end)
from last_events l where e.id = l.email_id`,
)
