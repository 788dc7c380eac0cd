/** The label that all other values share. */
export const OTHERS = 'other'

/**
 * Labels of a series that may have any number of values: the first `labelsMax` values that were seen `seenMin` times have their own, for as
 * long as the process runs. Values that were not seen often are forgotten when there are too many of them.
 */
export function createBoundedLabels({ labelsMax, seenMin }: { labelsMax: number; seenMin: number }): (value: string) => string {
  const labels = new Set<string>()
  let seen = new Map<string, number>()
  return (value) => {
    if (labels.has(value)) return value
    if (labels.size === labelsMax) return OTHERS
    const times = (seen.get(value) ?? 0) + 1
    if (times >= seenMin) {
      labels.add(value)
      seen.delete(value)
      return value
    }
    if (seen.size >= COUNTED_MAX) seen = new Map()
    seen.set(value, times)
    return OTHERS
  }
}

/** Values without a label that are counted. */
const COUNTED_MAX = 10_000
