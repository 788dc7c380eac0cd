import type { Context } from '../../context.ts'
import type { Settlement } from '../../repositories/engine/deliveries.ts'
import type { Lease } from './lease.ts'
import { createSettling, type Settling } from './settling.ts'

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
