// How far back people replay what failed.
const HOUR_MS = 60 * 60 * 1_000

export const REPLAY_SPANS = {
  all: { name: 'at any time', backMs: null },
  hour: { name: 'in the last hour', backMs: HOUR_MS },
  day: { name: 'in the last 24 hours', backMs: 24 * HOUR_MS },
  week: { name: 'in the last 7 days', backMs: 7 * 24 * HOUR_MS },
} as const

/** Null if there is no such span. */
export function replayedSince(span: string | undefined, now: Date): Date | null {
  const found = Object.entries(REPLAY_SPANS).find(([key]) => key === span)?.[1]
  if (!found) return null
  return new Date(found.backMs === null ? 0 : now.getTime() - found.backMs)
}
