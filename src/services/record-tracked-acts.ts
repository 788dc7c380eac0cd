// Records what the readers of tracked mail do, a little later than they do it, so that no reader waits for the database.
import type { Context, TrackedActs } from '../context.ts'
import type { Clock } from '../lib/clock.ts'
import { createWriteBehind } from '../lib/write-behind.ts'
import { type ActInContext, createActWindow } from '../mail/tracking/act-window.ts'
import { machineRuleOf } from '../mail/tracking/machine-rules.ts'
import type { NewTrackedAct, TrackedFacts } from '../repositories/tracking/tracked-acts.ts'

export type TrackedActsOptions = {
  repository: Context['repositories']['trackedActs']
  /** False: addresses are used to recognise programs, and not stored. */
  storesAddresses: boolean
  clock: Clock
  /** Called for each batch that was recorded. */
  onRecorded: (acts: readonly Pick<NewTrackedAct, 'kind' | 'isMachine'>[]) => void
  /** Called when opens and clicks could not be kept: how many, and why. */
  onLost: (count: number, reason: unknown) => void
}

/** How often those that have been held long enough are taken. */
const LOOKS_EVERY_MS = 250
/** In addition to the time for which they are held. */
const WRITTEN_EVERY_MS = 100
/** In one transaction. */
const BATCH_ACTS_MAX = 500
/** While the database does not answer: ten seconds of 3,000 a second. */
const WAITING_ACTS_MAX = 30_000
const WAITING_BYTES_MAX = 64 * 1024 * 1024
/** What an act costs in addition to its texts, roughly. */
const ACT_BYTES = 500

export function createTrackedActs({ repository, storesAddresses, clock, onRecorded, onLost }: TrackedActsOptions): TrackedActs {
  const window = createActWindow()
  const writing = createWriteBehind<ActInContext>({
    write,
    everyMs: WRITTEN_EVERY_MS,
    batchItemsMax: BATCH_ACTS_MAX,
    waitingItemsMax: WAITING_ACTS_MAX,
    waitingBytesMax: WAITING_BYTES_MAX,
    onLost,
  })
  let timer: NodeJS.Timeout | null = null
  let refused = 0

  async function write(batch: ActInContext[]): Promise<void> {
    const since = new Date(Math.min(...batch.map(({ act }) => act.at.getTime())))
    const facts = await repository.factsAcrossTeams(
      batch.map(({ act }) => act),
      since,
    )
    const acts = batch.flatMap((one) => {
      const known = facts.get(one.act.recipientId)
      return known ? [judged(one, known)] : []
    })
    if (acts.length === 0) return
    await repository.recordAcrossTeams(acts, clock.now())
    onRecorded(acts)
  }

  function judged({ act, linksAtOnce, isTrapped }: ActInContext, { teamId, address, deliveredAt }: TrackedFacts): NewTrackedAct {
    const kind = act.kind === 'open' ? 'open' : 'click'
    const msAfterDelivery = deliveredAt === null ? null : act.at.getTime() - deliveredAt.getTime()
    return {
      kind,
      teamId,
      emailId: act.emailId,
      recipientId: act.recipientId,
      address,
      at: act.at,
      isMachine: machineRuleOf({ ...act, kind, msAfterDelivery, linksAtOnce, isTrapped }) !== null,
      target: act.target,
      userAgent: act.userAgent,
      ipAddress: storesAddresses ? act.address : null,
    }
  }

  function hand(acts: ActInContext[]): void {
    for (const one of acts) writing.add(one, ACT_BYTES + one.act.target.length + one.act.userAgent.length)
    if (refused === 0) return
    onLost(refused, new Error('too many opens and clicks at once'))
    refused = 0
  }

  function look(): void {
    if (timer !== null) return
    timer = setTimeout(() => {
      timer = null
      hand(window.takeDue(clock.monotonicMs()))
      if (!window.isEmpty()) look()
    }, LOOKS_EVERY_MS).unref()
  }

  return {
    add(act) {
      if (!window.add(act, clock.monotonicMs())) refused += 1
      look()
    },
    async flush() {
      hand(window.takeAll())
      await writing.flush()
    },
  }
}
