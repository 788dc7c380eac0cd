// Segments, topics and properties that a filter names. They must not change their kind as long as that filter exists.
import type { RecordTransaction } from '../database.ts'

/** The oldest segment whose filter names this segment, topic or property. */
export async function filterThatNames(tables: RecordTransaction['tables'], teamId: string, id: string): Promise<{ usedBy: string } | null> {
  const user = await tables.segment.findFirst({
    where: { teamId, filterUses: { has: id } },
    select: { name: true },
    orderBy: { id: 'asc' },
  })
  return user && { usedBy: user.name }
}
