// The parts of pages that people look at right now. Each is read again every few seconds, once for everyone who looks at it, and goes to them only
// when it has changed. Nothing of a database is held in between.
import type { SafeHtml } from '@remix-run/html-template'
import { type Clock, within } from '../../lib/clock.ts'
import { Failure } from '../../lib/failure.ts'
import { createFairSemaphore } from '../../lib/limits/fair-semaphore.ts'
import type { EventStream } from '../../modules/console/live/event-stream.ts'
import { judgeStream, STREAM_LIMITS, type StreamLimits, streamRefusal } from '../../modules/console/live/stream-limits.ts'
import { fragmentVersion } from '../shell/fragments.ts'

export type LiveLimits = StreamLimits & {
  /** Parts that are read at once, so that streams leave most connections to the database to others. */
  readsMax: number
  /** A part that takes longer hangs. It gives its place to others. */
  readMs: number
  /** After the last time that a part was read. */
  everyMs: number
}

export const LIVE_LIMITS: Omit<LiveLimits, 'streamsMax'> = {
  ...STREAM_LIMITS,
  readsMax: 2,
  readMs: 10_000,
  everyMs: 1_500,
}

export type Watcher = {
  stream: EventStream
  /** The team that watches. Operators share one id. */
  teamId: string
  sessionId: string
  /** What the browser has already. */
  version: string | null
  /** Whether the person may still read the part. */
  isAllowed: () => Promise<boolean>
}

export type WatchedPart = {
  /** Names the part among those of the team. */
  address: string
  read: () => Promise<SafeHtml>
  everyMs?: number | undefined
}

/** Then something hangs, and people are told when their pages ask again. */
const WAIT_MS_MAX = 60_000

/** `waiting`: the next read, which has not begun. `tookMs`: the last one, without its waiting. */
type Live = WatchedPart & {
  teamId: string
  watchers: Set<Watcher>
  timer: NodeJS.Timeout | null
  waiting: Promise<SafeHtml> | null
  tookMs: number
}

export function createLiveParts(limits: LiveLimits, { clock, onFault }: { clock: Clock; onFault: (error: unknown) => void }) {
  const parts = new Map<string, Live>()
  const all = new Set<Watcher>()
  /** One part of a team at a time, so that none keeps the others waiting. */
  const places = createFairSemaphore({
    atOnceMax: { perKey: 1, inAll: limits.readsMax },
    waitingMax: { perKey: limits.streamsMax, inAll: limits.streamsMax },
    waitMsMax: WAIT_MS_MAX,
    refusal: () => streamRefusal('unavailable', 'Other live pages are being loaded.'),
  })
  let isClosed = false

  /**
   * Sends the part to the watcher at once, and whenever it changes, until the stream ends.
   *
   * @throws Failure `rateLimited` or `unavailable` if there are as many streams as there may be, `unavailable` if the part is not read in time or
   * the stream ends before, and what reading the part throws.
   */
  async function watch(watcher: Watcher, part: WatchedPart): Promise<void> {
    judgeStream(watcher, all, isClosed ? { ...limits, streamsMax: 0 } : limits)
    const live = add(watcher, part)
    const { promise: left, reject: leave } = Promise.withResolvers<never>()
    watcher.stream.onEnd(() => leave(late()))
    left.catch(() => {})
    try {
      show(watcher, await Promise.race([read(live), left]))
    } catch (error) {
      watcher.stream.end()
      throw error
    }
  }

  function add(watcher: Watcher, part: WatchedPart): Live {
    const { teamId } = watcher
    const key = `${teamId} ${part.address}`
    const live: Live = parts.get(key) ?? { teamId, ...part, watchers: new Set(), timer: null, waiting: null, tookMs: 0 }
    parts.set(key, live)
    live.watchers.add(watcher)
    all.add(watcher)
    const beat = setInterval(() => void ifAllowed(watcher, () => watcher.stream.beat()), limits.beatMs)
    const age = setTimeout(() => watcher.stream.end(), limits.ageMs)
    watcher.stream.onEnd(() => {
      clearInterval(beat)
      clearTimeout(age)
      all.delete(watcher)
      live.watchers.delete(watcher)
      if (live.watchers.size > 0) return
      if (live.timer) clearTimeout(live.timer)
      if (parts.get(key) === live) parts.delete(key)
    })
    if (live.timer === null) later(live, live.everyMs ?? limits.everyMs)
    return live
  }

  function later(live: Live, ms: number): void {
    live.timer = setTimeout(() => void turn(live), ms)
  }

  async function turn(live: Live): Promise<void> {
    try {
      const part = await read(live)
      await inTime(tell(live, part))
    } catch (error) {
      fail(live, error)
    }
    // What takes long is read less often, so that watching never takes more than half of a connection.
    if (live.watchers.size > 0) later(live, Math.max(live.everyMs ?? limits.everyMs, live.tookMs))
  }

  /** All who wait for the same part get the same read. One that has begun already may show less than their pages do. */
  function read(live: Live): Promise<SafeHtml> {
    if (live.waiting) return live.waiting
    let hasBegun = false
    const reading = places.run(live.teamId, async () => {
      hasBegun = true
      live.waiting = null
      if (live.watchers.size === 0) throw late()
      const began = clock.monotonicMs()
      try {
        return await inTime(live.read())
      } finally {
        live.tookMs = clock.monotonicMs() - began
      }
    })
    if (hasBegun) return reading
    live.waiting = reading.finally(() => {
      live.waiting = null
    })
    return live.waiting
  }

  /** @throws Failure `unavailable` when the work takes too long. What comes of it later counts no more. */
  async function inTime<Result>(work: Promise<Result>): Promise<Result> {
    return within(limits.readMs, work, () => {
      throw late()
    })
  }

  async function tell(live: Live, part: SafeHtml): Promise<void> {
    const version = fragmentVersion(part)
    await Promise.all(
      [...live.watchers].map(async (watcher) => {
        if (watcher.version === version || watcher.stream.isBehind()) return
        await ifAllowed(watcher, () => show(watcher, part))
      }),
    )
  }

  async function ifAllowed(watcher: Watcher, act: () => void): Promise<void> {
    try {
      if (await watcher.isAllowed()) act()
      else over(watcher)
    } catch (error) {
      onFault(error)
      watcher.stream.end()
    }
  }

  /** What is gone has nothing more to tell. With a fault, browsers come back later, and are told in words. */
  function fail(live: Live, error: unknown): void {
    if (live.watchers.size === 0) return
    const isGone = error instanceof Failure && error.kind === 'notFound'
    if (!isGone) onFault(error)
    for (const watcher of [...live.watchers]) isGone ? over(watcher) : watcher.stream.end()
  }

  return {
    watch,
    /** Ends all streams, and refuses new ones. */
    close(): void {
      isClosed = true
      for (const { stream } of [...all]) stream.end()
    },
  }
}

function show(watcher: Watcher, part: SafeHtml): void {
  const version = fragmentVersion(part)
  if (watcher.version === version) return
  watcher.version = version
  watcher.stream.send({ id: version, name: 'part', text: String(part) })
}

/** The page is to be loaded again. */
function over({ stream }: Watcher): void {
  stream.send({ id: '', name: 'over', text: '' })
  stream.end()
}

const late = (): Failure => streamRefusal('unavailable', 'This part of the page could not be loaded in time.')

export type LiveParts = ReturnType<typeof createLiveParts>
