// The longest time of a processor that this thread spent without letting others have a turn. The time of other programs is not counted.

export const TURN_MS_MAX = 100
const ATTEMPTS = 3

/**
 * Measures each case, and measures those that took too long twice more, after all the others: memory may have been collected during the first
 * attempt, or the machine may have stood still.
 *
 * @returns the cases that took too long in every attempt, with the milliseconds of each.
 */
export async function slowCases<T>(
  cases: readonly [string, T][],
  act: (value: T, name: string, attempt: number) => Promise<unknown>,
): Promise<Record<string, number[]>> {
  const slow: Record<string, number[]> = {}
  let left = cases
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const stillSlow: [string, T][] = []
    for (const [name, value] of left) {
      const turns = watchTurns()
      await act(value, name, attempt)
      const longestMs = turns.stop()
      if (longestMs <= TURN_MS_MAX) continue
      slow[name] = [...(slow[name] ?? []), Math.round(longestMs)]
      stillSlow.push([name, value])
    }
    left = stillSlow
  }
  return Object.fromEntries(left.map(([name]) => [name, slow[name] ?? []]))
}

function watchTurns(): { /** @returns milliseconds */ stop(): number } {
  let longestUs = 0
  let before = process.threadCpuUsage()
  const look = () => {
    const { user, system } = process.threadCpuUsage(before)
    longestUs = Math.max(longestUs, user + system)
    before = process.threadCpuUsage()
    looking = setImmediate(look)
  }
  let looking = setImmediate(look)
  return {
    stop() {
      clearImmediate(looking)
      const { user, system } = process.threadCpuUsage(before)
      return Math.max(longestUs, user + system) / 1_000
    },
  }
}
