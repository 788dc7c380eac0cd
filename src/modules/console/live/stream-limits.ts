// How many streams of events there may be, and how long each lives.
import { Failure } from '../../../lib/failure.ts'

export type StreamLimits = {
  /** The limit of this process. */
  streamsMax: number
  /** The limit of a team: otherwise one team could keep all others from watching. */
  teamStreamsMax: number
  /** The limit of a session. Browsers open six connections to a service at most, and need one for the rest. */
  sessionStreamsMax: number
  /** How soon the stream of a session that was ended ends; and shorter than proxies keep a silent connection. */
  beatMs: number
  /** Then the browser connects again, so that streams spread over the processes. */
  ageMs: number
}

export const STREAM_LIMITS: Omit<StreamLimits, 'streamsMax'> = {
  teamStreamsMax: 30,
  sessionStreamsMax: 4,
  beatMs: 5_000,
  ageMs: 10 * 60_000,
}

/** Browsers connect again after this time or up to twice as long, chosen at random, so that their requests are spread. */
export const RETRY_MS = 2_000

export const STREAM_HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  // A proxy that gathers answers would keep events from the page.
  'cache-control': 'private, no-store, no-transform',
  'x-accel-buffering': 'no',
  // When it ends, nothing else follows on it.
  connection: 'close',
}

type Watching = { teamId: string; sessionId: string }

/** @throws Failure `rateLimited` or `unavailable` if there are as many streams as there may be. */
export function judgeStream({ teamId, sessionId }: Watching, all: Iterable<Watching>, limits: StreamLimits): void {
  const others = [...all]
  if (others.length >= limits.streamsMax) throw streamRefusal('unavailable', 'This service has reached its limit of live pages.')
  const ofTeam = others.filter((other) => other.teamId === teamId)
  if (ofTeam.length >= limits.teamStreamsMax) throw streamRefusal('rateLimited', 'Your team has reached its limit of live pages.')
  if (ofTeam.filter((other) => other.sessionId === sessionId).length >= limits.sessionStreamsMax)
    throw streamRefusal('rateLimited', 'Your session has reached its limit of live pages. Close some.')
}

const RETRY_SECONDS = 60

export const streamRefusal = (kind: 'rateLimited' | 'unavailable', sentence: string): Failure =>
  new Failure(kind, `${sentence} This page asks again from time to time.`, { retryAfterSeconds: RETRY_SECONDS })
