// How much may be on its way, in all and to each destination, and how it gets there.
import type { Context } from '../context.ts'
import type { LaneRoom } from '../lib/lanes.ts'
import type { ClaimedDelivery } from '../repositories/deliveries.ts'
import type { BuiltMessage } from '../services/build-message.ts'
import type { Lease } from './lease.ts'
import type { Outcome } from './settlements.ts'
import { transmit } from './transmit.ts'

/** Deliveries that are claimed and not settled: several times the connections, so that these never wait for the database. */
const IN_FLIGHT_MAX = 240
/** Of these, bulk mail gets at most so many: the rest is kept for mail that somebody waits for. */
const BULK_IN_FLIGHT_MAX = 200
/** Bulk mail is claimed when there is room for so many: smaller batches cost more per message. */
const BULK_CLAIM_MIN = 20

export function createDestinations(context: Context, { lease }: { lease: Lease; onRoom: () => void }) {
  let inFlight = 0
  let bulkInFlight = 0

  return {
    room(): LaneRoom {
      const freeForBulk = BULK_IN_FLIGHT_MAX - bulkInFlight
      return {
        free: IN_FLIGHT_MAX - inFlight,
        freeForBulk: freeForBulk >= BULK_CLAIM_MIN ? freeForBulk : 0,
        at: () => IN_FLIGHT_MAX,
      }
    },

    took(delivery: ClaimedDelivery): void {
      inFlight += 1
      if (delivery.class === 'bulk') bulkInFlight += 1
    },

    /** True when there is room again for more than before. */
    ended(delivery: ClaimedDelivery): boolean {
      inFlight -= 1
      if (delivery.class === 'bulk') bulkInFlight -= 1
      return true
    },

    transmit(delivery: ClaimedDelivery, message: BuiltMessage): Promise<Outcome> {
      return transmit(context, { delivery, message, mayContinue: lease.isHeld })
    },
  }
}
