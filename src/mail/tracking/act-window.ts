// Holds opens and clicks for a moment, because some programs are recognized only by what else they do within seconds.
import { LRUCache } from 'lru-cache'
import { createFairShares } from '../../lib/limits/fair-shares.ts'
import type { TrackedLink } from '../../lib/signing/tracking-tokens.ts'

/** What a reader, or a program, did with a tracked mail. */
export type TrackedAct = TrackedLink & {
  method: 'GET' | 'HEAD'
  userAgent: string
  address: string
  at: Date
}

/** An act with what the same recipient did at about the same time. */
export type ActInContext = { act: TrackedAct; linksAtOnce: number; isTrapped: boolean }

/** `links` were followed when, and how many acts there were since `minuteMs` and since `dayMs`. */
type RecentActs = {
  links: { target: string; atMs: number }[]
  trappedMs: number | null
  minuteMs: number
  ofMinute: number
  dayMs: number
  ofDay: number
}

/** `minute`, `day`: the recipient had too many in this time. `full`: too many wait, of this sender or of all. */
export type ActVerdict = 'held' | 'minute' | 'day' | 'full'

export type ActWindow = {
  add(act: TrackedAct, nowMs: number): ActVerdict
  /** Returns the acts that have been held long enough, in the order in which they came. They take up room until they are released. */
  takeDue(nowMs: number): ActInContext[]
  takeAll(): ActInContext[]
  /** They were recorded or lost, so others find room. */
  release(acts: readonly ActInContext[]): void
  isEmpty(): boolean
}

/** What a program does, it does within this time. */
export const HELD_MS = 2_000
/** The limit for all acts until they are recorded: some 75,000, or 25 seconds of 3,000 a second. */
export const WAITING_BYTES_MAX = 64 * 1024 * 1024
/** What an act costs in addition to its texts, roughly. */
export const ACT_BYTES = 700
/** Recipients whose last acts are known. The least recent are forgotten. */
const RECIPIENTS_MAX = 30_000
/** The limit for one recipient. Anyone who has a link could otherwise fill the database with it. */
const ACTS_PER_MINUTE_MAX = 60
const ACTS_PER_DAY_MAX = 1_000
const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS
/** Enough to tell a program from a person. */
const LINKS_KNOWN_MAX = 10

/** @param bytesMax for tests */
export function createActWindow({ bytesMax = WAITING_BYTES_MAX } = {}): ActWindow {
  let held: { act: TrackedAct; addedMs: number }[] = []
  const recent = new LRUCache<string, RecentActs>({ max: RECIPIENTS_MAX })
  const shares = createFairShares(bytesMax)

  function recentOf(recipientId: string, nowMs: number): RecentActs {
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

  function inContext({ act, addedMs }: (typeof held)[number]): ActInContext {
    const known = recent.get(act.recipientId)
    const isNear = (atMs: number) => Math.abs(atMs - addedMs) <= HELD_MS
    return {
      act,
      linksAtOnce: known ? known.links.filter(({ atMs }) => isNear(atMs)).length : 0,
      isTrapped: known !== undefined && known.trappedMs !== null && isNear(known.trappedMs),
    }
  }

  function take(count: number): ActInContext[] {
    const taken = held.slice(0, count)
    held = held.slice(count)
    const acts: ActInContext[] = []
    for (const one of taken) {
      if (one.act.kind === 'trap') giveBack(one.act)
      else acts.push(inContext(one))
    }
    return acts
  }

  const giveBack = (act: TrackedAct) => shares.giveBack(ownerOf(act), bytesOf(act))

  return {
    add(act, nowMs) {
      const known = recentOf(act.recipientId, nowMs)
      if (known.ofDay >= ACTS_PER_DAY_MAX) return 'day'
      if (known.ofMinute >= ACTS_PER_MINUTE_MAX) return 'minute'
      if (!shares.take(ownerOf(act), bytesOf(act))) return 'full'
      note(act, known, nowMs)
      held.push({ act, addedMs: nowMs })
      return 'held'
    },
    takeDue(nowMs) {
      const waiting = held.findIndex(({ addedMs }) => addedMs + HELD_MS > nowMs)
      return take(waiting === -1 ? held.length : waiting)
    },
    takeAll: () => take(held.length),
    release(acts) {
      for (const { act } of acts) giveBack(act)
    },
    isEmpty: () => held.length === 0,
  }
}

/** Who has the room that an act takes up: a domain, which has one team, or else the operator, by whose wish the rest is tracked. */
const ownerOf = ({ domainId }: TrackedAct): string => domainId ?? 'operator'

export const bytesOf = ({ target, userAgent }: TrackedAct): number => ACT_BYTES + target.length + userAgent.length

function note({ kind, target }: TrackedAct, known: RecentActs, nowMs: number): void {
  known.ofMinute += 1
  known.ofDay += 1
  if (kind === 'trap') known.trappedMs = nowMs
  if (kind !== 'click') return
  const same = known.links.find((link) => link.target === target)
  if (same) same.atMs = nowMs
  else if (known.links.length < LINKS_KNOWN_MAX || forgetOld(known, nowMs)) known.links.push({ target, atMs: nowMs })
}

/** Makes room for a new link. */
function forgetOld(known: RecentActs, nowMs: number): boolean {
  known.links = known.links.filter(({ atMs }) => nowMs - atMs <= HELD_MS)
  return known.links.length < LINKS_KNOWN_MAX
}
