import type { Database } from '../database.ts'

export type TeamUsage = { contacts: number; segments: number; broadcasts: number; domains: number }

export function usageRepository({ tables }: Pick<Database, 'tables'>) {
  return {
    /** Reads an entry of an index for each contact. */
    contacts: (teamId: string): Promise<number> => tables.contact.count({ where: { teamId } }),

    async count(teamId: string): Promise<Omit<TeamUsage, 'contacts'>> {
      const where = { teamId }
      const counting = [tables.segment.count({ where }), tables.broadcast.count({ where }), tables.domain.count({ where })] as const
      const [segments, broadcasts, domains] = await Promise.all(counting)
      return { segments, broadcasts, domains }
    },
  }
}
