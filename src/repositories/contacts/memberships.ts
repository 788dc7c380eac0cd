// The segments that a contact was added to; in SQL, because members are joined with their segments, and Prisma joins only along foreign keys.
import type { Execute } from '../database.ts'

/** Without deleted ones. */
export async function segmentIdsOf(execute: Execute, teamId: string, contactId: string): Promise<string[]> {
  const rows = await execute<{ id: string }>(
    'select s.id from contact_segments m join segments s on s.id = m.segment_id where m.contact_id = $1 and s.team_id = $2 order by s.id',
    [contactId, teamId],
  )
  return rows.map(({ id }) => id)
}
