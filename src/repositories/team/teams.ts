import type { Clock } from '../../lib/clock.ts'
import { createId } from '../../lib/ids.ts'
import type { PageRequest } from '../../lib/page-request.ts'
import type { Database } from '../database.ts'
import { lockTeams } from '../locks.ts'
import { type Page, readPage } from '../page.ts'

export type TeamRow = { id: string; name: string; createdAt: Date }
type FirstKey = { name: string; permission: 'full_access'; digest: string }

const select = { id: true, name: true, createdAt: true } as const

/** Teams own everything else. Only the command line creates and renames them. */
export function teamRepository({ tables, records }: Pick<Database, 'tables' | 'records'>, { clock }: { clock: Clock }) {
  return {
    create: (name: string): Promise<TeamRow> => tables.team.create({ data: { id: createId(clock), name, createdAt: clock.now() }, select }),
    listAll: (): Promise<(TeamRow & { suppressesSoftBounces: boolean })[]> =>
      tables.team.findMany({ select: { ...select, suppressesSoftBounces: true }, orderBy: { id: 'asc' } }),
    /** Only operators may call it. */
    listAcrossTeams: (request: PageRequest): Promise<Page<TeamRow>> =>
      readPage(request, ({ where, ...rest }) => tables.team.findMany({ where, select, ...rest })),
    findAcrossTeams: (ids: string[]): Promise<TeamRow[]> => tables.team.findMany({ where: { id: { in: ids } }, select }),
    /**
     * The oldest team, made together with its first key if there is none. Processes that start together get the same one, and it is new to one of
     * them only. Both are one commit, because a team that a crash left without a key would look like one that needs none.
     */
    async ensureFirst(name: string, { name: keyName, permission, digest }: FirstKey): Promise<{ team: TeamRow; isNew: boolean }> {
      const existing = await tables.team.findFirst({ select, orderBy: { id: 'asc' } })
      if (existing) return { team: existing, isNew: false }
      return records(async ({ tables: inside, execute }) => {
        await lockTeams(execute)
        const earlier = await inside.team.findFirst({ select, orderBy: { id: 'asc' } })
        if (earlier) return { team: earlier, isNew: false }
        const createdAt = clock.now()
        const team = await inside.team.create({ data: { id: createId(clock), name, createdAt }, select })
        const key = { id: createId(clock), teamId: team.id, name: keyName, permission, digest, createdAt }
        await inside.apiKey.create({ data: key, select: { id: true } })
        return { team, isNew: true }
      })
    },
    find: (teamId: string): Promise<TeamRow | null> => tables.team.findUnique({ where: { id: teamId }, select }),
    /** Whether soft bounces in a row suppress an address of the team. Operators decide it. */
    async suppressSoftBounces(teamId: string, isOn: boolean): Promise<boolean> {
      const { count } = await tables.team.updateMany({ where: { id: teamId }, data: { suppressesSoftBounces: isOn } })
      return count > 0
    },
    async rename(teamId: string, name: string): Promise<boolean> {
      const { count } = await tables.team.updateMany({ where: { id: teamId }, data: { name } })
      return count > 0
    },
  }
}
