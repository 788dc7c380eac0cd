import leven, { closestMatch } from 'leven'

/** A name that was given, and the known name that was probably meant. */
export type Resemblance = { name: string; meant: string }

/**
 * Finds typing errors among names, most of which are not ours. A name counts as an error if it differs from a known one only in case, or in two
 * letters (in one if the known name is short, because HOME is not HOST), and if the known one was not given too.
 */
export function resemblingNames(given: readonly string[], known: readonly string[]): Resemblance[] {
  const missing = known.filter((name) => !given.includes(name))
  return given
    .filter((name) => !known.includes(name) && name.length <= NAME_LENGTH_MAX)
    .flatMap((name) => {
      const meant = closestMatch(name.toUpperCase(), missing)
      return meant !== undefined && leven(name.toUpperCase(), meant) <= slipsMax(meant) ? [{ name, meant }] : []
    })
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
}

const slipsMax = (known: string): number => (known.length < SHORT_BELOW ? 1 : 2)
const SHORT_BELOW = 7

/** Longer than any known name with two extra letters. */
const NAME_LENGTH_MAX = 64
