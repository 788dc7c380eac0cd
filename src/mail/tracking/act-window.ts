// Holds opens and clicks for a moment, because some programs are recognised only by what else they do within seconds.
import { LRUCache } from 'lru-cache'
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

/** `links` were followed when, and how many acts there were since `sinceMs`. */
type RecentActs = { links: Map<string, number>; trappedMs: number | null; sinceMs: number; count: number }

export type ActWindow = {
  /** False if too many are held. What a recipient does too often is left out without a word. */
  add(act: TrackedAct, nowMs: number): boolean
  /** Those that have been held long enough, in the order in which they came. */
  takeDue(nowMs: number): ActInContext[]
  takeAll(): ActInContext[]
  isEmpty(): boolean
}

/** What a program does, it does within this time. */
export const HELD_MS = 2_000
/** Ten seconds of 3,000 a second. Each takes about a kilobyte. */
const HELD_ACTS_MAX = 30_000
/** Recipients whose last acts are known. The least recent are forgotten. */
const RECIPIENTS_MAX = 30_000
/** Of one recipient, in a minute. Anyone who has a link could fill the database with it otherwise. */
const ACTS_PER_MINUTE_MAX = 60
const MINUTE_MS = 60_000
/** Enough to tell a program from a person. */
const LINKS_KNOWN_MAX = 10

/** @param heldMax for tests */
export function createActWindow({ heldMax = HELD_ACTS_MAX } = {}): ActWindow {
  let held: { act: TrackedAct; addedMs: number }[] = []
  const recent = new LRUCache<string, RecentActs>({ max: RECIPIENTS_MAX })

  function recentOf(recipientId: string, nowMs: number): RecentActs {
    const known = recent.get(recipientId) ?? { links: new Map(), trappedMs: null, sinceMs: nowMs, count: 0 }
    if (nowMs - known.sinceMs >= MINUTE_MS) Object.assign(known, { sinceMs: nowMs, count: 0 })
    recent.set(recipientId, known)
    return known
  }

  function note({ kind, target }: TrackedAct, known: RecentActs, nowMs: number): void {
    known.count += 1
    if (kind === 'trap') known.trappedMs = nowMs
    if (kind !== 'click') return
    if (known.links.has(target) || known.links.size < LINKS_KNOWN_MAX || forgetOld(known.links, nowMs)) known.links.set(target, nowMs)
  }

  function inContext({ act, addedMs }: (typeof held)[number]): ActInContext {
    const known = recent.get(act.recipientId)
    const isNear = (ms: number) => Math.abs(ms - addedMs) <= HELD_MS
    return {
      act,
      linksAtOnce: known ? [...known.links.values()].filter(isNear).length : 0,
      isTrapped: known !== undefined && known.trappedMs !== null && isNear(known.trappedMs),
    }
  }

  function take(count: number): ActInContext[] {
    const taken = held.slice(0, count)
    held = held.slice(count)
    return taken.filter(({ act }) => act.kind !== 'trap').map(inContext)
  }

  return {
    add(act, nowMs) {
      if (held.length >= heldMax) return false
      const known = recentOf(act.recipientId, nowMs)
      if (known.count >= ACTS_PER_MINUTE_MAX) return true
      note(act, known, nowMs)
      held.push({ act, addedMs: nowMs })
      return true
    },
    takeDue(nowMs) {
      const waiting = held.findIndex(({ addedMs }) => addedMs + HELD_MS > nowMs)
      return take(waiting === -1 ? held.length : waiting)
    },
    takeAll: () => take(held.length),
    isEmpty: () => held.length === 0,
  }
}

/** Makes room for a new link. */
function forgetOld(links: Map<string, number>, nowMs: number): boolean {
  for (const [target, ms] of links) if (nowMs - ms > HELD_MS) links.delete(target)
  return links.size < LINKS_KNOWN_MAX
}
