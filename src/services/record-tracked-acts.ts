// Records what the readers of tracked mail do, a little later than they do it, so that no reader waits for the database.
import type { Context, TrackedActs } from '../context.ts'
import type { Clock } from '../lib/clock.ts'
import { createWriteBehind } from '../lib/write-behind.ts'
import { ACT_BYTES, type ActInContext, bytesOf, createActWindow, WAITING_BYTES_MAX } from '../mail/tracking/act-window.ts'
import { machineRuleOf } from '../mail/tracking/machine-rules.ts'
import type { NewTrackedAct, TrackedFacts } from '../repositories/tracking/tracked-acts.ts'

export type TrackedActsOptions = {
  repository: Context['repositories']['trackedActs']
  /** False: addresses are used to recognize programs, and not stored. */
  storesAddresses: boolean
  clock: Clock
  /** For each click, the link that stands in what was sent to many; null if it is the same for all. */
  linksAsWritten: (clicks: readonly { emailId: string; target: string }[]) => Promise<(string | null)[]>
  /** Called for each batch that was recorded. */
  onRecorded: (acts: readonly Pick<NewTrackedAct, 'kind' | 'machineRule'>[]) => void
  /** Called for opens and clicks that are not recorded: so many of one recipient in a minute or a day, or what they are of is gone. */
  onLeftOut: (count: number, reason: 'minute' | 'day' | 'gone') => void
  /** Called when opens and clicks could not be kept: how many, and why. */
  onLost: (count: number, reason: unknown) => void
}

/** How often those that have been held long enough are taken. Seldom and many at a time would make requests wait for the database and for us. */
const LOOKS_EVERY_MS = 50
/** Added to the time for which they are held. */
const WRITTEN_EVERY_MS = 25
/** The limit of one transaction. */
const BATCH_ACTS_MAX = 200
/** While the database is away: for a minute, or until there is no room. */
const RETRIES_EVERY_MS = 1_000
const TRIES_MAX = 60
/** At least as many as the window gives out, so that it alone decides whose are lost. */
const WAITING_ACTS_MAX = Math.ceil(WAITING_BYTES_MAX / ACT_BYTES)

export function createTrackedActs(options: TrackedActsOptions): TrackedActs {
  const { repository, storesAddresses, clock, linksAsWritten, onRecorded, onLeftOut, onLost } = options
  const window = createActWindow()
  const writing = createWriteBehind<ActInContext>({
    write,
    everyMs: WRITTEN_EVERY_MS,
    batchItemsMax: BATCH_ACTS_MAX,
    waitingItemsMax: WAITING_ACTS_MAX,
    waitingBytesMax: WAITING_BYTES_MAX,
    triesMax: TRIES_MAX,
    retriesEveryMs: RETRIES_EVERY_MS,
    onLost,
    onLeft: window.release,
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
    if (acts.length > 0) {
      const clicks = acts.filter(({ kind }) => kind === 'click')
      const written = clicks.length === 0 ? [] : await linksAsWritten(clicks)
      for (const [index, click] of clicks.entries()) click.writtenLink = written[index] ?? null
      await repository.recordAcrossTeams(acts, clock.now())
      onRecorded(acts)
    }
    if (acts.length < batch.length) onLeftOut(batch.length - acts.length, 'gone')
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
      machineRule: machineRuleOf({ ...act, kind, msAfterDelivery, linksAtOnce, isTrapped }),
      target: act.target,
      writtenLink: null,
      userAgent: act.userAgent,
      ipAddress: storesAddresses ? act.address : null,
    }
  }

  function hand(acts: ActInContext[]): void {
    for (const one of acts) writing.add(one, bytesOf(one.act))
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
      const verdict = window.add(act, clock.monotonicMs())
      if (verdict === 'full') refused += 1
      else if (verdict !== 'held') onLeftOut(1, verdict)
      look()
    },
    async flush() {
      hand(window.takeAll())
      await writing.flush()
    },
  }
}
