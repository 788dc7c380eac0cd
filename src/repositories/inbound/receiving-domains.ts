import type { Database } from '../database.ts'

export function receivingDomainRepository({ tables }: Pick<Database, 'tables'>) {
  return {
    /**
     * The team whose mail comes to this domain, a lower-case A-label: it owns the name, receives, and its MX record was seen. A record that is missed
     * counts for as long as it is looked for. Crosses teams: mail names none.
     */
    async teamOfAcrossTeams(name: string): Promise<string | null> {
      const domain = await tables.domain.findFirst({
        where: { name, ownsName: true, receiving: true },
        select: { id: true, teamId: true },
      })
      if (domain === null) return null
      const where = { domainId: domain.id, kind: 'Receiving', status: { in: ['verified', 'temporary_failure'] } }
      return (await tables.domainRecord.count({ where })) > 0 ? domain.teamId : null
    },
  }
}
