// Which workers are alive: this process raises its counter every few seconds, and watches those of the others. No clocks are compared. Each process
// uses only its own monotonic clock, so a clock that jumps does no harm.
import type { Log } from '../../io/log.ts'
import type { Clock } from '../../lib/clock.ts'
import { createId } from '../../lib/ids.ts'
import type { workerLeaseRepository } from './worker-leases.repository.ts'

export type Lease = {
  id: string
  /** Whether this process may act on what it holds. False once its beat was not confirmed for too long, even before it notices. */
  isHeld(): boolean
  /** The workers that share the work, including this one, as of the last beat. */
  workerCount(): number
  /** Resolves when the lease is lost; never when it is released. */
  lost: Promise<void>
  /** Releases everything at once. */
  leave(): Promise<void>
}

export type LeaseTimes = { beatEveryMs: number; giveUpAfterMs: number; deadAfterMs: number }

/** A worker gives up well before others declare it dead. That gap keeps two owners apart. */
export const LEASE_TIMES: LeaseTimes = { beatEveryMs: 3_000, giveUpAfterMs: 12_000, deadAfterMs: 20_000 }

const GONE_LOOKED_FOR_EVERY_BEATS = 5
const UNCONFIRMED = 'the beat was not confirmed in time'

type Dependencies = {
  repositories: { workerLeases: ReturnType<typeof workerLeaseRepository> }
  clock: Clock
  log: Pick<Log, 'debug' | 'info' | 'warn' | 'error'>
}

/** Waits until the database lets this process in. */
export async function takeLease({ repositories, clock, log }: Dependencies, times: LeaseTimes = LEASE_TIMES): Promise<Lease> {
  const leases = repositories.workerLeases
  const id = createId()
  // The time before the question, not after the answer, because others may count from when it was written.
  let confirmedAtMs = clock.monotonicMs()
  await leases.register(id)
  let isOver = false
  const seen = new Map<string, { beat: string; sinceMs: number }>()
  const { promise: lost, resolve: declareLost } = Promise.withResolvers<void>()

  const age = () => clock.monotonicMs() - confirmedAtMs

  async function beat(): Promise<void> {
    const askedAtMs = clock.monotonicMs()
    if (await leases.beat(id)) confirmedAtMs = askedAtMs
    else lose('declared dead by another process')
  }

  async function watchOthers(): Promise<void> {
    const present = await leases.list()
    const nowMs = clock.monotonicMs()
    for (const other of present) {
      const known = seen.get(other.id)
      if (known?.beat !== other.beat) seen.set(other.id, { beat: other.beat, sinceMs: nowMs })
      else if (other.id !== id && nowMs - known.sinceMs >= times.deadAfterMs) {
        const wasFreed = await leases.free(other.id, other.beat, clock.now())
        if (wasFreed) log.warn({ workerId: other.id }, 'worker found dead, its work freed')
      }
    }
    const alive = new Set(present.map((other) => other.id))
    for (const known of seen.keys()) if (!alive.has(known)) seen.delete(known)
  }

  /** A claim may be committed just after its worker was declared dead. */
  async function freeWorkOfGone(): Promise<void> {
    for (const workerId of await leases.gone())
      if (await leases.freeGone(workerId, clock.now())) log.warn({ workerId }, 'work freed of a worker that was declared dead before')
  }

  function lose(reason: string): void {
    if (isOver) return
    isOver = true
    clearInterval(beating)
    clearInterval(checking)
    log.error({ workerId: id, reason }, 'worker lease lost')
    declareLost()
  }

  let isBusy = false
  let beats = 0
  const beating = setInterval(async () => {
    if (isBusy) return
    isBusy = true
    try {
      await beat()
      if (!isOver) await watchOthers()
      beats += 1
      if (!isOver && beats % GONE_LOOKED_FOR_EVERY_BEATS === 0) await freeWorkOfGone()
    } catch (error) {
      log.warn({ err: error, workerId: id }, 'worker beat failed')
    } finally {
      isBusy = false
    }
  }, times.beatEveryMs)
  const checking = setInterval(() => {
    if (age() >= times.giveUpAfterMs) lose(UNCONFIRMED)
  }, times.beatEveryMs / 6)

  return {
    id,
    workerCount: () => Math.max(1, seen.size),
    isHeld() {
      // Once false it stays false: what was dropped because of it must be freed by another worker.
      if (age() >= times.giveUpAfterMs) lose(UNCONFIRMED)
      return !isOver
    },
    lost,
    async leave() {
      if (isOver) return
      isOver = true
      clearInterval(beating)
      clearInterval(checking)
      await leases.free(id, null, clock.now())
    },
  }
}
