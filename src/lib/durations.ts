import parse from 'parse-duration'

/**
 * Milliseconds of `10m`, `2 hours`, `1.5 h`, `1 day`, `1h 30m`, `1 hour and 30 minutes`: weeks to seconds, each at most once and the largest first.
 * Null for everything else: months and years (which have no fixed length), less than a second, no unit, a sign, extra words.
 */
export function parseDuration(text: string): number | null {
  const trimmed = text.trim()
  if (trimmed === '' || trimmed.length > DURATION_LENGTH_MAX || !DURATION.test(trimmed)) return null
  const ms = Math.round(parse(trimmed) ?? 0)
  return ms >= SHORTEST_MS ? ms : null
}

/** Longer than any sensible text, which has five units with words between them. */
const DURATION_LENGTH_MAX = 100

const SHORTEST_MS = 1000

const UNITS = ['w|wks?|weeks?', 'd|days?', 'h|hrs?|hours?', 'm|mins?|minutes?', 's|secs?|seconds?']

const ONE_UNIT = (names: string): string => `(?:\\d{1,6}(?:\\.\\d{1,3})?\\s?(?:${names})(?![a-z])(?:\\s?,?\\s?(?:and\\s)?(?=\\d)|$))?`

// The library reads nearly every text as some duration. This pattern decides what is one, and the library only adds it up.
const DURATION = new RegExp(`^${UNITS.map(ONE_UNIT).join('')}$`, 'i')
