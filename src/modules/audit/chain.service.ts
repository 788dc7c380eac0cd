// Checks the chain of a team, and removes what is older than it is kept.
import type { PlatformContext } from '../../http/platform.context.ts'
import { DAY_MS } from '../../lib/clock.ts'
import { LOWEST_ID } from '../../lib/ids.ts'
import type { AuditContext } from './audit.context.ts'
import { type ChainKeys, createChainCheck, type Misfit } from './chain.ts'

type Repositories = Pick<AuditContext['repositories'], 'auditChains'>

/** `checked`: the rows that fit. */
export type Verification = { checked: number; removed: number; misfit: Misfit | null }

export async function verifyChain({ auditChains }: Repositories, teamId: string, keys: ChainKeys): Promise<Verification> {
  const chain = await auditChains.find(teamId)
  const removed = chain?.anchor?.seq ?? 0
  if (!chain) {
    const [first] = await auditChains.rowsAfter(teamId, 0)
    return { checked: 0, removed, misfit: first ? { seq: first.seq, id: first.id, problem: 'end' } : null }
  }
  // Rows that are joined meanwhile are left to the next check.
  const check = createChainCheck(teamId, keys, chain)
  let misfit = check.begin()
  let checked = 0
  for (let reached = removed; misfit === null; ) {
    const rows = await auditChains.rowsAfter(teamId, reached)
    for (const row of rows) {
      misfit = check.next(row)
      if (misfit !== null) break
      checked += 1
    }
    const last = rows.at(-1)
    if (!last) break
    reached = last.seq
  }
  return { checked, removed, misfit: misfit ?? check.end() }
}

type SweepNeeds = Pick<PlatformContext, 'clock' | 'log' | 'config'> & { repositories: Repositories } & Pick<AuditContext, 'auditKeys'>

/** Every chain keeps its last hash, how many rows were removed, and when. */
export async function sweepAuditLog({ repositories: { auditChains }, clock, config, log, auditKeys }: SweepNeeds): Promise<void> {
  const now = clock.now()
  const before = new Date(now.getTime() - config.auditRetentionDays * DAY_MS)
  let removed = 0
  for (let after: string | undefined = LOWEST_ID; after !== undefined; ) {
    const teams: string[] = await auditChains.teamsAfter(after)
    for (const teamId of teams) {
      for (let some = -1; some !== 0; ) {
        some = await auditChains.removeBefore(teamId, before, { keys: auditKeys(), now })
        removed += some
      }
    }
    after = teams.at(-1)
  }
  if (removed > 0) log.info({ removed }, 'old entries of the audit log removed')
}
