// What becomes known of recipients after their mail has left: bounces that return, complaints, opens and clicks; in SQL, because a batch of reports
// is recorded at once.
import { rowArrays } from '../../db/columns.ts'
import { type Execute, statement } from '../../db/database.ts'
import { NOTIFICATION_COLUMNS, notificationColumns, notificationRows } from '../../db/outbox.ts'
import { createId } from '../../lib/ids.ts'
import type { NewNotification } from '../../lib/notifications.ts'
import { advancesAfterDelivery, RECIPIENT_STATE_PRECEDENCE, type RecipientState } from './email-states.ts'

// What every statement does that changes the states of recipients: it locks their emails, and computes the last_event of each; in SQL, as a part of
// larger statements.

// Always in the order of ids, so that two batches that share emails wait for each other instead of deadlocking. The next statement has a fresh
// snapshot, and sees every state that was settled before.
export const LOCK_EMAILS = statement('lock emails', 'select id from emails where id = any($1::uuid[]) order by id for update')

/**
 * last_event of the emails whose recipients are in `changed` (id, email_id, state): lastEventOf (modules/emails/email-states.ts) in SQL.
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

// Which deliveries are left of an email; in SQL, as a part of larger statements. A delivery has the id of its recipient.

/** The open deliveries of an email `e`. */
export const OPEN_DELIVERIES = 'select from recipients of_email join deliveries d on d.id = of_email.id where of_email.email_id = e.id'

/**
 * Notes that these recipients' address was refused because it does not exist, inside the caller's transaction. A report that comes again, or after
 * their server has said so itself, must not suppress an address that was taken from the list since.
 *
 * @returns those that were not marked before.
 */
export async function markRefused(inside: Execute, recipientIds: string[]): Promise<Set<string>> {
  if (recipientIds.length === 0) return new Set()
  const marked = await inside<{ id: string }>(MARK_REFUSED, [recipientIds])
  return new Set(marked.map(({ id }) => id))
}

const MARK_REFUSED = statement(
  'mark refused recipients',
  'update recipients set is_refused = true where id = any($1::uuid[]) and not is_refused returning id',
)

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
  const found = await inside<Found>(STATES, [
    changes.map(({ teamId }) => teamId),
    changes.map(({ emailId }) => emailId),
    changes.map(({ recipientId }) => recipientId),
  ])
  const recipients = new Map(found.map((recipient) => [recipient.id, recipient]))
  const changed = new Set<string>()
  const notifications: NewNotification[] = []
  for (const change of changes) {
    const recipient = recipients.get(change.recipientId)
    if (recipient === undefined) continue
    const { to, isMachine = false } = change
    const isNew = advancesAfterDelivery(recipient.state, to, { isRead: recipient.isRead, isMachine })
    const proven = isNew ? provenBy(change, recipient) : []
    if (isNew) {
      recipient.state = to
      changed.add(recipient.id)
    }
    if ((to === 'opened' || to === 'clicked') && !isMachine) recipient.isRead = true
    // What is proven came first, so the others get later ids.
    if (proven.length > 0) notifications.push(...proven, ...change.notifications.map((one) => ({ ...one, id: createId() })))
    else if (isNew || change.always) notifications.push(...change.notifications)
  }
  if (changed.size === 0 && notifications.length === 0) return changed
  const changedIds = [...changed]
  await inside(ADVANCE, [
    changedIds,
    changedIds.map((id) => recipients.get(id)?.state),
    now,
    RECIPIENT_STATE_PRECEDENCE,
    ...NOTIFIED.values(notificationRows(notifications, now)),
  ])
  return changed
}

type Found = {
  id: string
  address: string
  state: RecipientState
  isRead: boolean
  /** An attempt was begun, or something proved it, and this was told. */
  wasSent: boolean
  /** Its server has accepted it, and this was told. It may have bounced later. */
  wasDelivered: boolean
}

/**
 * What a report proves and no one was told: a message that is read was delivered, also if it is read before the answer of its server is recorded, or if
 * that answer was lost. So each list and count of an email has what comes before.
 */
function provenBy({ teamId, emailId, to }: LaterChange, recipient: Found): NewNotification[] {
  const notification = (type: 'email.sent' | 'email.delivered'): NewNotification => ({
    ...{ id: createId(), teamId, subjectId: emailId },
    ...{ type, data: { to: [recipient.address] } },
  })
  const proven: NewNotification[] = []
  if (!recipient.wasSent) proven.push(notification('email.sent'))
  recipient.wasSent = true
  if (to === 'bounced') return proven
  if (!recipient.wasDelivered) proven.push(notification('email.delivered'))
  recipient.wasDelivered = true
  return proven
}

/** SQL: only people's opens and clicks mark an email. Which of its recipients they were is not stored. */
export const isRead = (email: string): string => `${email}.opened_at is not null or ${email}.clicked_at is not null`

const STATES = statement(
  'states of recipients',
  `
select distinct r.id, r.address, r.state, (${isRead('e')}) as "isRead", r.attempt_count > 0 or r.state not in ('queued', 'suppressed', 'failed') as "wasSent",
  case r.state when 'bounced' then exists (select from attempts a where a.email_id = r.email_id and a.recipient_id = r.id and a.outcome = 'delivered')
    else r.state in ('delivered', 'opened', 'clicked', 'complained') end as "wasDelivered"
from unnest($1::uuid[], $2::uuid[], $3::uuid[]) as g(team_id, email_id, id)
join recipients r on r.team_id = g.team_id and r.email_id = g.email_id and r.id = g.id
join emails e on e.id = r.email_id and e.state = 'queued'`,
)

const NOTIFIED = rowArrays(NOTIFICATION_COLUMNS, 5)

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
  select ${notificationColumns.select} from ${NOTIFIED.source} as n
), ${lastEvents('$4')}
update emails e set last_event = l.last_event, final_at = coalesce(e.final_at, case when not exists (
  ${OPEN_DELIVERIES} and d.id not in (select id from ended)
) then $3::timestamptz end)
from last_events l where e.id = l.email_id`,
)

/** When people first opened these emails, and followed a link of them. What was marked before stays. The emails are locked. */
export async function markFirstEvents(
  inside: Execute,
  firsts: { id: string; openedAt: Date | null; clickedAt: Date | null }[],
): Promise<void> {
  if (firsts.length === 0) return
  await inside(MARK_FIRST, [firsts.map(({ id }) => id), firsts.map(({ openedAt }) => openedAt), firsts.map(({ clickedAt }) => clickedAt)])
}

const MARK_FIRST = statement(
  'mark first events',
  `
update emails e set opened_at = coalesce(e.opened_at, f.opened_at), clicked_at = coalesce(e.clicked_at, f.clicked_at)
from unnest($1::uuid[], $2::timestamptz[], $3::timestamptz[]) as f(id, opened_at, clicked_at) where e.id = f.id`,
)
