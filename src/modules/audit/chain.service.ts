// Joins what waits to the chain of each team, checks chains, and removes what is older than it is kept.
import { isUnavailable } from '../../db/database-errors.ts'
import type { PlatformContext } from '../../http/platform.context.ts'
import { DAY_MS } from '../../lib/clock.ts'
import { LOWEST_ID } from '../../lib/ids.ts'
import { purge } from '../../lib/purge.ts'
import type { AuditContext } from './audit.context.ts'
import { type Chain, type ChainBreak, type ChainKeys, createChainCheck, signingKey } from './chain.ts'

type Repositories = Pick<AuditContext['repositories'], 'auditChains'>

/** What a round did. `failed`: the teams whose rows were not joined. */
export type Joining = { joined: number; failed: { teamId: string; error: unknown }[] }

/** Joins some rows of every team that has rows which wait. What fails for one team leaves the others alone. */
export async function joinWaiting({ repositories: { auditChains }, auditKeys }: { repositories: Repositories } & Keys): Promise<Joining> {
  const keys = auditKeys()
  // Without a key, every team would fail.
  signingKey(keys)
  const joining: Joining = { joined: 0, failed: [] }
  for (let after: string | undefined = LOWEST_ID; after !== undefined; ) {
    const teams: string[] = await auditChains.waitingTeamsAfter(after)
    for (const teamId of teams) {
      try {
        joining.joined += await auditChains.join(teamId, keys)
      } catch (error) {
        if (isUnavailable(error)) throw error
        joining.failed.push({ teamId, error })
      }
    }
    after = teams.at(-1)
  }
  return joining
}

/** `checked`: the rows that fit. */
export type Verification = { checked: number; removed: number; chainBreak: ChainBreak | null }

/** How often a check begins again, because retention has removed what it was about to read. */
const BEGINNINGS_MAX = 100

/** Checks the chain as far as it reaches now: rows that are joined meanwhile are left to the next check. */
export async function verifyChain({ auditChains }: Repositories, teamId: string, keys: ChainKeys): Promise<Verification> {
  for (let begun = 1; begun <= BEGINNINGS_MAX; begun += 1) {
    const chain = await auditChains.find(teamId)
    const verification = chain ? await verifyFrom({ auditChains }, teamId, keys, chain) : await verifyNone({ auditChains }, teamId)
    if (verification.chainBreak === null) return verification
    const now = await auditChains.find(teamId)
    if (anchorOf(now) === anchorOf(chain)) return verification
  }
  throw new Error(`Old entries of the audit log of the team ${teamId} are being removed: check it again after that`)
}

/** Null: there is no chain. */
const anchorOf = (chain: Chain | null): number | null => (chain ? (chain.anchor?.seq ?? 0) : null)

async function verifyNone({ auditChains }: Repositories, teamId: string): Promise<Verification> {
  const [first] = await auditChains.rowsAfter(teamId, 0, LAST_SEQ)
  return { checked: 0, removed: 0, chainBreak: first ? { seq: first.seq, id: first.id, problem: 'end' } : null }
}

const LAST_SEQ = Number.MAX_SAFE_INTEGER

async function verifyFrom({ auditChains }: Repositories, teamId: string, keys: ChainKeys, chain: Chain): Promise<Verification> {
  const { head, anchor, beyond } = chain
  const removed = anchor?.seq ?? 0
  const check = createChainCheck(teamId, keys, chain)
  let chainBreak = check.begin()
  let checked = 0
  for (let reached = removed; chainBreak === null && reached < head.seq; ) {
    const rows = await auditChains.rowsAfter(teamId, reached, head.seq)
    for (const row of rows) {
      chainBreak = check.next(row)
      if (chainBreak !== null) break
      checked += 1
    }
    const last = rows.at(-1)
    if (!last) break
    reached = last.seq
  }
  chainBreak ??= check.end() ?? (beyond && { ...beyond, problem: 'end' })
  return { checked, removed, chainBreak }
}

type Keys = Pick<AuditContext, 'auditKeys'>
type SweepNeeds = Pick<PlatformContext, 'clock' | 'log' | 'config'> & { repositories: Repositories } & Keys

/** Every chain keeps its last hash, how many rows were removed, and when. */
export async function sweepAuditLog({ repositories: { auditChains }, clock, config, log, auditKeys }: SweepNeeds): Promise<void> {
  const now = clock.now()
  const before = new Date(now.getTime() - config.auditRetentionDays * DAY_MS)
  let removed = 0
  for (let after: string | undefined = LOWEST_ID; after !== undefined; ) {
    const teams: string[] = await auditChains.chainedAcrossTeams(after)
    for (const teamId of teams) removed += await purge(() => auditChains.removeBefore(teamId, before, { keys: auditKeys(), now }))
    after = teams.at(-1)
  }
  if (removed > 0) log.info({ removed }, 'old entries of the audit log removed')
}
