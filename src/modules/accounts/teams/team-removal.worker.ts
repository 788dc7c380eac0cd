// Removes the records of deleted teams whose time is over. A run that ends early, or is killed, is continued by the next one: what is gone is gone.
import type { PlatformContext } from '../../../http/platform.context.ts'
import type { AccountsContext } from '../accounts.context.ts'
import { TABLES_BY_PARENT, type TeamTable } from './team-removal.repository.ts'

type Context = PlatformContext & AccountsContext

/** Tables refer to each other: those that are referred to come later. */
const ROUNDS_MAX = 5

export async function removeTeams(
  { repositories: { teamRemovals }, log }: Pick<Context, 'repositories' | 'log'>,
  { signal }: { signal: AbortSignal },
): Promise<void> {
  for (const teamId of await teamRemovals.beginAcrossTeams()) {
    for (const part of TABLES_BY_PARENT) await untilNone(() => teamRemovals.removeByParent(teamId, part))
    let left = await teamRemovals.tables()
    for (let round = 0; round < ROUNDS_MAX && left.length > 0; round += 1) left = await removeFrom(teamId, left)
    if (signal.aborted) return
    if (left.length > 0) throw new Error(`Records of a deleted team are still referred to: ${left.map(({ table }) => table).join(', ')}`)
    if (await teamRemovals.removeTeam(teamId)) log.info({ teamId }, 'deleted team removed')
  }

  async function removeFrom(teamId: string, tables: TeamTable[]): Promise<TeamTable[]> {
    const left: TeamTable[] = []
    for (const table of tables) if (!(await teamRemovals.removeRows(teamId, table, signal))) left.push(table)
    return left
  }

  async function untilNone(removeSome: () => Promise<number>): Promise<void> {
    while (!signal.aborted && (await removeSome()) > 0);
  }
}
