// HTML that someone looks at. It is removed when it is read, and a minute later at the latest once the team looks at something else.
import type { Database } from '../../../db/database.ts'

export type PreviewRow = { html: string; remoteImages: boolean }

export function previewRepository({ tables }: Pick<Database, 'tables'>) {
  return {
    /** @param expired what was written before is removed, and of the rest all but the newest `max` */
    async add(
      teamId: string,
      { id, html, remoteImages, createdAt }: PreviewRow & { id: string; createdAt: Date },
      { expired, max }: { expired: Date; max: number },
    ): Promise<void> {
      await tables.preview.deleteMany({ where: { teamId, createdAt: { lt: expired } } })
      const oldest = await tables.preview.findMany({
        where: { teamId },
        orderBy: { createdAt: 'desc' },
        skip: max - 1,
        select: { id: true },
        take: AT_ONCE,
      })
      if (oldest.length > 0) await tables.preview.deleteMany({ where: { teamId, id: { in: oldest.map((row) => row.id) } } })
      await tables.preview.create({ data: { id, teamId, html, remoteImages, createdAt }, select: { id: true } })
    },

    /** Null for what was read already, has ended or never was. */
    async takeAcrossTeams(id: string, expired: Date): Promise<PreviewRow | null> {
      const [found] = await tables.preview.findMany({ where: { id }, select: { html: true, remoteImages: true, createdAt: true } })
      if (!found) return null
      // Only one of two readers removes it.
      const { count } = await tables.preview.deleteMany({ where: { id } })
      return count === 1 && found.createdAt >= expired ? found : null
    },
  }
}

const AT_ONCE = 100
