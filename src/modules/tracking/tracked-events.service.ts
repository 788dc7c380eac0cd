// Records what the readers of tracked mail do, a little later than they do it, so that no reader waits for the database.

import type { Clock } from '../../lib/clock.ts'
import { createWriteBehind } from '../../lib/write-behind.ts'
import { bytesOf, createMachineHold, EVENT_BYTES, type EventInContext, WAITING_BYTES_MAX } from './machine-hold.ts'
import { findMachineRule } from './machine-rules.ts'
import type { NewTrackedEvent, TrackedFacts } from './tracked-events.repository.ts'
import type { EventRecorder, TrackingContext } from './tracking.context.ts'

type Context = TrackingContext

export type EventTrackerOptions = {
  repository: Context['repositories']['trackedEvents']
  /** False: addresses are used to recognize programs, and not stored. */
  storesAddresses: boolean
  clock: Clock
  /** For each click, the link that stands in what was sent to many; null if it is the same for all. */
  linksAsWritten: (clicks: readonly { emailId: string; target: string }[]) => Promise<(string | null)[]>
  /** Called for each batch that was recorded. */
  onRecorded: (events: readonly Pick<NewTrackedEvent, 'kind' | 'machineRule'>[]) => void
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
const BATCH_EVENTS_MAX = 200
/** While the database is away: for a minute, or until there is no room. */
const RETRIES_EVERY_MS = 1_000
const TRIES_MAX = 60
/** At least as many as the window gives out, so that it alone decides whose are lost. */
const WAITING_EVENTS_MAX = Math.ceil(WAITING_BYTES_MAX / EVENT_BYTES)

export function createEventRecorder(options: EventTrackerOptions): EventRecorder {
  const { repository, storesAddresses, clock, linksAsWritten, onRecorded, onLeftOut, onLost } = options
  const window = createMachineHold()
  const writing = createWriteBehind<EventInContext>({
    write,
    everyMs: WRITTEN_EVERY_MS,
    batchItemsMax: BATCH_EVENTS_MAX,
    waitingItemsMax: WAITING_EVENTS_MAX,
    waitingBytesMax: WAITING_BYTES_MAX,
    triesMax: TRIES_MAX,
    retriesEveryMs: RETRIES_EVERY_MS,
    onLost,
    onLeft: window.release,
  })
  let timer: NodeJS.Timeout | null = null
  let refused = 0

  async function write(batch: EventInContext[]): Promise<void> {
    const since = new Date(Math.min(...batch.map(({ event }) => event.at.getTime())))
    const facts = await repository.factsAcrossTeams(
      batch.map(({ event }) => event),
      since,
    )
    const events = batch.flatMap((one) => {
      const known = facts.get(one.event.recipientId)
      return known ? [toNewEvent(one, known)] : []
    })
    if (events.length > 0) {
      const clicks = events.filter(({ kind }) => kind === 'click')
      const written = clicks.length === 0 ? [] : await linksAsWritten(clicks)
      for (const [index, click] of clicks.entries()) click.writtenLink = written[index] ?? null
      await repository.recordAcrossTeams(events, clock.now())
      onRecorded(events)
    }
    if (events.length < batch.length) onLeftOut(batch.length - events.length, 'gone')
  }

  function toNewEvent({ event, linksAtOnce, isTrapped }: EventInContext, { teamId, address, deliveredAt }: TrackedFacts): NewTrackedEvent {
    const kind = event.kind === 'open' ? 'open' : 'click'
    const msAfterDelivery = deliveredAt === null ? null : event.at.getTime() - deliveredAt.getTime()
    return {
      kind,
      teamId,
      emailId: event.emailId,
      recipientId: event.recipientId,
      address,
      at: event.at,
      machineRule: findMachineRule({ ...event, kind, msAfterDelivery, linksAtOnce, isTrapped }),
      target: event.target,
      writtenLink: null,
      userAgent: event.userAgent,
      ipAddress: storesAddresses ? event.address : null,
    }
  }

  function hand(events: EventInContext[]): void {
    for (const one of events) writing.add(one, bytesOf(one.event))
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
    add(event) {
      const verdict = window.add(event, clock.monotonicMs())
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
