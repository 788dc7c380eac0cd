// What delivery gives to those that come after: its repositories, and what else compose makes of it.
import type { Database } from '../../db/database.ts'
import type { DestinationLimit } from '../../io/smtp/client/destination-limits.ts'
import type { MxDirectory, MxSet } from '../../io/smtp/client/mx-directory.ts'
import type { SmtpRelay } from '../../io/smtp/client/relay.ts'
import type { DirectDelivery } from '../../io/smtp/client/smtp-sending.ts'
import type { SoftBounceLimits } from '../suppressions/soft-bounces.ts'
import { destinationPaceRepository } from './pace/destination-paces.repository.ts'
import { deliveryRepository } from './queue/deliveries.repository.ts'
import { laneRepository } from './queue/lanes.repository.ts'
import { queuePauseRepository } from './queue/queue-pauses.repository.ts'
import { queueViewRepository } from './queue/queue-view.repository.ts'
import { type ReturnPathTokens, returnPathHostRepository } from './return-path.ts'

export type DeliveryContext = {
  repositories: ReturnType<typeof deliveryRepositories>
  gateways: {
    /** Null unless mail is sent to a relay. */
    relay: SmtpRelay | null
    /** Null unless mail is sent straight to the recipients' servers. */
    direct: { directory: MxDirectory; delivery: DirectDelivery; limitOf: (set: MxSet) => DestinationLimit } | null
  }
  returnPathTokens: ReturnPathTokens
}

export const deliveryRepositories = (database: Database, { softBounces }: { softBounces: SoftBounceLimits }) => ({
  deliveries: deliveryRepository(database, { softBounces }),
  destinationPaces: destinationPaceRepository(database),
  lanes: laneRepository(database),
  queuePauses: queuePauseRepository(database),
  queueView: queueViewRepository(database),
  returnPathHosts: returnPathHostRepository(database),
})
