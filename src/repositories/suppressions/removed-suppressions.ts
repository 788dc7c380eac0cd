// How addresses leave the suppression list, in the transaction of the cause; in SQL, because several are locked and removed at once.
import type { Execute } from '../database.ts'
import { append } from '../notifications.ts'
import { type SuppressionRow, suppressionNotification } from './new-suppressions.ts'

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
