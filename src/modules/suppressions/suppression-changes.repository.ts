// How addresses come onto the suppression list, in the transaction of the cause; in SQL, because many are added at once. Crosses teams: for workers.

import { rowArrays } from '../../db/columns.ts'
import type { Execute } from '../../db/database.ts'
import { append, NOTIFICATION_COLUMNS, notificationColumns, notificationRows } from '../../db/outbox.ts'
import { createId } from '../../lib/ids.ts'
import type { NewNotification } from '../../lib/notifications.ts'
import { SOFT_BOUNCES } from './soft-bounces.ts'
import type { SuppressionNotificationType, SuppressionOrigin } from './suppressions.schema.ts'

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
  const rows = toRows(additions, now)
  const notifications = rows.map((row) => suppressionNotification('suppression.added', row.teamId, row))
  const written = await inside<{ id: string }>(ADD, [JSON.stringify(rows), ...NOTIFIED.values(notificationRows(notifications, now))])
  const ids = new Set(written.map(({ id }) => id))
  return rows.filter(({ id }) => ids.has(id))
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

function toRows(additions: NewSuppression[], createdAt: Date): (SuppressionRow & { teamId: string })[] {
  const rows = new Map<string, SuppressionRow & { teamId: string }>()
  for (const { teamId, email, origin, sourceId, softBounces = null } of additions) {
    const address = email.toLowerCase()
    const key = `${teamId} ${address}`
    if (!rows.has(key)) rows.set(key, { id: createId(), teamId, email: address, origin, sourceId, createdAt, softBounces })
  }
  return [...rows.values()]
}

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

// How addresses leave the suppression list, in the transaction of the cause; in SQL, because several are locked and removed at once.

export type SuppressionReferences = { ids: string[] } | { emails: string[] }

/** Removes suppressions and tells of each. Returns those that were on the list, in no order. */
export async function removeSuppressions(
  inside: Execute,
  teamId: string,
  references: SuppressionReferences,
  now: Date,
): Promise<SuppressionRow[]> {
  const [statement, values] = 'ids' in references ? [REMOVE_BY_ID, references.ids] : [REMOVE_BY_EMAIL, references.emails]
  return removed(inside, teamId, await inside<SuppressionRow>(statement, [teamId, values]), now)
}

/** Whether a complaint or an act of the team keeps mail from an address. */
export async function isStoppedBySuppression(execute: Execute, teamId: string, email: string): Promise<boolean> {
  return (await execute("select from suppressions where team_id = $1 and email = $2 and origin <> 'bounce'", [teamId, email])).length > 0
}

async function removed(inside: Execute, teamId: string, rows: SuppressionRow[], now: Date): Promise<SuppressionRow[]> {
  const notifications = rows.map((row) => suppressionNotification('suppression.removed', teamId, row))
  await append(inside, notifications, now)
  return rows
}

// Locked in one order, so that no two removals deadlock, nor a removal and an addition.
const remove = (condition: string) => `
delete from suppressions where id = any(array(
  select id from suppressions where team_id = $1 and ${condition} order by email for update
)) and team_id = $1 returning id, email, origin, source_id as "sourceId", created_at as "createdAt", soft_bounces as "softBounces"`

const REMOVE_BY_ID = remove('id = any($2::uuid[])')
const REMOVE_BY_EMAIL = remove('email = any($2::text[])')

// Whether contacts are on the suppression list; in SQL, as a part of statements that judge thousands of them.

/**
 * The `origin` of the entry of contact `c`, which each entry has. In another collation than their own, the addresses of the list have no index, and those of
 * contacts have one by character. `offset 0` keeps it a probe for each contact, because a batch is small compared with the list.
 */
export const SUPPRESSION_OF_CONTACT =
  '(select s.origin from suppressions s where s.team_id = c.team_id and s.email = c.email collate "default" offset 0)'
