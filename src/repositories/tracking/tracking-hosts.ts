import type { Database } from '../database.ts'

export function trackingHostRepository({ tables }: Pick<Database, 'tables'>) {
  return {
    /** Returns the hosts among these, lower-case A-labels, that were ever verified. Crosses teams: a handshake names none. */
    async verifiedAmongAcrossTeams(hosts: string[]): Promise<Set<string>> {
      const found = await tables.trackingHost.findMany({ where: { host: { in: hosts } }, select: { host: true } })
      return new Set(found.map(({ host }) => host))
    },
  }
}
