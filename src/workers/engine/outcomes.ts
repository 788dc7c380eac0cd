// Writes outcomes, many in one transaction, and keeps each until the database has accepted it, because an outcome is a fact.
import type { Context } from '../../context.ts'
import { isRefusedData } from '../../lib/database-errors.ts'
import type { Settlement } from '../../repositories/engine/deliveries.ts'
import type { Lease } from './lease.ts'
import { pauseAfterFault } from './pause.ts'

const BATCH_MAX = 200

export type Outcomes = {
  /** Resolves once it is written. Settlements that arrive meanwhile share the next transaction. */
  settle(settlement: Settlement): Promise<void>
}

export function createOutcomes(
  { repositories, clock, log, metrics }: Pick<Context, 'repositories' | 'clock' | 'log' | 'metrics'>,
  lease: Lease,
): Outcomes {
  const { deliveries } = repositories
  const unsettled: { settlement: Settlement; settled: () => void }[] = []
  let isSettling = false

  async function settleAll(): Promise<void> {
    isSettling = true
    while (unsettled.length > 0) {
      const batch = unsettled.splice(0, BATCH_MAX)
      if (await write(batch.map(({ settlement }) => settlement))) {
        for (const { settled } of batch) settled()
      } else {
        unsettled.unshift(...batch)
        await pauseAfterFault()
      }
    }
    isSettling = false
  }

  async function write(settlements: Settlement[]): Promise<boolean> {
    try {
      const { suppressed } = await deliveries.settle(lease.id, settlements, clock.now())
      for (const origin of suppressed) metrics.suppressionsAdded.inc({ origin })
      return true
    } catch (error) {
      if (!isRefusedData(error)) {
        log.warn({ err: error, count: settlements.length }, 'outcomes not written')
        return false
      }
      const [only] = settlements
      if (only && settlements.length === 1) return writeBare(only, error)
      // One of them is at fault. Written alone, it does not block the others.
      for (const settlement of settlements) if (!(await write([settlement]))) return false
      return true
    }
  }

  /** Writes the outcome without its text: the database may refuse the text, but not the outcome itself. */
  async function writeBare(settlement: Settlement, cause: unknown): Promise<boolean> {
    log.error({ err: cause, deliveryId: settlement.deliveryId }, 'details of an outcome refused by the database')
    const attempt = settlement.attempt && { ...settlement.attempt, host: null, tls: null, enhancedCode: null, text: null }
    return deliveries.settle(lease.id, [{ ...settlement, attempt, notifications: [] }], clock.now()).then(
      () => true,
      () => false,
    )
  }

  return {
    settle: (settlement) =>
      new Promise((settled) => {
        unsettled.push({ settlement, settled })
        if (!isSettling) void settleAll()
      }),
  }
}
