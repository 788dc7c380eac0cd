import leven, { closestMatch } from 'leven'

/** A name that was given, and the known one that was probably meant. */
export type Resemblance = { name: string; meant: string }

/**
 * Finds slips of the finger among names of which most are none of ours. A name is taken for a slip when it differs from a known one in case only, or in
 * two letters (in one where the known name is short, because HOME is not HOST), and when the known one was not given as well.
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

/** Longer than any known name with two letters too many. */
const NAME_LENGTH_MAX = 64
