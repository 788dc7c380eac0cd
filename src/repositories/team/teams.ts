import type { Clock } from '../../lib/clock.ts'
import { createId } from '../../lib/ids.ts'
import type { Database, Execute } from '../database.ts'

export type TeamRow = { id: string; name: string; createdAt: Date }
type FirstKey = { name: string; permission: 'full_access'; digest: string }

/** Teams own everything else; only the command line makes and names them. */
export function teamRepository({ tables, transaction }: Pick<Database, 'tables' | 'transaction'>, { clock }: { clock: Clock }) {
  return {
    create: (name: string): Promise<TeamRow> => tables.team.create({ data: { id: createId(clock), name, createdAt: clock.now() } }),
    listAll: (): Promise<TeamRow[]> => tables.team.findMany({ orderBy: { id: 'asc' } }),
    /**
     * The oldest team, made together with its first key if there is none. Processes that start together get the same one, and it is new to one of
     * them only. Both are one commit: a team that a crash left without a key would look like one that needs none.
     */
    async ensureFirst(name: string, firstKey: FirstKey): Promise<{ team: TeamRow; isNew: boolean }> {
      const existing = await tables.team.findFirst({ orderBy: { id: 'asc' } })
      if (existing) return { team: existing, isNew: false }
      return transaction(async (inside) => {
        await inside('lock table teams in share row exclusive mode')
        const [earlier] = await inside<TeamRow>('select id, name, created_at as "createdAt" from teams order by id limit 1')
        if (earlier) return { team: earlier, isNew: false }
        const team = { id: createId(clock), name, createdAt: clock.now() }
        await inside('insert into teams (id, name, created_at) values ($1, $2, $3)', [team.id, team.name, team.createdAt])
        await inside('insert into api_keys (id, team_id, name, permission, digest, created_at) values ($1, $2, $3, $4, $5, $6)', [
          createId(clock),
          team.id,
          firstKey.name,
          firstKey.permission,
          firstKey.digest,
          team.createdAt,
        ])
        return { team, isNew: true }
      })
    },
    find: (teamId: string): Promise<TeamRow | null> => tables.team.findUnique({ where: { id: teamId } }),
    async rename(teamId: string, name: string): Promise<boolean> {
      const { count } = await tables.team.updateMany({ where: { id: teamId }, data: { name } })
      return count > 0
    },
  }
}

/** Who counts what a team has before adding to it does so one at a time: two that come together must not both count the place that is left. */
export const lockTeam = (execute: Execute, teamId: string) => execute('select from teams where id = $1 for no key update', [teamId])
