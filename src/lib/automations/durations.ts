import { parseDuration } from '../durations.ts'

export const STEP_DAYS_MAX = 30

/** Milliseconds of a delay or a timeout, such as `30 minutes` or `1h 30m`: a second to 30 days. Null for everything else. */
export function stepDurationMs(text: string): number | null {
  const ms = parseDuration(text)
  return ms === null || ms > STEP_DAYS_MAX * DAY_MS ? null : ms
}

const DAY_MS = 86_400_000
