import type { Clock } from '../lib/clock.ts'
import { createId } from '../lib/ids.ts'
import type { Tables } from './database.ts'

export type TeamRow = { id: string; name: string; createdAt: Date }

/** Teams own everything else; only the command line makes and names them. */
export function teamRepository({ tables }: { tables: Tables }, { clock }: { clock: Clock }) {
  return {
    create: (name: string): Promise<TeamRow> => tables.team.create({ data: { id: createId(clock), name, createdAt: clock.now() } }),
    listAll: (): Promise<TeamRow[]> => tables.team.findMany({ orderBy: { id: 'asc' } }),
    first: (): Promise<TeamRow | null> => tables.team.findFirst({ orderBy: { id: 'asc' } }),
    find: (teamId: string): Promise<TeamRow | null> => tables.team.findUnique({ where: { id: teamId } }),
    async rename(teamId: string, name: string): Promise<boolean> {
      const { count } = await tables.team.updateMany({ where: { id: teamId }, data: { name } })
      return count > 0
    },
  }
}
