// The verified domains of the whole installation; in SQL, because the state of a record, which is another table, decides their order.
import type { Database } from '../database.ts'

export type VerifiedDomain = { name: string; root: string }

export function verifiedDomainRepository({ execute }: Pick<Database, 'execute'>) {
  return {
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
