// Runs automations: tells them what happened, and takes the runs that are due further, a bounded number at a time.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Context } from '../../context.ts'
import { isCanceled, isDeadlock, isRefusedData, isSerializationFailure, isUnavailable } from '../../lib/database-errors.ts'
import type { ClaimedRun } from '../../repositories/automations/due-runs.ts'
import type { Lease } from '../engine/lease.ts'
import { advanceRuns } from './advance-runs.ts'
import { createKnowledge, type Knowledge } from './known.ts'
import { CLAIMS_MAX } from './steps.ts'
import { createTeller, type Teller } from './tell-automations.ts'

/** Runs that are claimed together. */
const RUNS_MAX = 100
const LOOK_EVERY_MS = 1_000
/** What wakes comes in bursts, and is looked at together. */
const REST_MS = 5
const FAULT_PAUSE_MS = 1_000
/** After a fault of ours. */
const AGAIN_AFTER_MS = 10_000

export type AutomationRunner = { wake(): void; stop(): Promise<void> }

export type AutomationWork = {
  lease: Pick<Lease, 'id' | 'isHeld'>
  knowledge: Knowledge
  teller: Teller
  runsMax?: number
}

export function startRunningAutomations(
  context: Context,
  lease: Lease,
  { lookEveryMs = LOOK_EVERY_MS }: { lookEveryMs?: number } = {},
): AutomationRunner {
  const work = { lease, knowledge: createKnowledge(context), teller: createTeller(context) }
  const stopping = new AbortController()
  let waking = new AbortController()

  async function follow(): Promise<void> {
    while (!stopping.signal.aborted) {
      waking = new AbortController()
      const restMs = await runAutomations(context, work).then(
        (hasMore) => (hasMore ? 0 : lookEveryMs),
        async (error) => {
          context.log.warn({ err: error }, 'automations not looked at')
          await sleep(FAULT_PAUSE_MS, undefined, { signal: stopping.signal, ref: false }).catch(() => {})
          await releaseAll(context, lease.id)
          return 0
        },
      )
      if (restMs === 0) continue
      await sleep(restMs, undefined, { signal: AbortSignal.any([stopping.signal, waking.signal]), ref: false }).catch(() => {})
      if (!stopping.signal.aborted) await sleep(REST_MS)
    }
  }

  const following = follow()
  return {
    wake: () => waking.abort(),
    async stop() {
      stopping.abort()
      await following
    },
  }
}

/** A claim whose answer was lost would be held as long as this worker lives. */
async function releaseAll({ repositories, log }: Context, workerId: string): Promise<void> {
  await repositories.dueRuns
    .release(workerId, { runIds: null, at: null, counts: false })
    .catch((error) => log.warn({ err: error }, 'runs not released'))
}

/** A bounded part of what there is to do. Returns whether there may be more. */
export async function runAutomations(context: Context, { lease, knowledge, teller, runsMax = RUNS_MAX }: AutomationWork): Promise<boolean> {
  const { repositories, clock } = context
  const hasMoreToTell = await teller.tell()
  if (!lease.isHeld()) return false
  const now = clock.now()
  const claimed = await repositories.dueRuns.claim(lease.id, now, runsMax)
  const runs = claimed.length > 0 ? claimed : await repositories.dueRuns.claimSuspect(lease.id, now)
  if (runs.length > 0) await advance(context, { workerId: lease.id, knowledge, runs })
  return hasMoreToTell || runs.length > 0
}

type Advancing = { workerId: string; knowledge: Knowledge; runs: ClaimedRun[] }

/** If they cannot be stored together, each is taken further alone, so that one does not hold up the others. */
async function advance(context: Context, { workerId, knowledge, runs }: Advancing): Promise<void> {
  const { repositories, clock, log } = context
  try {
    await advanceRuns(context, { workerId, knowledge, runs })
    const [only] = runs
    if (only && only.claims > CLAIMS_MAX) log.error({ runId: only.id, claims: only.claims }, 'run of an automation given up')
  } catch (error) {
    // A statement that takes too long may do so because of one of them.
    if (isUnavailable(error) && !isCanceled(error)) throw error
    const [only, ...others] = runs
    if (others.length > 0) {
      for (const run of runs) await advance(context, { workerId, knowledge, runs: [run] })
      return
    }
    if (!only) return
    const isOfMoment = isDeadlock(error) || isSerializationFailure(error)
    if (!isOfMoment) log.error({ err: error, runId: only.id, isRefused: isRefusedData(error) }, 'run of an automation not advanced')
    const at = new Date(clock.now().getTime() + (isOfMoment ? 0 : AGAIN_AFTER_MS))
    await repositories.dueRuns.release(workerId, { runIds: [only.id], at, counts: !isOfMoment })
  }
}
