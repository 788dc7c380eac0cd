// What a load balancer asks: whether this process can work, and for each of its parts what is wrong.

import { restoreHoldNotice } from '../../db/held.ts'
import type { PlatformContext } from '../../http/platform.context.ts'
import type { DeliveryContext } from '../delivery/delivery.context.ts'
import type { DeliverabilityContext } from './deliverability.context.ts'

type Context = PlatformContext & DeliveryContext & DeliverabilityContext

type ReadinessParts = {
  repositories: Pick<Context['repositories'], 'health' | 'queuePauses'>
  diskSpace: { isLow(): Promise<boolean> }
  /** Null if this process has no worker. */
  worker: { isRunning(): boolean } | null
  missingPartitions: () => Promise<string[]>
  /** Whether the bucket does; null if there is none. */
  storageAnswers: (() => Promise<boolean>) | null
  isStopping: () => boolean
}

export async function checkReadiness(parts: ReadinessParts): ReturnType<Context['readiness']> {
  const { repositories, diskSpace, worker, storageAnswers } = parts
  // Load balancers learn it without waiting for the rest.
  if (parts.isStopping()) return { isReady: false, checks: { process: 'is stopping' }, schema: null }
  const disk = await diskSpace.isLow().then(
    (isLow) => (isLow ? 'almost full' : 'ok'),
    () => 'cannot be looked at',
  )
  if (!(await repositories.health.answers())) return { isReady: false, checks: { database: 'does not answer', disk }, schema: null }
  if (!(await repositories.health.hasRoom()))
    return { isReady: false, checks: { database: 'cannot store: its disk is full', disk }, schema: await repositories.health.schema() }
  const missing = await parts.missingPartitions()
  const heldSince = await repositories.queuePauses.heldSinceBackupAcrossTeams()
  const checks = { database: 'ok', disk, ...(worker && { worker: worker.isRunning() ? 'ok' : 'has no lease' }) }
  return {
    isReady: Object.values(checks).every((check) => check === 'ok'),
    schema: await repositories.health.schema(),
    // The first row of a day makes the missing partition. Operators should look at the workers, but requests need not go elsewhere.
    checks: {
      ...checks,
      partitions: missing.length === 0 ? 'ok' : `made when needed: ${missing.join(', ')}`,
      // Other processes would ask the same store, and emails without files need none.
      ...(storageAnswers && { storage: (await storageAnswers()) ? 'ok' : 'does not answer' }),
      // What is accepted is kept, so requests need not go elsewhere.
      ...(heldSince && { queue: restoreHoldNotice(heldSince) }),
    },
  }
}
