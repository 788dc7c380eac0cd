// How addresses come onto the suppression list, in the transaction of the cause; in SQL, because many are added at once. Crosses teams: for workers.
import { createId } from '../../lib/ids.ts'
import { SOFT_BOUNCES } from '../../lib/soft-bounces.ts'
import type { NewNotification } from '../../schemas/notifications.ts'
import type { SuppressionNotificationType, SuppressionOrigin } from '../../schemas/suppressions.ts'
import { type Execute, statement } from '../database.ts'
import { NOTIFICATION_COLUMNS, notificationColumns, notificationRows } from '../notifications.ts'
import { rowArrays } from '../row-arrays.ts'

export type SuppressionRow = {
  id: string
  email: string
  origin: SuppressionOrigin
  sourceId: string | null
  createdAt: Date
  /** Null unless soft bounces in a row led to it. */
  softBounces: SoftBounce[] | null
}

/** One email that bounced, in the stored form. The time is in ISO 8601. */
export type SoftBounce = { email_id: string; bounced_at: string }

export type NewSuppression = {
  teamId: string
  /** In any case; the domain is an A-label. */
  email: string
  origin: SuppressionOrigin
  /** The email that bounced or was reported. */
  sourceId: string | null
  softBounces?: SoftBounce[]
}

/**
 * Adds those that are not on the list. One that is keeps its origin, and so does the first of two for one address. Inside the caller's transaction:
 * after its locks on emails, and once, because addresses are locked in their order. Addresses of the simulator are left out by the caller.
 *
 * @returns those that are new.
 */
export async function addSuppressions(
  inside: Execute,
  additions: NewSuppression[],
  now: Date,
): Promise<(SuppressionRow & { teamId: string })[]> {
  if (additions.length === 0) return []
  const rows = rowsOf(additions, now)
  const notifications = rows.map((row) => suppressionNotification('suppression.added', row.teamId, row))
  const written = await inside<{ id: string }>(ADD, [JSON.stringify(rows), ...NOTIFIED.values(notificationRows(notifications, now))])
  const ids = new Set(written.map(({ id }) => id))
  return rows.filter(({ id }) => ids.has(id))
}

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

/** The state of a suppression after it was added, or before it was removed. */
export const suppressionNotification = (
  type: SuppressionNotificationType,
  teamId: string,
  { id, email, origin, sourceId, createdAt, softBounces }: SuppressionRow,
): NewNotification => ({
  id: createId(),
  teamId,
  type,
  subjectId: id,
  data: { id, email, origin, source_id: sourceId, created_at: createdAt.toISOString(), ...(softBounces && { reason: SOFT_BOUNCES }) },
})

function rowsOf(additions: NewSuppression[], createdAt: Date): (SuppressionRow & { teamId: string })[] {
  const rows = new Map<string, SuppressionRow & { teamId: string }>()
  for (const { teamId, email, origin, sourceId, softBounces = null } of additions) {
    const address = email.toLowerCase()
    const key = `${teamId} ${address}`
    if (!rows.has(key)) rows.set(key, { id: createId(), teamId, email: address, origin, sourceId, createdAt, softBounces })
  }
  return [...rows.values()]
}

const MARK_REFUSED = statement(
  'mark refused recipients',
  'update recipients set is_refused = true where id = any($1::uuid[]) and not is_refused returning id',
)

const NOTIFIED = rowArrays(NOTIFICATION_COLUMNS, 2)

// In one order, so that two transactions that add the same addresses wait for each other instead of deadlocking. What is on the list is only
// locked, so that no one removes it before the transaction ends.
const ADD = `
with added as (
  insert into suppressions (id, team_id, email, origin, source_id, created_at, soft_bounces)
  select id, "teamId", email, origin, "sourceId", "createdAt", nullif("softBounces", 'null')
    from jsonb_to_recordset($1::jsonb) as a(id uuid, "teamId" uuid, email text, origin text, "sourceId" uuid, "createdAt" timestamptz, "softBounces" jsonb)
   order by "teamId", email
  on conflict (team_id, email) do update set email = excluded.email where false returning id
), notified as (
  insert into notifications (${notificationColumns.insert})
  select ${notificationColumns.select} from ${NOTIFIED.source} as n join added a on a.id = n."subjectId"
)
select id from added`
