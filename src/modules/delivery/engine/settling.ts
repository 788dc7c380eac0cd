// Writes what became of things, many in one transaction, and keeps each until the database has accepted it, because it is a fact.
import { setTimeout as sleep } from 'node:timers/promises'
import { isRefusedData } from '../../../db/database-errors.ts'
import type { Lease } from '../../../db/leases/lease.ts'
import type { PlatformContext } from '../../../http/platform.context.ts'
import type { DeliveryContext } from '../delivery.context.ts'
import type { Settlement } from '../queue/deliveries.repository.ts'

type Context = PlatformContext & DeliveryContext

const RETRY_AFTER_FAULT_MS = 1_000

/** The wait before a retry of what the database refused. Retrying as fast as possible does not help. The process waits too, or the fact would be lost. */
export const pauseAfterFault = (): Promise<void> => sleep(RETRY_AFTER_FAULT_MS)

const BATCH_MAX = 200

export type SettlingOptions<Fact> = {
  write(facts: Fact[]): Promise<void>
  /** Writes it without its text: the database may refuse the text, but not the fact itself. */
  writeBare(fact: Fact, cause: unknown): Promise<void>
  /** They are written again later. */
  onFault(error: unknown, count: number): void
}

export type Settling<Fact> = {
  /** Resolves once it is written. Facts that arrive meanwhile share the next transaction. */
  settle(fact: Fact): Promise<void>
}

export function createSettling<Fact>({ write, writeBare, onFault }: SettlingOptions<Fact>): Settling<Fact> {
  const unsettled: { fact: Fact; settled: () => void }[] = []
  let isSettling = false

  async function settleAll(): Promise<void> {
    isSettling = true
    while (unsettled.length > 0) {
      const batch = unsettled.splice(0, BATCH_MAX)
      if (await isWritten(batch.map(({ fact }) => fact))) {
        for (const { settled } of batch) settled()
      } else {
        unsettled.unshift(...batch)
        await pauseAfterFault()
      }
    }
    isSettling = false
  }

  async function isWritten(facts: Fact[]): Promise<boolean> {
    try {
      await write(facts)
      return true
    } catch (error) {
      if (!isRefusedData(error)) {
        onFault(error, facts.length)
        return false
      }
      const [only] = facts
      if (only !== undefined && facts.length === 1)
        return writeBare(only, error).then(
          () => true,
          () => false,
        )
      // One of them is at fault. Written alone, it does not block the others.
      for (const fact of facts) if (!(await isWritten([fact]))) return false
      return true
    }
  }

  return {
    settle: (fact) =>
      new Promise((settled) => {
        unsettled.push({ fact, settled })
        if (!isSettling) void settleAll()
      }),
  }
}

export type Outcomes = Settling<Settlement>

export type OutcomesOptions = {
  /** Called after each commit: it wrote notifications, which webhooks may wait for. */
  onSettled: () => void
}

/** Writes what became of deliveries. */
export function createOutcomes(
  { repositories, clock, log, metrics }: Pick<Context, 'repositories' | 'clock' | 'log' | 'metrics'>,
  lease: Lease,
  { onSettled }: OutcomesOptions,
): Outcomes {
  const { deliveries } = repositories
  return createSettling({
    async write(settlements) {
      const { suppressed } = await deliveries.settle(lease.id, settlements, clock.now())
      for (const origin of suppressed) metrics.suppressionsAdded.inc({ origin })
      onSettled()
    },
    async writeBare(settlement, cause) {
      log.error({ err: cause, deliveryId: settlement.deliveryId }, 'details of an outcome refused by the database')
      const attempt = settlement.attempt && { ...settlement.attempt, host: null, tls: null, enhancedCode: null, text: null }
      await deliveries.settle(lease.id, [{ ...settlement, attempt, notifications: [] }], clock.now())
    },
    onFault: (error, count) => log.warn({ err: error, count }, 'outcomes not written'),
  })
}
