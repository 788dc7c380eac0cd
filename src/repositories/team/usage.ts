import type { Database } from '../database.ts'

export type TeamUsage = { contacts: number; segments: number; domains: number }

export function usageRepository({ tables }: Pick<Database, 'tables'>) {
  return {
    async count(teamId: string): Promise<TeamUsage> {
      const where = { teamId }
      const [contacts, segments, domains] = await Promise.all([
        tables.contact.count({ where }),
        tables.segment.count({ where }),
        tables.domain.count({ where }),
      ])
      return { contacts, segments, domains }
    },
  }
}
