// The verified domains of the whole installation; in SQL, because the state of a record, which is another table, decides their order.
import type { Database } from '../database.ts'

export type VerifiedDomain = { name: string; root: string }
export type UnprovenDomain = { name: string; teamId: string; until: Date }

export function verifiedDomainRepository({ execute, tables }: Pick<Database, 'execute' | 'tables'>) {
  return {
    /** Lists domains that receive by their MX record alone, the first to end first. For operators only: it crosses teams. */
    async listUnprovenAcrossTeams(limit: number): Promise<UnprovenDomain[]> {
      const rows = await tables.domain.findMany({
        where: { ownsName: true, receivingUnprovenUntil: { not: null } },
        select: { name: true, teamId: true, receivingUnprovenUntil: true },
        orderBy: [{ receivingUnprovenUntil: 'asc' }, { id: 'asc' }],
        take: limit,
      })
      return rows.flatMap(({ receivingUnprovenUntil: until, ...row }) => (until === null ? [] : [{ ...row, until }]))
    },

    /** Lists domains without a seen DMARC record first, the newest first. For operators only: it crosses teams. */
    async listAcrossTeams(limit: number): Promise<VerifiedDomain[]> {
      return execute<VerifiedDomain>(LIST, [limit])
    },
  }
}

const LIST = `
select domains.name, domains.root
from domains left join domain_records dmarc on dmarc.domain_id = domains.id and dmarc.kind = 'DMARC'
where domains.can_send
order by (dmarc.status is not distinct from 'verified'), domains.id desc
limit $1`
