// Holds opens and clicks for a moment, because some programs are recognized only by what else they do within seconds.
import { LRUCache } from 'lru-cache'
import { upTo } from '../../lib/cache.ts'
import { DAY_MS, MINUTE_MS } from '../../lib/clock.ts'
import { createFairQuota } from '../../lib/limits/fair.ts'
import type { TrackedLink } from './tracking-tokens.ts'

/** What a reader, or a program, did with a tracked mail. */
export type TrackedEvent = TrackedLink & {
  method: 'GET' | 'HEAD'
  userAgent: string
  address: string
  at: Date
}

/** An event with what the same recipient did at about the same time. */
export type EventInContext = { event: TrackedEvent; linksAtOnce: number; isTrapped: boolean }

/** `links` were followed when, and how many events there were since `minuteMs` and since `dayMs`. */
type RecentEvents = {
  links: { target: string; atMs: number }[]
  trappedMs: number | null
  minuteMs: number
  ofMinute: number
  dayMs: number
  ofDay: number
}

/** `minute`, `day`: the recipient had too many in this time. `full`: too many wait, of this sender or of all. */
export type WindowVerdict = 'held' | 'minute' | 'day' | 'full'

export type MachineHold = {
  add(event: TrackedEvent, nowMs: number): WindowVerdict
  /** Returns the events that have been held long enough, in the order in which they came. They take up room until they are released. */
  takeDue(nowMs: number): EventInContext[]
  takeAll(): EventInContext[]
  /** They were recorded or lost, so others find room. */
  release(events: readonly EventInContext[]): void
  isEmpty(): boolean
}

/** What a program does, it does within this time. */
export const HELD_MS = 2_000
/** The limit for all events until they are recorded: some 75,000, or 25 seconds of 3,000 a second. */
export const WAITING_BYTES_MAX = 64 * 1024 * 1024
/** What an event costs in addition to its texts, roughly. */
export const EVENT_BYTES = 700
/** Recipients whose last events are known. The least recent are forgotten. */
const RECIPIENTS_MAX = 30_000
/** The limit for one recipient. Anyone who has a link could otherwise fill the database with it. */
const EVENTS_PER_MINUTE_MAX = 60
const EVENTS_PER_DAY_MAX = 1_000
/** Enough to tell a program from a person. */
const LINKS_KNOWN_MAX = 10

/** @param bytesMax for tests */
export function createMachineHold({ bytesMax = WAITING_BYTES_MAX } = {}): MachineHold {
  let held: { event: TrackedEvent; addedMs: number }[] = []
  const recent = new LRUCache<string, RecentEvents>(upTo(RECIPIENTS_MAX))
  const shares = createFairQuota(bytesMax)

  function recentOf(recipientId: string, nowMs: number): RecentEvents {
    const known = recent.get(recipientId)
    if (known === undefined) {
      const first = { links: [], trappedMs: null, minuteMs: nowMs, ofMinute: 0, dayMs: nowMs, ofDay: 0 }
      recent.set(recipientId, first)
      return first
    }
    if (nowMs - known.minuteMs >= MINUTE_MS) Object.assign(known, { minuteMs: nowMs, ofMinute: 0 })
    if (nowMs - known.dayMs >= DAY_MS) Object.assign(known, { dayMs: nowMs, ofDay: 0 })
    return known
  }

  function inContext({ event, addedMs }: (typeof held)[number]): EventInContext {
    const known = recent.get(event.recipientId)
    const isNear = (atMs: number) => Math.abs(atMs - addedMs) <= HELD_MS
    return {
      event,
      linksAtOnce: known ? known.links.filter(({ atMs }) => isNear(atMs)).length : 0,
      isTrapped: known !== undefined && known.trappedMs !== null && isNear(known.trappedMs),
    }
  }

  function take(count: number): EventInContext[] {
    const taken = held.slice(0, count)
    held = held.slice(count)
    const events: EventInContext[] = []
    for (const one of taken) {
      if (one.event.kind === 'trap') giveBack(one.event)
      else events.push(inContext(one))
    }
    return events
  }

  const giveBack = (event: TrackedEvent) => shares.giveBack(ownerOf(event), bytesOf(event))

  return {
    add(event, nowMs) {
      const known = recentOf(event.recipientId, nowMs)
      if (known.ofDay >= EVENTS_PER_DAY_MAX) return 'day'
      if (known.ofMinute >= EVENTS_PER_MINUTE_MAX) return 'minute'
      if (!shares.take(ownerOf(event), bytesOf(event))) return 'full'
      note(event, known, nowMs)
      held.push({ event, addedMs: nowMs })
      return 'held'
    },
    takeDue(nowMs) {
      const waiting = held.findIndex(({ addedMs }) => addedMs + HELD_MS > nowMs)
      return take(waiting === -1 ? held.length : waiting)
    },
    takeAll: () => take(held.length),
    release(events) {
      for (const { event } of events) giveBack(event)
    },
    isEmpty: () => held.length === 0,
  }
}

/** The holder of the room that an event takes up: a domain, which has one team, or else the operator, by whose wish the rest is tracked. */
const ownerOf = ({ domainId }: TrackedEvent): string => domainId ?? 'operator'

export const bytesOf = ({ target, userAgent }: TrackedEvent): number => EVENT_BYTES + target.length + userAgent.length

function note({ kind, target }: TrackedEvent, known: RecentEvents, nowMs: number): void {
  known.ofMinute += 1
  known.ofDay += 1
  if (kind === 'trap') known.trappedMs = nowMs
  if (kind !== 'click') return
  const same = known.links.find((link) => link.target === target)
  if (same) same.atMs = nowMs
  else if (known.links.length < LINKS_KNOWN_MAX || forgetOld(known, nowMs)) known.links.push({ target, atMs: nowMs })
}

/** Makes room for a new link. */
function forgetOld(known: RecentEvents, nowMs: number): boolean {
  known.links = known.links.filter(({ atMs }) => nowMs - atMs <= HELD_MS)
  return known.links.length < LINKS_KNOWN_MAX
}
