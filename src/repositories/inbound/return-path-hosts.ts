import { returnPathHost } from '../../lib/domains/wanted-records.ts'
import type { Database } from '../database.ts'

export function returnPathHostRepository({ tables }: Pick<Database, 'tables'>) {
  return {
    /** Whether bounces of a verified domain return to this host, a lower-case A-label. Crosses teams: mail names none. */
    async isOneAcrossTeams(host: string): Promise<boolean> {
      const domains = await tables.domain.findMany({
        where: { name: { in: parentsOf(host) }, ownsName: true, sending: true },
        select: { name: true, returnPath: true },
      })
      return domains.some((domain) => returnPathHost(domain) === host)
    },
  }
}

/** `b.c.d` and `c.d` for a.b.c.d. */
function parentsOf(host: string): string[] {
  const labels = host.split('.')
  return labels.slice(1, -1).map((_label, index) => labels.slice(index + 1).join('.'))
}
